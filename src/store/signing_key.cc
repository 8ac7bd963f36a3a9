#include "unscatter/store/signing_key.h"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <type_traits>

#include "base/files.h"
#include "base/hex.h"
#include "base/locations.h"
#include "base/wipe.h"

namespace unscatter {
namespace {

constexpr std::string_view kSecretPrefix = "unscatter-signing-key-1 ";
constexpr std::string_view kPublicPrefix = "unscatter-public-key-1 ";
// Longer than any key line, and small enough for the one block that read_private_file() reads into: the text is never
// moved, so no copy of it is left behind.
constexpr std::size_t kKeyFileLimit = 256;

using Seed = std::array<std::uint8_t, crypto_sign_SEEDBYTES>;

// Overwrites something when the scope ends, however it ends.  Whoever finds a seed in memory or in a core dump can sign
// in the owner's name.
template <typename Secret>
class WipedAtEnd {
 public:
  explicit WipedAtEnd(Secret& secret) : secret_(secret) {}
  ~WipedAtEnd() {
    if constexpr (std::is_same_v<Secret, std::string>) {
      wipe(secret_);
    } else {
      wipe(std::as_writable_bytes(std::span(secret_)));
    }
  }
  WipedAtEnd(const WipedAtEnd&) = delete;
  WipedAtEnd& operator=(const WipedAtEnd&) = delete;

 private:
  Secret& secret_;
};

// May be called again, and from several threads.
void start_sodium() { invariant(sodium_init() >= 0, "libsodium could not be initialised"); }

const unsigned char* message_bytes(std::string_view message) {
  return reinterpret_cast<const unsigned char*>(message.data());
}

// "PREFIX <digits>\n", and nothing else.  A power cut may leave half a line, which is refused.  Messages do not quote
// the file: it may hold a secret in the wrong place.
bool read_key_line(std::string_view text, std::string_view prefix, std::span<std::uint8_t> bytes) {
  if (!text.starts_with(prefix) || !text.ends_with('\n')) return false;
  text.remove_prefix(prefix.size());
  text.remove_suffix(1);
  return from_hex(text, bytes);
}

Error not_a_key_file(const std::filesystem::path& path, std::string_view what, std::string_view prefix) {
  return {ErrorCode::kMalformedInput,
          fmt::format("{}: not a {} file, which is one line: '{}' and 64 lower-case hexadecimal digits", path.string(),
                      what, prefix)};
}

// A file beyond the limit is no key file; other errors stay what they are.
Result<std::string> key_file_text(Result<std::string> text, const Error& malformed) {
  if (!text.ok() && text.error().code == ErrorCode::kLimitExceeded) return malformed;
  return text;
}

}  // namespace

std::string PublicKey::hex() const { return to_hex(bytes); }
std::string Signature::hex() const { return to_hex(bytes); }

Result<PublicKey> parse_public_key(std::string_view hex) {
  PublicKey key;
  if (!from_hex(hex, key.bytes))
    return Error{ErrorCode::kMalformedInput, "a public key is 64 lower-case hexadecimal digits"};
  return key;
}

Result<Signature> parse_signature(std::string_view hex) {
  Signature signature;
  if (!from_hex(hex, signature.bytes)) {
    return Error{ErrorCode::kMalformedInput, "a signature is 128 lower-case hexadecimal digits"};
  }
  return signature;
}

Result<PublicKey> read_public_key(const std::string& digits_or_path) {
  PublicKey key;
  if (from_hex(digits_or_path, key.bytes)) return key;
  const Error malformed = not_a_key_file(digits_or_path, "public key", kPublicPrefix);
  Result<std::string> text = key_file_text(read_file(digits_or_path, kKeyFileLimit), malformed);
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("'{}' is neither 64 lower-case hexadecimal digits nor a file", digits_or_path)};
  }
  if (!text.ok()) return text.error();
  const bool readable = read_key_line(*text, kPublicPrefix, key.bytes);
  wipe(*text);  // it may be a signing key, given by mistake
  if (!readable) return malformed;
  return key;
}

Status save_public_key(const PublicKey& key, const std::filesystem::path& path) {
  return replace_file(path, fmt::format("{}{}\n", kPublicPrefix, key.hex()));
}

SigningKey SigningKey::generate(RandomSource& random) {
  start_sodium();
  // The seed is all that has to be random.  The rest of an Ed25519 key follows from it (RFC 8032).
  Seed seed{};
  const WipedAtEnd wiped(seed);
  random.fill(std::as_writable_bytes(std::span(seed)));
  SigningKey key;
  PublicKey half;
  // The secret key contains the public half, so `half` is not needed.
  crypto_sign_seed_keypair(half.bytes.data(), key.secret_.data(), seed.data());
  return key;
}

Result<SigningKey> SigningKey::load(const std::filesystem::path& path) {
  start_sodium();
  const Error malformed = not_a_key_file(path, "signing key", kSecretPrefix);
  // Refuses a file that others may use: a key that others may have read proves nothing.
  UNSCATTER_TRY(text, key_file_text(read_private_file(path, kKeyFileLimit), malformed));
  const WipedAtEnd wiped_text(text);
  Seed seed{};
  const WipedAtEnd wiped_seed(seed);
  if (!read_key_line(text, kSecretPrefix, seed)) return malformed;
  SigningKey key;
  PublicKey half;
  crypto_sign_seed_keypair(half.bytes.data(), key.secret_.data(), seed.data());
  return key;
}

Status SigningKey::save(const std::filesystem::path& path) const {
  // The seed is the first half of libsodium's secret key; the second half is the public key.
  std::string digits = to_hex(std::span(secret_).first<crypto_sign_SEEDBYTES>());
  const WipedAtEnd wiped_digits(digits);
  std::string text;
  // append() would otherwise move the text and leave digits of the seed in freed memory.
  text.reserve(kKeyFileLimit);
  const WipedAtEnd wiped_text(text);
  text.append(kSecretPrefix).append(digits).append("\n");
  UNSCATTER_CHECK_OK(make_private_folders(path.parent_path()));
  // Never over an old key: without it, its workspaces could not be written any more.
  return write_new_file(path, text, 0600);
}

SigningKey::SigningKey(SigningKey&& other) noexcept : secret_(other.secret_) {
  // To move an array is to copy it.
  wipe(std::as_writable_bytes(std::span(other.secret_)));
}

SigningKey& SigningKey::operator=(SigningKey&& other) noexcept {
  if (this == &other) return *this;
  secret_ = other.secret_;
  wipe(std::as_writable_bytes(std::span(other.secret_)));
  return *this;
}

SigningKey::~SigningKey() { wipe(std::as_writable_bytes(std::span(secret_))); }

PublicKey SigningKey::public_key() const {
  PublicKey key;
  const auto half = std::span(secret_).last<crypto_sign_PUBLICKEYBYTES>();
  std::copy(half.begin(), half.end(), key.bytes.begin());
  return key;
}

Signature SigningKey::sign(std::string_view message) const {
  start_sodium();
  Signature signature;
  crypto_sign_detached(signature.bytes.data(), nullptr, message_bytes(message), message.size(), secret_.data());
  return signature;
}

bool verify_signature(std::string_view message, const Signature& signature, const PublicKey& key) {
  start_sodium();
  return crypto_sign_verify_detached(signature.bytes.data(), message_bytes(message), message.size(),
                                     key.bytes.data()) == 0;
}

Result<std::filesystem::path> usual_key_path() {
  // An empty variable counts as unset, as for the command line.
  if (const char* named = std::getenv("UNSCATTER_KEY"); named != nullptr && *named != '\0') {
    return std::filesystem::path(named);
  }
  UNSCATTER_TRY(folder, config_folder());
  return folder / "signing.key";
}

std::filesystem::path public_key_path(const std::filesystem::path& key) {
  std::filesystem::path path = key;
  // Otherwise the public key would replace the secret one.
  if (key.extension() == ".pub") return path += ".pub";
  return path.replace_extension(".pub");
}

Result<KeyFile> load_or_create_key(const std::filesystem::path& path) {
  auto existing = SigningKey::load(path);
  if (existing.ok()) return KeyFile{std::make_shared<const SigningKey>(*std::move(existing)), path, false};
  // Only a missing file is "no key".  A key that others can read, or a damaged one, has to be noticed.
  if (existing.error().code != ErrorCode::kNotFound) return std::move(existing).error();
  // Not a seed of the user's: a key that can be computed again protects nothing.
  SecureRandom random;
  auto key = std::make_shared<const SigningKey>(SigningKey::generate(random));
  // The secret half first.  A public key without it would promise signatures that nobody can make.
  UNSCATTER_CHECK_OK(key->save(path));
  UNSCATTER_CHECK_OK(save_public_key(key->public_key(), public_key_path(path)));
  return KeyFile{std::move(key), path, true};
}

}  // namespace unscatter
