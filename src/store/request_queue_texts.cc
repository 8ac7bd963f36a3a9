#include "store/request_queue_texts.h"

#include <sodium.h>

#include <cstring>
#include <set>

#include "base/wipe.h"
#include "store/request_queue_rows.h"

namespace unscatter {
namespace {

constexpr std::array<unsigned char, crypto_secretbox_NONCEBYTES> kNonce{};

}  // namespace

std::vector<std::byte> encipher(std::string_view text, const TextKey& key) {
  static_assert(sizeof(key.bytes) == crypto_secretbox_KEYBYTES);
  std::vector<std::byte> cipher(text.size() + crypto_secretbox_MACBYTES);
  crypto_secretbox_easy(reinterpret_cast<unsigned char*>(cipher.data()),
                        reinterpret_cast<const unsigned char*>(text.data()), text.size(), kNonce.data(),
                        key.bytes.data());
  return cipher;
}

std::optional<std::string> decipher(std::span<const std::byte> text, const TextKey& key) {
  if (text.size() < crypto_secretbox_MACBYTES) return std::nullopt;
  std::string plain(text.size() - crypto_secretbox_MACBYTES, '\0');
  const int opened = crypto_secretbox_open_easy(reinterpret_cast<unsigned char*>(plain.data()),
                                                reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                                                kNonce.data(), key.bytes.data());
  if (opened != 0) return std::nullopt;
  return plain;
}

Result<TextKeys> TextKeys::read(const Database& database) {
  TextKeys keys;
  Statement statement = database.prepare("SELECT block, keys FROM queue_text_keys ORDER BY block");
  for (std::int64_t expected = 0;; ++expected) {
    UNSCATTER_TRY(more, statement.step());
    if (!more) break;
    UNSCATTER_TRY(block, statement.integer(0));
    UNSCATTER_TRY(bytes, statement.blob_view(1));
    if (block != expected || bytes.size() != kKeysOfBlock * sizeof(TextKey)) {
      return damaged_queue("the keys of the queue are not those that were written");
    }
    const std::size_t first = keys.keys_.size();
    keys.keys_.resize(first + kKeysOfBlock);
    std::memcpy(&keys.keys_[first], bytes.data(), bytes.size());
  }
  for (std::size_t slot = keys.keys_.size(); slot > 0; --slot) {
    if (keys.keys_[slot - 1] == TextKey{}) keys.free_.push_back(slot - 1);
  }
  return keys;
}

Result<TextKey> TextKeys::key(std::uint64_t slot) const {
  if (slot >= keys_.size() || keys_[slot] == TextKey{}) {
    return damaged_queue("the key of a text in the queue is missing");
  }
  return keys_[slot];
}

std::uint64_t TextKeyChange::take(RandomSource& random) {
  std::uint64_t slot = 0;
  if (taken_ < keys_->free_.size()) {
    slot = keys_->free_[keys_->free_.size() - ++taken_];
  } else {
    slot = keys_->keys_.size() + added_++;
  }
  TextKey key;
  do {
    random.fill(std::as_writable_bytes(std::span(key.bytes)));
  } while (key == TextKey{});
  changed_[slot] = key;
  return slot;
}

void TextKeyChange::erase(std::uint64_t slot) {
  changed_[slot] = TextKey{};
  erased_.push_back(slot);
}

std::vector<std::byte> TextKeyChange::block(std::size_t number) const {
  constexpr std::size_t kKeys = TextKeys::kKeysOfBlock;
  std::vector<TextKey> keys(kKeys);
  const std::size_t first = number * kKeys;
  for (std::size_t i = 0; i < kKeys && first + i < keys_->keys_.size(); ++i) keys[i] = keys_->keys_[first + i];
  for (auto change = changed_.lower_bound(first); change != changed_.end() && change->first < first + kKeys; ++change) {
    keys[change->first - first] = change->second;
  }
  const auto bytes = std::as_bytes(std::span(keys));
  std::vector<std::byte> content(bytes.begin(), bytes.end());
  wipe(std::as_writable_bytes(std::span(keys)));
  return content;
}

Status TextKeyChange::write(const Database& database) const {
  std::set<std::size_t> blocks;
  for (const auto& [slot, key] : changed_) blocks.insert(slot / TextKeys::kKeysOfBlock);
  const std::size_t present = keys_->keys_.size() / TextKeys::kKeysOfBlock;
  for (const std::size_t number : blocks) {
    std::vector<std::byte> content = block(number);
    // UPDATE and not REPLACE, which would take the row out first.
    const Status written = database
                               .prepare(number < present ? "UPDATE queue_text_keys SET keys = ?2 WHERE block = ?1"
                                                         : "INSERT INTO queue_text_keys(block, keys) VALUES(?1, ?2)")
                               .bind(1, static_cast<std::int64_t>(number))
                               .bind(2, std::span<const std::byte>(content))
                               .run();
    wipe(content);
    UNSCATTER_CHECK_OK(written);
  }
  return ok_status();
}

void TextKeyChange::keep() {
  std::vector<TextKey>& keys = keys_->keys_;
  std::vector<std::uint64_t>& free = keys_->free_;
  free.resize(free.size() - taken_);
  if (added_ > 0) {
    const std::size_t before = keys.size();
    const std::size_t blocks = (added_ + TextKeys::kKeysOfBlock - 1) / TextKeys::kKeysOfBlock;
    std::vector<TextKey> grown(before + blocks * TextKeys::kKeysOfBlock);
    std::copy(keys.begin(), keys.end(), grown.begin());
    wipe(std::as_writable_bytes(std::span(keys)));
    keys = std::move(grown);
    for (std::size_t slot = keys.size(); slot > before + added_; --slot) free.push_back(slot - 1);
  }
  for (const auto& [slot, key] : changed_) keys[slot] = key;
  free.insert(free.end(), erased_.begin(), erased_.end());
}

}  // namespace unscatter
