#include "store/hex.h"

#include <algorithm>
#include <cstddef>

namespace unscatter {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

}  // namespace

std::string to_hex(std::span<const std::uint8_t> bytes) {
  std::string digits;
  digits.reserve(2 * bytes.size());  // never moved while it grows: a secret leaves no second copy behind
  for (const std::uint8_t byte : bytes) {
    digits += kHexDigits[byte >> 4];
    digits += kHexDigits[byte & 15];
  }
  return digits;
}

bool from_hex(std::string_view digits, std::span<std::uint8_t> bytes) {
  bool readable = digits.size() == 2 * bytes.size();
  for (std::size_t i = 0; readable && i < bytes.size(); ++i) {
    const std::size_t high = kHexDigits.find(digits[2 * i]);
    const std::size_t low = kHexDigits.find(digits[2 * i + 1]);
    readable = high != std::string_view::npos && low != std::string_view::npos;
    bytes[i] = static_cast<std::uint8_t>(readable ? 16 * high + low : 0);
  }
  if (!readable) std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
  return readable;
}

}  // namespace unscatter
