// Lines and numbers from a stream of text, with their place for messages.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/readers/byte_source.h"
#include "unscatter/base/progress.h"
#include "unscatter/base/result.h"

namespace unscatter::readers {

// Text from outside in a form that is safe in a message: short, in quotes, printable.
[[nodiscard]] std::string excerpt(std::string_view text);

// The lines of a text, with Unix or Windows line ends.  The last line may lack its end.  Blank lines are allowed at the
// end of the text only.  Memory: one block plus the longest line.
//
//   std::string_view line;
//   while (scanner.next_line(line)) { ... return scanner.error("..."); ... }
//   UNSCATTER_CHECK_OK(scanner.status());
class TextScanner {
 public:
  // `progress` may be null; it advances by bytes.
  explicit TextScanner(std::unique_ptr<ByteSource> source, Progress* progress = nullptr);

  // False at the end of the text and after an error, which status() then holds.  `line` is valid until the next call.
  [[nodiscard]] bool next_line(std::string_view& line) {
    for (;;) {
      while (position_ == complete_) {
        if (!refill()) return false;
      }
      // There is a line end before complete_, so the search always finds one.
      const char* const first = text_.data() + position_;
      const char* const end = static_cast<const char*>(std::memchr(first, '\n', complete_ - position_));
      const char* last = end;
      while (last != first && is_blank(last[-1])) --last;
      position_ += static_cast<std::size_t>(end - first) + 1;
      ++line_number_;
      if (last != first) {
        if (blank_line_ != 0) return refuse_blank_line();
        line = std::string_view(first, static_cast<std::size_t>(last - first));
        return true;
      }
      if (blank_line_ == 0) blank_line_ = line_number_;
    }
  }
  [[nodiscard]] const Status& status() const noexcept { return status_; }

  // The number of the line that was handed out last, from 1 on; 0 before the first.
  [[nodiscard]] std::uint64_t line_number() const noexcept { return line_number_; }
  // Bytes of the source up to the end of that line.
  [[nodiscard]] std::uint64_t bytes_passed() const noexcept { return bytes_read_ - (filled_ - position_); }
  [[nodiscard]] const std::string& name() const { return source_->name(); }
  // kMalformedInput: "FILE, line N: message".
  [[nodiscard]] Error error(std::string_view message, ErrorCode code = ErrorCode::kMalformedInput) const;
  // The same without a line, for what concerns the whole text.
  [[nodiscard]] Error file_error(std::string_view message) const;

 private:
  [[nodiscard]] static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  [[nodiscard]] bool refuse_blank_line();
  // Passes over a byte order mark at the start of the text.  False for UTF-16, which no reader takes.
  [[nodiscard]] bool skip_mark();
  // Moves what is left to the front and appends a block.  At the end of the text it adds a line end where one is
  // missing.
  [[nodiscard]] bool refill();

  std::unique_ptr<ByteSource> source_;
  Progress* progress_;
  std::vector<char> text_;
  std::size_t position_ = 0;
  std::size_t filled_ = 0;    // bytes of text_ in use
  std::size_t complete_ = 0;  // bytes up to and with the last line end
  bool started_ = false;
  bool ended_ = false;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t line_number_ = 0;
  std::uint64_t blank_line_ = 0;  // the first of the blank lines just passed
  Status status_ = ok_status();
};

// The numbers of one line, separated by one comma, by blanks, or by both.
class Fields {
 public:
  explicit Fields(std::string_view line) : next_(line.data()), end_(line.data() + line.size()) { skip_blanks(); }

  [[nodiscard]] bool done() const noexcept { return next_ == end_; }

  // Reads one number.  False leaves the position where it was; token() shows what stands there.
  template <typename Number>
  [[nodiscard]] bool next(Number& value) {
    const auto [stop, error] = std::from_chars(next_, end_, value);
    if (error != std::errc() || (stop != end_ && !is_separator(*stop))) return false;
    next_ = stop;
    skip_blanks();
    if (next_ != end_ && *next_ == ',') {
      ++next_;
      skip_blanks();
      if (next_ == end_) --next_;  // a comma that nothing follows is an error and not the end
    }
    return true;
  }

  // What stands at the current position, up to the next separator.
  [[nodiscard]] std::string_view token() const;

 private:
  [[nodiscard]] static bool is_separator(char c) { return c == ' ' || c == '\t' || c == ','; }
  void skip_blanks() {
    while (next_ != end_ && (*next_ == ' ' || *next_ == '\t')) ++next_;
  }

  const char* next_;
  const char* end_;
};

// The integer of a line that has nothing else.
[[nodiscard]] Result<std::int64_t> only_integer(const TextScanner& scanner, std::string_view line,
                                                std::string_view what);

}  // namespace unscatter::readers
