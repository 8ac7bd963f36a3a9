// A fast checksum, for large data that only has to be told from damaged data.  It hides nothing and proves nothing to
// anybody: for that there are digests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace unscatter {

[[nodiscard]] std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed);

}  // namespace unscatter
