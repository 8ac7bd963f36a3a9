// Small zip archives and NumPy arrays, made while a test runs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace unscatter::testing {

enum class ZipMethod { kStored, kDeflate };

// Name and content, in order.
using ArchiveMembers = std::vector<std::pair<std::string, std::string>>;

// The bytes of a zip archive.
[[nodiscard]] std::string make_zip(const ArchiveMembers& members, ZipMethod method = ZipMethod::kDeflate);

// The same, with every member encrypted (traditional PKWARE encryption).
[[nodiscard]] std::string make_encrypted_zip(const ArchiveMembers& members, const std::string& passphrase);

// The bytes of a .npy file: `type` as NumPy spells it, `shape` in Python's syntax ("(3, 2)").
[[nodiscard]] std::string make_npy(std::string_view type, std::string_view shape, std::string_view content);

// The little-endian bytes of `values`, for make_npy().
template <typename T>
[[nodiscard]] std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace unscatter::testing
