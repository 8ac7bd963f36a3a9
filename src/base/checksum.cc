#include "base/checksum.h"

// Headers only: the code is compiled here, so that nothing has to be linked.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace unscatter {

std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace unscatter
