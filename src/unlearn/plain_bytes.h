// Values as bytes, for ranks of one job.  Both ends are the same program on the same kind of machine, so numbers go as
// they lie in memory.  Sizes are checked all the same: a message that does not fit is an error and never a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

// What a reader throws.
class MalformedMessage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class PlainWriter {
 public:
  template <typename Number>
  requires(std::is_arithmetic_v<Number> || std::is_enum_v<Number>) void put(Number number) {
    put_all(std::span<const Number>(&number, 1));
  }
  template <typename Number>
  requires(std::is_arithmetic_v<Number> || std::is_enum_v<Number>) void put(const std::optional<Number>& number) {
    put(number.has_value());
    if (number) put(*number);
  }
  template <typename Number>
  requires std::is_trivially_copyable_v<Number>
  void put(const std::vector<Number>& numbers) {
    put(static_cast<std::uint64_t>(numbers.size()));
    put_all(std::span<const Number>(numbers));
  }
  void put(const std::string& text) {
    put(static_cast<std::uint64_t>(text.size()));
    put_all(std::span<const char>(text));
  }
  void put(const BlockRow& row) {
    put(row.segments);
    put(row.values);
  }
  void put(const Matrix& matrix) {
    put(static_cast<std::uint64_t>(matrix.rows()));
    put(static_cast<std::uint64_t>(matrix.cols()));
    put_all(std::span<const double>(matrix.data(), static_cast<std::size_t>(matrix.size())));
  }

  [[nodiscard]] std::vector<std::byte>& bytes() noexcept { return bytes_; }

 private:
  template <typename Number>
  void put_all(std::span<const Number> numbers) {
    const auto bytes = std::as_bytes(numbers);
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }

  std::vector<std::byte> bytes_;
};

class PlainReader {
 public:
  explicit PlainReader(std::span<const std::byte> bytes) : left_(bytes) {}

  template <typename Number>
  requires(std::is_arithmetic_v<Number> || std::is_enum_v<Number>) void get(Number& number) {
    if constexpr (std::is_same_v<Number, bool>) {
      // Any other byte would be no bool at all.
      const auto byte = get<unsigned char>();
      if (byte > 1) throw MalformedMessage("it has something between yes and no");
      number = byte == 1;
    } else {
      get_all(std::span<Number>(&number, 1));
    }
  }
  template <typename Number>
  requires(std::is_arithmetic_v<Number> || std::is_enum_v<Number>) void get(std::optional<Number>& number) {
    number.reset();
    if (get<bool>()) number = get<Number>();
  }
  template <typename Number>
  requires std::is_trivially_copyable_v<Number>
  void get(std::vector<Number>& numbers) {
    numbers.resize(count(sizeof(Number)));
    get_all(std::span<Number>(numbers));
  }
  void get(std::string& text) {
    text.resize(count(1));
    get_all(std::span<char>(text));
  }
  void get(BlockRow& row) {
    get(row.segments);
    get(row.values);
  }
  void get(Matrix& matrix) {
    const auto rows = get<std::uint64_t>();
    const auto columns = get<std::uint64_t>();
    // By division, because a product could overflow.
    const std::size_t room = left_.size() / sizeof(double);
    if (columns != 0 && rows > room / columns) throw MalformedMessage("it ends within a matrix");
    constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
    if (rows > kMost || columns > kMost) throw MalformedMessage("it has a matrix without bounds");
    matrix.resize(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
    get_all(std::span<double>(matrix.data(), static_cast<std::size_t>(matrix.size())));
  }
  template <typename Value>
  [[nodiscard]] Value get() {
    Value value{};
    get(value);
    return value;
  }
  // A value of an enumeration whose last one is `last`.
  template <typename Choice>
  void get_choice(Choice& choice, Choice last) {
    get(choice);
    if (choice < Choice{} || choice > last) throw MalformedMessage("it has a choice that does not exist");
  }
  void require_end() const {
    if (!left_.empty()) throw MalformedMessage("it goes on after its end");
  }

 private:
  [[nodiscard]] std::size_t count(std::size_t size) {
    const auto count = get<std::uint64_t>();
    if (count > left_.size() / size) throw MalformedMessage("it ends within a list");
    return static_cast<std::size_t>(count);
  }
  template <typename Number>
  void get_all(std::span<Number> numbers) {
    const auto bytes = std::as_writable_bytes(numbers);
    if (bytes.size() > left_.size()) throw MalformedMessage("it ends too early");
    if (!bytes.empty()) std::memcpy(bytes.data(), left_.data(), bytes.size());
    left_ = left_.subspan(bytes.size());
  }

  std::span<const std::byte> left_;
};

}  // namespace unscatter
