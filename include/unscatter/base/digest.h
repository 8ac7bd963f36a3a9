// Content digests: BLAKE2b-256 (libsodium), fed piecewise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace unscatter {

struct Digest {
  std::array<std::uint8_t, 32> bytes{};
  [[nodiscard]] std::string hex() const;
  friend bool operator==(const Digest&, const Digest&) = default;
};

// Integers and reals enter as 8 little-endian bytes, text with its length before it, so that no two different sequences of
// add() calls feed the same bytes by accident.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;

  Hasher& add(std::uint64_t value);
  Hasher& add(double value);
  Hasher& add(std::string_view text);
  Hasher& add_bytes(std::span<const std::byte> bytes);
  // Ends the stream; the hasher must not be used afterwards.
  [[nodiscard]] Digest finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace unscatter
