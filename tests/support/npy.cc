#include "support/npy.h"

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

#include "support/temporary_folder.h"

namespace unscatter::testing {

RowMatrix read_npy(const std::filesystem::path& path) {
  const std::string bytes = read_whole_file(path);
  // Strict and short: the reference files have exactly this form, and another one would be a mistake.
  if (bytes.size() < 10 || bytes.compare(0, 8, std::string("\x93NUMPY\x01\x00", 8)) != 0)
    throw std::runtime_error("not .npy 1.0");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  const std::size_t data = 10 + byte(8) + 256 * byte(9);
  const std::string header = bytes.substr(10, data - 10);
  const std::size_t shape = header.find("'shape': (");
  long rows = -1;
  long columns = -1;
  if (header.find("'descr': '<f8'") == std::string::npos ||
      header.find("'fortran_order': False") == std::string::npos || shape == std::string::npos ||
      std::sscanf(header.c_str() + shape, "'shape': (%ld, %ld)", &rows, &columns) != 2) {
    throw std::runtime_error("unexpected .npy header " + header);
  }
  RowMatrix matrix(rows, columns);
  const std::size_t size = static_cast<std::size_t>(matrix.size()) * sizeof(double);
  // A file that was cut must fail here.  A comparison with half a matrix would prove nothing.
  if (bytes.size() != data + size) throw std::runtime_error("wrong .npy size");
  if (matrix.size() > 0) std::memcpy(matrix.data(), bytes.data() + data, size);
  return matrix;
}

}  // namespace unscatter::testing
