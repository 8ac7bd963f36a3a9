// Gradients from what is known at an anchor, and one pass over rows in single precision (docs/theory.md, "An evaluation
// from the anchor").
//
// With x = w - w_s, s_i the signed margins at the anchor and e_i = s_ik z_i.x, the gradient of a class at w is
//
//   g_s + (ridge - ridge_g) w_s  +  A x + (ridge - ridge_s) x  +  sum_i s_ik r_i z_i,
//   r_i = l'(s_i + e_i) - l'(s_i) - l''(s_i) e_i.
//
// The gradient g_s at the anchor and the margins there are computed once and follow every edited row.  A x is what the
// fast factor knows.  Only the last sum looks at all rows.  Its factors are of second order in x: where they are known
// to a few digits, the gradient is known to many.  So half the bytes and half the lanes of a plain evaluation are
// enough, and the error of what was left out is bounded like every other rounding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "unscatter/learn/objective.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

// A (w - w_s) + (ridge - ridge_s) (w - w_s) as computed, one column per class that was asked for, and how far each may
// be from the true one; errs high.
struct AnchoredProduct {
  Matrix columns;
  Vector error;
};

class AnchoredRows {
 public:
  // Whether rows are so full that a copy with all their zeros pays, and curvature is not constant.
  [[nodiscard]] static bool pay(const Objective& objective);
  // What it takes, in numbers of double precision.
  [[nodiscard]] static std::size_t numbers(const Objective& objective);

  // Copies the rows, and evaluates all classes at `anchor`.
  AnchoredRows(const Objective& objective, const Matrix& anchor);
  AnchoredRows(const AnchoredRows&) = delete;
  AnchoredRows& operator=(const AnchoredRows&) = delete;
  AnchoredRows(AnchoredRows&&) = default;
  AnchoredRows& operator=(AnchoredRows&&) = default;
  ~AnchoredRows() { wipe(); }

  // The rows that are here, and with those of other ranks where ranks share them.
  [[nodiscard]] std::size_t rows() const noexcept { return static_cast<std::size_t>(margins_.rows()); }
  [[nodiscard]] std::size_t total_rows() const noexcept { return total_rows_; }
  // Row i was `before` with the label `label_before`.  Nothing: another rank has the row.
  void replace_row(std::optional<std::size_t> i, const BlockRow& before, const BlockRow& after, std::uint32_t label,
                   std::uint32_t label_before);

  // As Objective::evaluate(), but for the last digits, and within a larger bound on them.  `objective` has the present
  // rows.  `product` is that of `weights`.
  //
  // Where ranks share the rows they take turns with m = 2 (s K + 3 K + 4) numbers for K classes, s being the width
  // rounded up to whole lanes (row_share.h).
  [[nodiscard]] Evaluation evaluate(const Objective& objective, const Matrix& weights, const AnchoredProduct& product,
                                    std::span<const std::size_t> classes) const;

  // Overwrites everything, which is made of rows.  The object is then good for nothing.
  void wipe() noexcept;

 private:
  // Sums over rows that a bound needs: of one class, and of all.
  struct ClassSums {
    double remainder = 0;  // |r_i| |z_i|
    double curved = 0;     // |l''(s_i + e_i) - l''(s_i)| |z_i|^2
    double moved = 0;      // |e_i| |z_i|
  };
  struct RowSums {
    double lengths = 0;  // |z_i|
    double squares = 0;
    double cubes = 0;
    double longest = 0;
  };
  struct Part;
  // Adds the rows [begin, end), which lie in one part, to `part`.
  void add_rows(const Objective& objective, std::size_t begin, std::size_t end, std::span<const std::size_t> classes,
                const Eigen::MatrixXf& moves, const Vector& scales, Part& part) const;
  // The sum of all parts.
  [[nodiscard]] Part sum_of_parts(const Objective& objective, std::span<const std::size_t> classes,
                                  const Eigen::MatrixXf& moves, const Vector& scales) const;
  void add_block(const Objective& objective, std::size_t first, std::size_t last, std::span<const std::size_t> classes,
                 const Eigen::MatrixXf& moves, const Vector& scales, Part& part) const;
  // How far the computed sum of s_ik r_i z_i may be from the true one, for a class.
  [[nodiscard]] double remainder_error(const ClassSums& sums, const RowSums& of_rows, double move, double anchor) const;
  void copy_row(const BlockRow& row, std::size_t i);

  Loss loss_;
  Matrix anchor_;       // w_s
  double ridge_;        // ridge_g
  Matrix gradient_;     // g_s, with ridge_g w_s and without a perturbation
  Vector uncertainty_;  // how far a column may be from the true one
  std::size_t total_rows_;
  std::size_t stride_;
  std::vector<float> values_;  // rows of `stride_` numbers
  Matrix margins_;             // s_i, one column per class
  Matrix slopes_;
  Matrix curvatures_;
};

}  // namespace unscatter
