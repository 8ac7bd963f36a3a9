// Overwrites what must not stay in memory.  A freed block keeps its bytes until somebody else writes there.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace unscatter {

// Writes zeros that the compiler may not optimise away.
void wipe(std::span<std::byte> bytes) noexcept;

// Zeroes everything that the vector has room for, spare capacity included, and leaves it empty.
template <typename T>
requires std::is_trivially_copyable_v<T>
void wipe(std::vector<T>& values) noexcept {
  values.resize(values.capacity());
  wipe(std::as_writable_bytes(std::span(values)));
  values.clear();
}

void wipe(std::string& text) noexcept;
void wipe(std::vector<std::string>& texts) noexcept;

}  // namespace unscatter
