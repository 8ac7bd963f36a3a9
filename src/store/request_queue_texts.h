// What open requests ask for, enciphered, and the keys of these texts (table `queue_text_keys`).
//
// A text that is deleted from a row is not always gone.  SQLite moves rows between pages to keep them balanced.  It
// leaves copies of rows that it has moved in the room between others, and `secure_delete` does not know these copies.
// So every text is enciphered under a random key of its own.  To erase a text is to overwrite its key.  The keys stand
// in blocks of one size, which are added at the end of their table and never deleted.  A block fills its page, so
// SQLite has no reason to move it, and overwrites it where it lies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/sqlite.h"
#include "unscatter/base/random.h"
#include "unscatter/base/result.h"

namespace unscatter {

struct TextKey {
  std::array<std::uint8_t, 32> bytes{};
  friend bool operator==(const TextKey&, const TextKey&) = default;
};
// XSalsa20-Poly1305 (libsodium's secretbox) with a nonce of zeros: a key is used once.
[[nodiscard]] std::vector<std::byte> encipher(std::string_view text, const TextKey& key);
// Nothing for another key, or a text that was changed.
[[nodiscard]] std::optional<std::string> decipher(std::span<const std::byte> text, const TextKey& key);

// All keys of a file, in memory.  A key of zeros is a slot that is free.
class TextKeys {
 public:
  // With the 32 bytes of each, a block fills more than half of a page of 4,096 bytes.
  static constexpr std::size_t kKeysOfBlock = 120;

  [[nodiscard]] static Result<TextKeys> read(const Database& database);
  [[nodiscard]] std::size_t slots() const { return keys_.size(); }
  // Errors: kMalformedInput for a slot that is not there or free.
  [[nodiscard]] Result<TextKey> key(std::uint64_t slot) const;
  [[nodiscard]] std::size_t used() const { return keys_.size() - free_.size(); }

 private:
  friend class TextKeyChange;
  std::vector<TextKey> keys_;
  std::vector<std::uint64_t> free_;
};

// Keys that come and go in one transaction of the caller.  The keys in memory follow when keep() is called.
class TextKeyChange {
 public:
  explicit TextKeyChange(TextKeys& keys) : keys_(&keys) {}
  // A slot with a new key.
  [[nodiscard]] std::uint64_t take(RandomSource& random);
  [[nodiscard]] const TextKey& key(std::uint64_t slot) const { return changed_.at(slot); }
  void erase(std::uint64_t slot);
  // Writes the blocks that have changed.
  [[nodiscard]] Status write(const Database& database) const;
  void keep();

 private:
  [[nodiscard]] std::vector<std::byte> block(std::size_t number) const;

  TextKeys* keys_;
  std::map<std::uint64_t, TextKey> changed_;
  std::size_t taken_ = 0;  // of the free slots, from the end
  std::size_t added_ = 0;  // slots behind those of memory
  std::vector<std::uint64_t> erased_;
};

}  // namespace unscatter
