// Arrays in the .npy form of NumPy: members of an .npz archive, or files of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/readers/byte_source.h"
#include "unscatter/base/progress.h"
#include "unscatter/base/result.h"

namespace unscatter::readers {

// The dictionary in front of every array.
struct NpyHeader {
  std::string type;  // as NumPy spells it: "<i4", "|u1", "<f2"
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

// Parses "{'descr': '<f2', 'fortran_order': False, 'shape': (12, 3), }", with keys in any order.  The error is a
// message without a place.
[[nodiscard]] Result<NpyHeader> parse_npy_header(std::string_view text);

// The bare bytes of a C-order array, little-endian.
struct NpyArray {
  std::vector<std::uint64_t> shape;
  std::vector<char> bytes;
};

// Reads `source` to its end.  It must be an array of `type`, with items of `item_bytes` bytes and `dimensions`
// dimensions.  Memory grows with the bytes that come, whatever the header claims.  Errors: kMalformedInput naming the
// source and what is wrong.
[[nodiscard]] Result<NpyArray> read_npy(ByteSource& source, std::string_view type, std::size_t item_bytes,
                                        std::size_t dimensions, Progress* progress);

// The same for an array of any type that read_rows() takes, C or Fortran order, with the items in the order of the
// file.
struct NpyNumbers {
  NpyHeader header;
  std::vector<char> bytes;
};
// `check` looks at the header before an array is read, and gives the number of bytes of an item.  Errors: those of
// `check`, with the source in front; kMalformedInput as above.
[[nodiscard]] Result<NpyNumbers> read_npy_numbers(ByteSource& source,
                                                  const std::function<Result<std::size_t>(const NpyHeader&)>& check,
                                                  Progress* progress);

// The IEEE half-precision number with these bits, exactly.  Infinity and NaN included.
[[nodiscard]] double half_to_double(std::uint16_t bits);

}  // namespace unscatter::readers
