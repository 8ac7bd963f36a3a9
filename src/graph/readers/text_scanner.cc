#include "graph/readers/text_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace unscatter::readers {
namespace {

// Fits the second-level cache, and makes few calls of the source.
constexpr std::size_t kBlockBytes = std::size_t{1} << 18;
// U+FEFF in UTF-8.
constexpr std::size_t kMarkBytes = 3;

}  // namespace

std::string excerpt(std::string_view text) {
  // Enough to find the place in the file.  A hostile token of a megabyte must not fill the message.
  constexpr std::size_t kLongest = 40;
  std::string result = "'";
  // Control characters from a file could change what a terminal shows.
  for (const char c : text.substr(0, kLongest)) result += c >= ' ' && c <= '~' ? c : '?';
  result += text.size() > kLongest ? "...'" : "'";
  return result;
}

TextScanner::TextScanner(std::unique_ptr<ByteSource> source, Progress* progress)
    : source_(std::move(source)), progress_(progress), text_(kBlockBytes) {}

Error TextScanner::error(std::string_view message, ErrorCode code) const {
  return {code, fmt::format("{}, line {}: {}", name(), line_number_, message)};
}

Error TextScanner::file_error(std::string_view message) const {
  return {ErrorCode::kMalformedInput, fmt::format("{}: {}", name(), message)};
}

bool TextScanner::refill() {
  if (ended_ || !status_.ok()) return false;
  std::copy(text_.begin() + static_cast<std::ptrdiff_t>(position_),
            text_.begin() + static_cast<std::ptrdiff_t>(filled_), text_.begin());
  filled_ -= position_;
  position_ = 0;
  complete_ = 0;
  // A long line doubles the buffer, but only after the bytes before are really there.  So a file cannot ask for more
  // memory than about twice its own size.
  if (text_.size() - filled_ < kBlockBytes / 2) text_.resize(2 * text_.size());

  const std::size_t searched = filled_;
  std::size_t read = 0;
  do {
    const Result<std::size_t> count = source_->read(std::span(text_).subspan(filled_));
    if (!count.ok()) {
      status_ = count.error();
      return false;
    }
    if (progress_ != nullptr) progress_->advance(*count);
    bytes_read_ += *count;
    filled_ += *count;
    read = *count;
    // A pipe may give single bytes, and the mark at the start of a text has up to three.
  } while (!started_ && read > 0 && filled_ < kMarkBytes);
  if (!started_ && !skip_mark()) return false;
  if (read == 0) {
    ended_ = true;
    if (filled_ == 0) return false;
    text_[filled_++] = '\n';
    ++bytes_read_;  // so that what is left to read is counted in one way
    complete_ = filled_;
    return true;
  }
  // From the back: the last line end is what counts.  Bytes that were searched before hold none.
  for (std::size_t k = filled_; k > searched && complete_ == 0; --k) {
    if (text_[k - 1] == '\n') complete_ = k;
  }
  return true;
}

bool TextScanner::skip_mark() {
  started_ = true;
  const std::string_view start(text_.data(), filled_);
  // Some programs write U+FEFF in front of UTF-8.  It says nothing.
  if (start.starts_with("\xEF\xBB\xBF")) {
    std::copy(text_.begin() + kMarkBytes, text_.begin() + static_cast<std::ptrdiff_t>(filled_), text_.begin());
    filled_ -= kMarkBytes;
    return true;
  }
  if (!start.starts_with("\xFF\xFE") && !start.starts_with("\xFE\xFF")) return true;
  status_ = file_error("this is UTF-16 text; save it as UTF-8");
  return false;
}

bool TextScanner::refuse_blank_line() {
  // Blank lines are fine at the end of a text.  One is refused only now, when a line follows it, and the message names
  // the blank line itself.
  line_number_ = blank_line_;
  status_ = error("the line is empty, but others follow");
  position_ = complete_ = filled_;
  ended_ = true;
  return false;
}

std::string_view Fields::token() const {
  const char* stop = next_;
  while (stop != end_ && !is_separator(*stop)) ++stop;
  if (stop == next_ && stop != end_) ++stop;  // there is a separator where a number should be
  return {next_, static_cast<std::size_t>(stop - next_)};
}

Result<std::int64_t> only_integer(const TextScanner& scanner, std::string_view line, std::string_view what) {
  std::int64_t value = 0;
  Fields fields(line);
  if (!fields.next(value)) return scanner.error(fmt::format("{} {} is not an integer", what, excerpt(fields.token())));
  if (!fields.done()) return scanner.error(fmt::format("{} is followed by {}", what, excerpt(fields.token())));
  return value;
}

}  // namespace unscatter::readers
