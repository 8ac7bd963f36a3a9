#include "store/stored_curvature.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "base/wipe.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {
namespace {

using Eigen::Index;

// Less than a tenth of a second to read and to write.
constexpr std::size_t kSmallCurvature = std::size_t{1} << 25;
// One Hessian for all classes may be larger, where the rows are larger still.
constexpr std::size_t kLargestCurvature = std::size_t{1} << 27;
// Next to nothing, whatever the rows are.
constexpr std::size_t kTinyCurvature = std::size_t{1} << 23;

std::size_t triangle(std::size_t width) { return width * (width + 1) / 2; }

std::size_t bytes_of(const CurvatureShape& shape) {
  const std::size_t matrices = shape.one_for_all ? 1 : shape.classes + 1;
  return matrices * triangle(shape.width) * sizeof(double);
}

// The anchor and the numbers, then C, then the Hessian of every class.  Where one Hessian is that of all classes, it is
// there alone, without C.
enum class Piece : std::int64_t { kAnchor = 0, kSquare = 1, kFirstHessian = 2 };

std::int64_t piece_seal(std::span<const std::byte> content, std::int64_t piece, const Digest& data) {
  std::uint64_t seed = 0;
  std::memcpy(&seed, data.bytes.data(), sizeof(seed));
  return static_cast<std::int64_t>(checksum(content, seed + static_cast<std::uint64_t>(piece)));
}

// The lower triangle, column by column.
std::vector<double> lower_triangle(const Matrix& matrix) {
  std::vector<double> values;
  values.reserve(triangle(static_cast<std::size_t>(matrix.rows())));
  for (Index c = 0; c < matrix.cols(); ++c) {
    for (Index r = c; r < matrix.rows(); ++r) values.push_back(matrix(r, c));
  }
  return values;
}

Matrix from_lower_triangle(const std::vector<double>& values, std::size_t width) {
  const auto order = static_cast<Index>(width);
  Matrix matrix(order, order);
  const double* next = values.data();
  for (Index c = 0; c < order; ++c) {
    for (Index r = c; r < order; ++r) matrix(r, c) = matrix(c, r) = *next++;
  }
  return matrix;
}

Status write_piece(const Database& database, std::int64_t piece, std::vector<double> values, const Digest& data) {
  Statement statement = database.prepare("INSERT OR REPLACE INTO curvature(piece, content, seal) VALUES(?, ?, ?)");
  const auto content = std::as_bytes(std::span(values));
  statement.bind(1, piece).bind(2, content).bind(3, piece_seal(content, piece, data));
  Status status = statement.run();
  wipe(values);
  return status;
}

Result<std::optional<std::vector<double>>> read_piece(const Database& database, std::int64_t piece, std::size_t count,
                                                      const Digest& data) {
  Statement statement = database.prepare("SELECT content, seal FROM curvature WHERE piece = ?");
  statement.bind(1, piece);
  UNSCATTER_TRY(found, statement.step());
  if (!found) return std::optional<std::vector<double>>();
  UNSCATTER_TRY(content, statement.blob_view(0));
  UNSCATTER_TRY(seal, statement.integer(1));
  if (content.size() != count * sizeof(double) || seal != piece_seal(content, piece, data)) {
    return std::optional<std::vector<double>>();
  }
  std::vector<double> values(count);
  std::memcpy(values.data(), content.data(), content.size());
  return std::optional(std::move(values));
}

constexpr std::size_t kScalars = 6;

}  // namespace

bool may_keep(const CurvatureShape& shape) {
  return shape.width <= 4096 && bytes_of(shape) <= (shape.one_for_all ? kLargestCurvature : kSmallCurvature);
}

bool worth_keeping(const CurvatureShape& shape, std::size_t row_bytes) {
  return may_keep(shape) && (!shape.one_for_all || bytes_of(shape) <= std::max(kTinyCurvature, row_bytes / 8));
}

Status write_curvature(const Database& database, const std::optional<KeptCurvature>& curvature, const Digest& data) {
  // Whatever is there is of another state.
  UNSCATTER_CHECK_OK(database.run("DELETE FROM curvature"));
  if (!curvature) return ok_status();
  const Matrix& anchor = curvature->anchor;
  std::vector<double> numbers{curvature->ridge,    curvature->spectral_square, curvature->frobenius_square,
                              curvature->row_norm, curvature->roundings,       curvature->largest_ridge};
  numbers.insert(numbers.end(), anchor.data(), anchor.data() + anchor.size());
  UNSCATTER_CHECK_OK(write_piece(database, static_cast<std::int64_t>(Piece::kAnchor), std::move(numbers), data));
  if (curvature->square.size() != 0) {
    UNSCATTER_CHECK_OK(
        write_piece(database, static_cast<std::int64_t>(Piece::kSquare), lower_triangle(curvature->square), data));
  }
  auto piece = static_cast<std::int64_t>(Piece::kFirstHessian);
  for (const Matrix& hessian : curvature->hessians) {
    UNSCATTER_CHECK_OK(write_piece(database, piece++, lower_triangle(hessian), data));
  }
  return ok_status();
}

Result<std::optional<KeptCurvature>> read_curvature(const Database& database, const CurvatureShape& shape,
                                                    const Digest& data) {
  const std::optional<KeptCurvature> none;
  const std::size_t width = shape.width;
  const std::size_t classes = shape.classes;
  KeptCurvature curvature;
  UNSCATTER_TRY(numbers,
                read_piece(database, static_cast<std::int64_t>(Piece::kAnchor), kScalars + width * classes, data));
  if (!numbers) return none;
  curvature.ridge = (*numbers)[0];
  curvature.spectral_square = (*numbers)[1];
  curvature.frobenius_square = (*numbers)[2];
  curvature.row_norm = (*numbers)[3];
  curvature.roundings = (*numbers)[4];
  curvature.largest_ridge = (*numbers)[5];
  curvature.anchor.resize(static_cast<Index>(width), static_cast<Index>(classes));
  std::copy(numbers->begin() + kScalars, numbers->end(), curvature.anchor.data());
  if (!shape.one_for_all) {
    UNSCATTER_TRY(square, read_piece(database, static_cast<std::int64_t>(Piece::kSquare), triangle(width), data));
    if (!square) return none;
    curvature.square = from_lower_triangle(*square, width);
    wipe(*square);
  }
  for (std::size_t k = 0; k < (shape.one_for_all ? 1 : classes); ++k) {
    const auto piece = static_cast<std::int64_t>(Piece::kFirstHessian) + static_cast<std::int64_t>(k);
    UNSCATTER_TRY(hessian, read_piece(database, piece, triangle(width), data));
    if (!hessian) return none;
    curvature.hessians.push_back(from_lower_triangle(*hessian, width));
    wipe(*hessian);
  }
  return std::optional(std::move(curvature));
}

}  // namespace unscatter
