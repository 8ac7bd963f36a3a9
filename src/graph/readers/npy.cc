#include "graph/readers/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "graph/readers/text_scanner.h"

namespace unscatter::readers {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

Error malformed(std::string message) { return {ErrorCode::kMalformedInput, std::move(message)}; }

// Reads the few words of Python's literal syntax that NumPy writes, and nothing else.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  Result<NpyHeader> parse() {
    NpyHeader header;
    bool seen_type = false;
    bool seen_order = false;
    bool seen_shape = false;
    if (!accept("{")) return bad();
    while (!accept("}")) {
      std::string key;
      if (!quoted_text(key) || !accept(":")) return bad();
      // A key that comes twice falls through to the refusal below.
      if (key == "descr" && !seen_type) {
        seen_type = true;
        if (!quoted_text(header.type)) return bad();
      } else if (key == "fortran_order" && !seen_order) {
        seen_order = true;
        header.fortran_order = accept("True");
        if (!header.fortran_order && !accept("False")) return bad();
      } else if (key == "shape" && !seen_shape) {
        seen_shape = true;
        if (!shape(header.shape)) return bad();
      } else {
        return bad();
      }
      if (!accept(",") && !peek('}')) return bad();
    }
    skip_blanks();
    // All three, and nothing behind them.  A key that is missing would leave a default that nobody wrote.
    if (!text_.empty() || !seen_type || !seen_order || !seen_shape) return bad();
    return header;
  }

 private:
  static Error bad() { return malformed("the array's header is not one that NumPy writes"); }

  void skip_blanks() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n')) text_.remove_prefix(1);
  }
  bool peek(char c) {
    skip_blanks();
    return !text_.empty() && text_.front() == c;
  }
  bool accept(std::string_view word) {
    skip_blanks();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  bool quoted_text(std::string& into) {
    if (!accept("'")) return false;
    // No escapes: NumPy writes none in these three entries.
    const std::size_t end = text_.find('\'');
    if (end == std::string_view::npos) return false;
    into = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return true;
  }
  // (), (3,), (3, 8), (3, 8, )
  bool shape(std::vector<std::uint64_t>& into) {
    if (!accept("(")) return false;
    while (!accept(")")) {
      std::uint64_t extent = 0;
      skip_blanks();
      const auto [stop, error] = std::from_chars(text_.data(), text_.data() + text_.size(), extent);
      if (error != std::errc()) return false;
      text_.remove_prefix(static_cast<std::size_t>(stop - text_.data()));
      into.push_back(extent);
      if (!accept(",") && !peek(')')) return false;
    }
    return true;
  }

  std::string_view text_;
};

// Fills all of `into`.  False if the source ends before.
Result<bool> read_all(ByteSource& source, std::span<char> into, Progress* progress) {
  while (!into.empty()) {
    UNSCATTER_TRY(count, source.read(into));
    if (count == 0) return false;
    if (progress != nullptr) progress->advance(count);
    into = into.subspan(count);
  }
  return true;
}

Result<NpyHeader> read_header(ByteSource& source, Progress* progress) {
  std::array<char, 8> start{};
  UNSCATTER_TRY(started, read_all(source, start, progress));
  if (!started || std::string_view(start.data(), kMagic.size()) != kMagic) {
    return malformed(fmt::format("{}: not a NumPy array", source.name()));
  }
  // Version 1 has two bytes for the length of the header, versions 2 and 3 have four.
  const int version = start[6];
  if (version < 1 || version > 3) return malformed(fmt::format("{}: NumPy format version {}", source.name(), version));
  std::array<char, 4> length_bytes{};
  const std::size_t length_size = version == 1 ? 2 : 4;
  UNSCATTER_TRY(has_length, read_all(source, std::span(length_bytes).first(length_size), progress));
  std::size_t length = 0;
  for (std::size_t k = 0; k < length_size; ++k)
    length |= std::size_t{static_cast<unsigned char>(length_bytes[k])} << (8 * k);
  // NumPy pads headers to some 100 bytes.  Only arrays of records have long ones, and those are not read here.
  constexpr std::size_t kLongestHeader = 65535;
  if (!has_length || length > kLongestHeader) return malformed(fmt::format("{}: broken NumPy header", source.name()));
  std::string text(length, '\0');
  UNSCATTER_TRY(complete, read_all(source, text, progress));
  if (!complete) return malformed(fmt::format("{}: ends inside the NumPy header", source.name()));
  Result<NpyHeader> header = parse_npy_header(text);
  if (!header.ok()) return malformed(fmt::format("{}: {}", source.name(), header.error().message));
  return header;
}

// The product of the shape and the size of an item.  False if it does not fit into 63 bits.
bool byte_count(const std::vector<std::uint64_t>& shape, std::uint64_t item_bytes, std::uint64_t& result) {
  result = item_bytes;
  for (const std::uint64_t extent : shape) {
    // A division, because the product itself may overflow and come out small.
    if (extent != 0 && result > std::numeric_limits<std::int64_t>::max() / extent) return false;
    result *= extent;
  }
  return true;
}

// Reads at most `expected` bytes and one more, which tells a longer source from one that fits.  The first megabyte is
// taken on trust; after that, memory doubles only when it is full.
Result<std::vector<char>> read_growing(ByteSource& source, std::uint64_t expected, Progress* progress) {
  constexpr std::uint64_t kFirstBytes = std::uint64_t{1} << 20;
  std::vector<char> bytes;
  std::size_t filled = 0;
  for (;;) {
    if (filled == bytes.size()) {
      if (filled == expected + 1) break;
      bytes.resize(static_cast<std::size_t>(std::min(expected + 1, std::max<std::uint64_t>(2 * filled, kFirstBytes))));
    }
    UNSCATTER_TRY(count, source.read(std::span(bytes).subspan(filled)));
    if (count == 0) break;
    if (progress != nullptr) progress->advance(count);
    filled += count;
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace

Result<NpyHeader> parse_npy_header(std::string_view text) { return HeaderParser(text).parse(); }

Result<NpyNumbers> read_npy_numbers(ByteSource& source,
                                    const std::function<Result<std::size_t>(const NpyHeader&)>& check,
                                    Progress* progress) {
  UNSCATTER_TRY(header, read_header(source, progress));
  const Result<std::size_t> item_bytes = check(header);
  if (!item_bytes.ok()) {
    return Error{item_bytes.error().code, fmt::format("{}: {}", source.name(), item_bytes.error().message)};
  }
  std::uint64_t expected = 0;
  if (!byte_count(header.shape, *item_bytes, expected)) {
    return malformed(fmt::format("{}: the array's header claims more than 2^63 bytes", source.name()));
  }
  UNSCATTER_TRY(bytes, read_growing(source, expected, progress));
  // Both are refused: an array that is too long shows that header and data do not belong together.
  if (bytes.size() > expected)
    return malformed(fmt::format("{}: goes on after the {} bytes it claims", source.name(), expected));
  if (bytes.size() < expected) {
    return malformed(fmt::format("{}: ends after {} of the {} bytes it claims", source.name(), bytes.size(), expected));
  }
  return NpyNumbers{std::move(header), std::move(bytes)};
}

Result<NpyArray> read_npy(ByteSource& source, std::string_view type, std::size_t item_bytes, std::size_t dimensions,
                          Progress* progress) {
  const auto check = [&](const NpyHeader& header) -> Result<std::size_t> {
    if (header.type != type) {
      return malformed(fmt::format("an array of type {} where {} is expected", excerpt(header.type), type));
    }
    // Columns first would be read as rows, and nothing would look wrong.
    if (header.fortran_order) return malformed("an array in Fortran order");
    if (header.shape.size() != dimensions) {
      return malformed(fmt::format("an array of {} dimensions where {} are expected", header.shape.size(), dimensions));
    }
    return item_bytes;
  };
  UNSCATTER_TRY(numbers, read_npy_numbers(source, check, progress));
  return NpyArray{std::move(numbers.header.shape), std::move(numbers.bytes)};
}

double half_to_double(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int mantissa = bits & 0x3ff;
  double magnitude = 0;
  // 1 sign bit, 5 bits of exponent, 10 bits of mantissa.  Exponent 0 means subnormal: no leading 1.
  if (exponent == 0x1f) {
    magnitude = mantissa == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(mantissa, -24);
  } else {
    magnitude = std::ldexp(mantissa + 0x400, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

}  // namespace unscatter::readers
