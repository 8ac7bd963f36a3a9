// What ranks say to each other, as bytes.  Both ends are the same program on the same kind of machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/wipe.h"
#include "unscatter/base/invariant.h"

namespace unscatter::cluster {

class ByteWriter {
 public:
  void number(std::uint64_t value) { raw(std::as_bytes(std::span(&value, 1))); }
  void text(std::string_view value) {
    number(value.size());
    raw(std::as_bytes(std::span(value)));
  }
  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void numbers(std::span<const T> values) {
    number(values.size());
    raw(std::as_bytes(values));
  }
  // Room for so many bytes in all: a long message should not be copied while it grows.
  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
  [[nodiscard]] const std::vector<std::byte>& bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::vector<std::byte>& bytes() noexcept { return bytes_; }

 private:
  void raw(std::span<const std::byte> more) { bytes_.insert(bytes_.end(), more.begin(), more.end()); }
  std::vector<std::byte> bytes_;
};

// A message that ends too early is a broken invariant.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}
  [[nodiscard]] std::uint64_t number() {
    std::uint64_t value = 0;
    std::memcpy(&value, take(sizeof(value)).data(), sizeof(value));
    return value;
  }
  [[nodiscard]] std::string text() {
    const std::span<const std::byte> part = take(number());
    return {reinterpret_cast<const char*>(part.data()), part.size()};
  }
  template <typename T>
  requires std::is_trivially_copyable_v<T>
  [[nodiscard]] std::vector<T> numbers() {
    const std::uint64_t count = number();
    invariant(count <= rest_.size() / sizeof(T), "a message ends where it says");
    const std::span<const std::byte> part = take(count * sizeof(T));
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), part.data(), part.size());
    return values;
  }
  [[nodiscard]] std::span<const std::byte> part() { return take(number()); }
  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }

 private:
  std::span<const std::byte> take(std::uint64_t count) {
    invariant(count <= rest_.size(), "a message ends where it says");
    const std::span<const std::byte> part = rest_.first(count);
    rest_ = rest_.subspan(count);
    return part;
  }
  std::span<const std::byte> rest_;
};

}  // namespace unscatter::cluster
