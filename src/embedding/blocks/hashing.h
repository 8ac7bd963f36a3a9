// A public hash of whole numbers, modulo 2^64.  Any fixed one does; this one spreads small numbers well.
//
//   mix(a):           a *= 0x9E3779B97F4A7C15;  a ^= a >> 29;  a *= 0xC2B2AE3D27D4EB4F;  a ^= a >> 32
//   hash(c1, c2, ..): h = 0, then h = mix(h * 0x165667B19E3779F9 + mix(c)) for c = c1, c2, ...
#pragma once

#include <cstdint>

namespace unscatter {

inline constexpr std::uint64_t kHashStep = 0x165667B19E3779F9u;

constexpr std::uint64_t mixed(std::uint64_t a) {
  a *= 0x9E3779B97F4A7C15u;
  a ^= a >> 29;
  a *= 0xC2B2AE3D27D4EB4Fu;
  return a ^ (a >> 32);
}
// One more number of a hash: hash(a, b) is mixed(mixed(0, a), b).
constexpr std::uint64_t mixed(std::uint64_t h, std::uint64_t next) { return mixed(h * kHashStep + mixed(next)); }

}  // namespace unscatter
