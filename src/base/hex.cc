#include "base/hex.h"

#include <sodium.h>

#include <algorithm>

namespace unscatter {

// The bytes may be a secret.  The functions of libsodium take the same time whatever the bytes are.
std::string to_hex(std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) return {};                    // libsodium takes no null pointers
  std::string digits(2 * bytes.size() + 1, '\0');  // all room at once: a string that grows leaves copies behind
  sodium_bin2hex(digits.data(), digits.size(), bytes.data(), bytes.size());
  digits.pop_back();
  return digits;
}

bool from_hex(std::string_view digits, std::span<std::uint8_t> bytes) {
  if (bytes.empty()) return digits.empty();
  // sodium_hex2bin() accepts upper case too.  Here one value has one spelling, so that equal digests are equal texts.
  const bool lower_case =
      std::none_of(digits.begin(), digits.end(), [](char digit) { return digit >= 'A' && digit <= 'F'; });
  const bool readable =
      lower_case && digits.size() == 2 * bytes.size() &&
      sodium_hex2bin(bytes.data(), bytes.size(), digits.data(), digits.size(), nullptr, nullptr, nullptr) == 0;
  if (!readable) std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
  return readable;
}

}  // namespace unscatter
