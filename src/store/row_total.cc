#include "store/row_total.h"

#include <sodium.h>

#include <bit>
#include <span>

namespace unscatter {
namespace {

using Lanes = std::array<std::uint16_t, RowTotal::kLanes>;

// As many bytes as there are in the lanes: the key stream of ChaCha20 under the seal.
Lanes expanded(const Digest& seal) {
  static_assert(sizeof(Digest::bytes) == randombytes_SEEDBYTES && std::endian::native == std::endian::little);
  Lanes lanes;
  randombytes_buf_deterministic(lanes.data(), sizeof(lanes), seal.bytes.data());
  return lanes;
}

}  // namespace

void RowTotal::add(const Digest& seal) {
  const Lanes more = expanded(seal);
  for (std::size_t i = 0; i < kLanes; ++i) lanes[i] = static_cast<std::uint16_t>(lanes[i] + more[i]);
  ++rows;
}

void RowTotal::subtract(const Digest& seal) {
  const Lanes less = expanded(seal);
  for (std::size_t i = 0; i < kLanes; ++i) lanes[i] = static_cast<std::uint16_t>(lanes[i] - less[i]);
  --rows;
}

Digest RowTotal::digest() const { return Hasher().add_bytes(std::as_bytes(std::span(lanes))).finish(); }

}  // namespace unscatter
