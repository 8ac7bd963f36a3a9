// Bytes as lower-case hexadecimal digits.  This is the only spelling.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace unscatter {

[[nodiscard]] std::string to_hex(std::span<const std::uint8_t> bytes);
// Fills `bytes` from exactly twice as many digits.  Any other text gives false, and `bytes` is then all zero.
[[nodiscard]] bool from_hex(std::string_view digits, std::span<std::uint8_t> bytes);

}  // namespace unscatter
