// Everything that is known about the Hessians of all classes,
//
//   H_k = Z^T D_k Z + ridge I,   D_k = diag(l''(margins of class k)),
//
// and the one owner of it.  Training and unlearning share it.  It holds, each only where somebody asked for it:
//
//   * C = Z^T Z or G = Z Z^T, which depend on rows alone (curvature_form.h);
//   * an inverse per class, which steps and preconditions (kept_inverses.h);
//   * a factor per class, which preconditions a system that has changed little;
//   * the fast factor, which bounds residuals without a look at other rows (fast_factor.h).
//
// Rows change one at a time, by replace_row().  Each of these follows when it is used the next time.
//
// What it holds decides how fast a result is found, never whether it is right: what comes out of a descent was
// evaluated, and the bound of the fast factor accounts for all that its numbers went through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "learn/anchored_rows.h"
#include "learn/curvature_cost.h"
#include "learn/curvature_form.h"
#include "learn/descent.h"
#include "learn/fast_factor.h"
#include "learn/kept_inverses.h"
#include "learn/unseen_rows.h"
#include "linalg/conjugate_gradients.h"
#include "unscatter/base/result.h"
#include "unscatter/learn/objective.h"
#include "unscatter/learn/train.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

struct CurvatureOptions {
  bool keep_factors = false;
  // For everything that is kept, in bytes.  Inverses and factors may take a quarter each, the fast factor (which has a
  // matrix beside every inverse) a half.  What would take more is not kept.
  std::size_t memory_limit = std::size_t{1} << 31;
};

// Movable.  Not thread-safe.
class Curvature {
 public:
  explicit Curvature(HessianForm form, const CurvatureOptions& options = {});

  [[nodiscard]] HessianForm form() const noexcept { return form_->kind(); }

  // Row i, among all rows where ranks share them, was `before` and is something else now, or its label was
  // `label_before` (nothing: the label stays).
  void replace_row(std::size_t i, const BlockRow& before, std::optional<std::uint32_t> label_before = {});
  // There are `rows` rows now, here where ranks share them, and `of_all` with those of the others.  Those that are new
  // are still empty.  Those at the end that are gone were empty, and commit_rows() has seen that.
  void resize_rows(std::size_t rows, const Loss& loss, double ridge, std::optional<std::size_t> of_all = {});
  // The ridge of a state between two updates.  The fast factor's bound has to know the largest one since its anchor.
  void note_ridge(double ridge) noexcept;
  // The changes are in force and their old rows must be gone.  Inverses that have not followed are dropped: whoever
  // came this far without them does not need them soon.  Factors, which only say where an iteration begins, stay.
  void commit_rows(const Objective& objective) noexcept;
  // Overwrites and forgets everything.
  void wipe() noexcept;

  // Newton systems, solved exactly.  Column c: H^-1 right_sides.col(c), H that of class classes[c] with
  // curvatures.col(c).  Solutions agree to about 1e-12 whether a kept factor or a new one was used.  Errors: as
  // RegularisedHessian.
  [[nodiscard]] Result<Matrix> solve(const Objective& objective, std::span<const std::size_t> classes,
                                     const Matrix& curvatures, const Matrix& right_sides);
  // The same for all classes of the objective, in order.
  [[nodiscard]] Result<Matrix> solve(const Objective& objective, const Matrix& curvatures, const Matrix& right_sides);

  // Inverses.
  [[nodiscard]] bool has_inverses() const noexcept { return kept_.ready(); }
  // At `curvatures`.  False, and there are none, where a Hessian is not positive definite at working precision or where
  // they would take more memory than they may.
  [[nodiscard]] bool build_inverses(const Objective& objective, const Matrix& curvatures);
  // Makes the inverses those of the present rows: by folding in the rows that changed, with curvatures at `weights`, or
  // by building them there.  False if there are none to be had.
  [[nodiscard]] bool refresh_inverses(const Objective& objective, const Matrix& weights);
  void drop_inverses() noexcept;
  // Chord steps from `start`, where the gradient is about `gradient`, until the computed gradient reaches the goal.
  // Nothing if that is not reached; the inverses are then dropped.  Renews them at the end where that is due
  // (RenewalAccount).
  [[nodiscard]] std::optional<Descent> descend(const Objective& objective, const Matrix& start, const Matrix& gradient,
                                               const DescentGoal& goal);
  // How an update is cheapest.  Inverses may have to be built for it.  `left` updates are to come, this one included;
  // 0: many.
  enum class Way {
    kInverses,  // chord steps: refresh_inverses() and descend()
    kRows,      // passes over the rows: descend_by_rows()
    kFactors,   // Newton steps with a new factor each: newton_descent()
  };
  [[nodiscard]] Way cheapest_way(const Objective& objective, std::size_t left) const;
  // descend() by passes over the rows (row_descent.h).  Matrices of rows are dropped: they would have to follow.
  [[nodiscard]] std::optional<Descent> descend_by_rows(const Objective& objective, const Matrix& start,
                                                       const Matrix& gradient, const DescentGoal& goal);
  // Whether matrices that cost as much as inverses pay over the `left` updates to come; 0: many.
  [[nodiscard]] bool pays_over(const Objective& objective, std::size_t left) const;
  // solve() by conjugate gradients that the inverses precondition.  Nothing if some relative residual does not fall
  // below `relative_residual` soon; the inverses are then dropped.  Asked for all classes in order, it renews them as
  // descend() does.
  [[nodiscard]] std::optional<Matrix> solve_by_inverses(const Objective& objective,
                                                        std::span<const std::size_t> classes, const Matrix& curvatures,
                                                        const Matrix& right_sides, double relative_residual);
  // The same iteration as far as it comes in `most_iterations`.  Renews and drops nothing.
  [[nodiscard]] ConjugateGradients iterate(const Objective& objective, std::span<const std::size_t> classes,
                                           const Matrix& curvatures, const Matrix& right_sides,
                                           double relative_residual, std::size_t most_iterations) const;
  [[nodiscard]] CurvatureCost cost(const Objective& objective) const { return form_->cost(objective); }
  // Whether training by inexact steps pays with what is at hand.
  [[nodiscard]] bool trains_inexactly() const noexcept {
    return has_inverses() || form_->trains_inexactly_from_nothing();
  }

  // At least |Z|.
  [[nodiscard]] double spectral_norm_upper_bound(const Objective& objective);

  // The fast factor, following the present rows.  Null if there is none, or if following broke it.
  [[nodiscard]] FastFactor* fast(const Objective& objective);
  // The same, and `step` becomes its step of all classes from `weights`.  An update of one row then reads every matrix
  // once.  `may_leave` as in FastFactor::replace_row().
  [[nodiscard]] FastFactor* fast(const Objective& objective, const Matrix& right_sides, const Matrix& weights,
                                 FastFactor::Step& step, double may_leave = 0);
  [[nodiscard]] bool has_fast() const noexcept { return fast_.has_value(); }
  // Whether it has followed all rows that changed.
  [[nodiscard]] bool has_followed() const noexcept { return unseen_.empty(); }
  [[nodiscard]] const FastFactor* fast_as_it_is() const noexcept { return fast_ ? &*fast_ : nullptr; }
  // One that was kept outside; nothing happens where it does not fit.
  void restore_fast(const Objective& objective, KeptCurvature numbers) {
    drop_anchor();
    fast_ = FastFactor::restore(objective, std::move(numbers));
  }
  // Whether the next anchor() would anchor.
  [[nodiscard]] bool anchor_is_due() const noexcept { return schedule_.is_due(); }
  // Anchors the fast factor at `weights` if that is due.  If not, drops it, and one more update was waited for.
  void anchor(const Objective& objective, const Matrix& weights);
  // The same if the anchor there is has worn out.
  void renew_worn_anchor(const Objective& objective, const Matrix& weights);
  void drop_anchor() noexcept;
  // A step with the fast factor; see AnchorSchedule.
  void fast_step_taken(bool served, double usage) { schedule_.stepped(served, usage); }
  // Evaluates some classes at `weights`, where `step` of the fast factor has led: from the anchor where that is known
  // to a small share of `limit`, otherwise as the objective does.
  [[nodiscard]] Evaluation evaluate_fast_step(const Objective& objective, const Matrix& weights,
                                              const FastFactor::Step& step, std::span<const std::size_t> classes,
                                              double limit);
  // So many classes were evaluated after a step with the fast factor.
  void fast_step_evaluated(const Objective& objective, std::size_t classes);

  // How often inverses were built and systems factorised, for tests and reports.
  [[nodiscard]] std::size_t builds() const noexcept { return builds_; }
  [[nodiscard]] std::size_t factorisations() const noexcept { return factorisations_; }

 private:
  struct KeptFactor {
    Matrix factor;     // empty: none
    Vector curvature;  // what it was made with
  };

  // Brings everything up to the present rows that follows at once: C or G, and the fast factor.
  void follow(const Objective& objective) {
    follow(objective, [this](const BlockRow& before, const BlockRow& after, std::uint32_t label, std::uint32_t was) {
      return fast_->replace_row(before, after, label, was);
    });
  }
  // The same, where replace(before, after, label, label before) tells the fast factor of a row.
  using Replace = std::function<bool(const BlockRow&, const BlockRow&, std::uint32_t, std::uint32_t)>;
  void follow(const Objective& objective, const Replace& replace);
  // Whether so many matrices of `order` fit into a share of the memory, one of `shares`.
  [[nodiscard]] bool affords(std::size_t matrices, std::size_t order, std::size_t shares) const noexcept;
  [[nodiscard]] Result<Vector> solve_column(const Objective& objective, const Vector& curvature,
                                            const Vector& right_side, KeptFactor* kept, bool& factorised) const;

  std::unique_ptr<CurvatureForm> form_;
  CurvatureOptions options_;
  KeptInverses kept_;
  RenewalAccount renewal_;
  std::vector<KeptFactor> factors_;  // by class
  std::optional<FastFactor> fast_;
  std::optional<AnchoredRows> anchored_;  // of the anchor of fast_
  std::size_t looks_ = 0;                 // evaluations since that anchor
  AnchorSchedule schedule_;
  PassAccount passes_;
  UnseenRows unseen_;              // by what follows at once
  UnseenRows unseen_by_inverses_;  // empty if there are none
  std::size_t builds_ = 0;
  std::size_t factorisations_ = 0;
};

}  // namespace unscatter
