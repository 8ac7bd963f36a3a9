// Content digests: BLAKE2b-256 (libsodium), fed piece by piece.  With a key they are commitments, which hide their
// content.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "unscatter/base/random.h"
#include "unscatter/base/result.h"

namespace unscatter {

struct Digest {
  std::array<std::uint8_t, 32> bytes{};
  [[nodiscard]] std::string hex() const;
  friend bool operator==(const Digest&, const Digest&) = default;
};
// 64 lower-case hexadecimal digits.  Errors: kMalformedInput.
[[nodiscard]] Result<Digest> parse_digest(std::string_view hex);

// The key of a commitment.  Without it nobody can tell from the digest what was hashed, however few the possibilities
// are.  So a commitment whose salt was destroyed tells nothing any more.
struct Salt {
  std::array<std::uint8_t, 32> bytes{};
  [[nodiscard]] static Salt random(RandomSource& source);
  [[nodiscard]] std::string hex() const;
  friend bool operator==(const Salt&, const Salt&) = default;
};
// As parse_digest().
[[nodiscard]] Result<Salt> parse_salt(std::string_view hex);

// Integers and real numbers enter as 8 little-endian bytes.  Text enters with its length before it.  So two different
// sequences of add() calls never feed the same bytes by accident, as long as the types agree.
class Hasher {
 public:
  Hasher();
  // Keyed BLAKE2b.
  explicit Hasher(const Salt& key);
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
