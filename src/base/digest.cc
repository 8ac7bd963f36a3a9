#include "unscatter/base/digest.h"

#include <sodium.h>

#include <bit>

#include "base/hex.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

using Bytes32 = std::array<std::uint8_t, 32>;

Result<Bytes32> bytes_of(std::string_view hex) {
  Bytes32 bytes{};
  if (!from_hex(hex, bytes)) return Error{ErrorCode::kMalformedInput, "not 64 lower-case hexadecimal digits"};
  return bytes;
}

}  // namespace

struct Hasher::State {
  crypto_generichash_state stream;
};

Hasher::Hasher() : state_(std::make_unique<State>()) {
  invariant(sodium_init() >= 0, "libsodium could not be initialised");
  crypto_generichash_init(&state_->stream, nullptr, 0, sizeof(Digest::bytes));
}
Hasher::Hasher(const Salt& key) : state_(std::make_unique<State>()) {
  invariant(sodium_init() >= 0, "libsodium could not be initialised");
  crypto_generichash_init(&state_->stream, key.bytes.data(), key.bytes.size(), sizeof(Digest::bytes));
}
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

Hasher& Hasher::add_bytes(std::span<const std::byte> bytes) {
  crypto_generichash_update(&state_->stream, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  return *this;
}

Hasher& Hasher::add(std::uint64_t value) {
  // Byte by byte, so that the digest does not depend on the byte order of the machine.
  std::array<std::byte, 8> little_endian{};
  for (unsigned i = 0; i < 8; ++i) little_endian[i] = static_cast<std::byte>(value >> (8 * i));
  return add_bytes(little_endian);
}

// -0.0 and 0.0 are the same number, so they get the same bytes.
Hasher& Hasher::add(double value) { return add(std::bit_cast<std::uint64_t>(value == 0.0 ? 0.0 : value)); }

Hasher& Hasher::add(std::string_view text) {
  add(static_cast<std::uint64_t>(text.size()));
  return add_bytes(std::as_bytes(std::span(text.data(), text.size())));
}

Digest Hasher::finish() {
  Digest digest;
  crypto_generichash_final(&state_->stream, digest.bytes.data(), digest.bytes.size());
  return digest;
}

std::string Digest::hex() const { return to_hex(bytes); }
std::string Salt::hex() const { return to_hex(bytes); }

Salt Salt::random(RandomSource& source) {
  Salt salt;
  source.fill(std::as_writable_bytes(std::span(salt.bytes)));
  return salt;
}

Result<Digest> parse_digest(std::string_view hex) {
  UNSCATTER_TRY(bytes, bytes_of(hex));
  return Digest{bytes};
}

Result<Salt> parse_salt(std::string_view hex) {
  UNSCATTER_TRY(bytes, bytes_of(hex));
  return Salt{bytes};
}

}  // namespace unscatter
