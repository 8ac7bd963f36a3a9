#include "embedding/npy.h"

#include <fmt/format.h>

#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace unscatter {
namespace {

static_assert(std::endian::native == std::endian::little, "rows are written as they lie in memory");

// Equally long for all shapes, so that it can be written anew when the number of rows is known.
std::string npy_header(std::size_t rows, std::size_t columns) {
  // Data begin at a multiple of 64.  Magic, version and length take 10 bytes.
  constexpr std::size_t kBytes = 128;
  std::string dictionary =
      fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
  dictionary.resize(kBytes - 10 - 1, ' ');
  dictionary += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(dictionary.size() & 0xff);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

}  // namespace

Result<NpyFile> NpyFile::create(const std::filesystem::path& path, std::size_t columns) {
  UNSCATTER_TRY(file, ReplacingFile::create(path));
  UNSCATTER_CHECK_OK(file.write(npy_header(0, columns)));
  return NpyFile(std::move(file), columns);
}

Status NpyFile::append(const SparseBlockRows& rows) {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    // One dense row at a time: the whole matrix may be a hundred times as large as what is stored.
    rows.copy_row(i, dense_);
    UNSCATTER_CHECK_OK(
        file_.write(std::string_view(reinterpret_cast<const char*>(dense_.data()), dense_.size() * sizeof(double))));
  }
  rows_ += rows.rows();
  return ok_status();
}

Status NpyFile::commit() {
  UNSCATTER_CHECK_OK(file_.overwrite_start(npy_header(rows_, dense_.size())));
  return file_.commit();
}

}  // namespace unscatter
