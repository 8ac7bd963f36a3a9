// The public hash of docs/embeddings.md, written from its formula: tests do not use that of the library.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace unscatter::testing {

inline std::uint64_t mix(std::uint64_t a) {
  a *= 0x9E3779B97F4A7C15u;
  a ^= a >> 29;
  a *= 0xC2B2AE3D27D4EB4Fu;
  a ^= a >> 32;
  return a;
}
inline std::uint64_t hash_of(std::initializer_list<std::uint64_t> numbers) {
  std::uint64_t h = 0;
  for (const std::uint64_t c : numbers) h = mix(h * 0x165667B19E3779F9u + mix(c));
  return h;
}

}  // namespace unscatter::testing
