// Ed25519 keys (libsodium): who vouches for a receipt.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "unscatter/base/random.h"
#include "unscatter/base/result.h"

namespace unscatter {

struct PublicKey {
  std::array<std::uint8_t, 32> bytes{};
  [[nodiscard]] std::string hex() const;
  friend bool operator==(const PublicKey&, const PublicKey&) = default;
};

struct Signature {
  std::array<std::uint8_t, 64> bytes{};
  [[nodiscard]] std::string hex() const;
  friend bool operator==(const Signature&, const Signature&) = default;
};

// Lower-case hexadecimal digits, 64 and 128 of them.  Errors: kMalformedInput.
[[nodiscard]] Result<PublicKey> parse_public_key(std::string_view hex);
[[nodiscard]] Result<Signature> parse_signature(std::string_view hex);

// A public key as a person hands it over: the digits themselves, or the name of a file that save_public_key() wrote.
// Errors: kNotFound, kMalformedInput, kIo.
[[nodiscard]] Result<PublicKey> read_public_key(const std::string& digits_or_path);
// Replaces `path` by one line, "unscatter-public-key-1 " and 64 hexadecimal digits.  Errors: kIo.
[[nodiscard]] Status save_public_key(const PublicKey& key, const std::filesystem::path& path);

// The secret half.  Overwritten in memory when destroyed.
class SigningKey {
 public:
  [[nodiscard]] static SigningKey generate(RandomSource& random);
  // Errors: kNotFound; kInvalidArgument if it is no regular file or if its mode lets others than the owner do anything
  // with it; kMalformedInput; kIo.
  [[nodiscard]] static Result<SigningKey> load(const std::filesystem::path& path);
  // Writes a new file of mode 0600 and makes it durable.  Folders that are missing are made with mode 0700.  The file
  // is one line, "unscatter-signing-key-1 " and 64 hexadecimal digits.  Errors: kInvalidArgument if the file exists (a
  // key is never overwritten), kIo.
  [[nodiscard]] Status save(const std::filesystem::path& path) const;

  SigningKey(SigningKey&& other) noexcept;
  SigningKey& operator=(SigningKey&& other) noexcept;
  ~SigningKey();

  [[nodiscard]] PublicKey public_key() const;
  [[nodiscard]] Signature sign(std::string_view message) const;

 private:
  SigningKey() = default;

  std::array<std::uint8_t, 64> secret_{};
};

// $UNSCATTER_KEY, else signing.key in the configuration folder, $XDG_CONFIG_HOME/unscatter or ~/.config/unscatter.
// Errors: kNotFound if there is no such folder to name.
[[nodiscard]] Result<std::filesystem::path> usual_key_path();
// NAME.pub beside NAME.key.
[[nodiscard]] std::filesystem::path public_key_path(const std::filesystem::path& key);

struct KeyFile {
  std::shared_ptr<const SigningKey> key;
  std::filesystem::path path;
  bool created = false;
};
// The key that is there, or a new one, its public half beside it.  Errors: those of SigningKey::load(), save() and
// save_public_key().
[[nodiscard]] Result<KeyFile> load_or_create_key(const std::filesystem::path& path);

[[nodiscard]] bool verify_signature(std::string_view message, const Signature& signature, const PublicKey& key);

}  // namespace unscatter
