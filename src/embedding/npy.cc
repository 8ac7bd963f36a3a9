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

std::string npy_header(std::size_t rows, std::size_t columns) {
  std::string dictionary =
      fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
  // Magic, version and length take 10 bytes.  The format asks for a header that ends in a newline at a multiple of 64.
  while ((10 + dictionary.size() + 1) % 64 != 0) dictionary += ' ';
  dictionary += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(dictionary.size() & 0xff);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

}  // namespace

Status write_npy(const SparseBlockRows& rows, const std::filesystem::path& path) {
  UNSCATTER_TRY(file, ReplacingFile::create(path));
  UNSCATTER_CHECK_OK(file.write(npy_header(rows.rows(), rows.columns())));
  std::vector<double> dense(rows.columns());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    // One dense row at a time: the whole matrix may be a hundred times as large as what is stored.
    rows.copy_row(i, dense);
    UNSCATTER_CHECK_OK(
        file.write(std::string_view(reinterpret_cast<const char*>(dense.data()), dense.size() * sizeof(double))));
  }
  return file.commit();
}

}  // namespace unscatter
