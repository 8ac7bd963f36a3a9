// Rows, weights and residual: the numerical half of a session, and the ladder (ladder.cc).  Knows no graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "unlearn/charge.h"
#include "unlearn/fast_factor.h"
#include "unlearn/limit.h"
#include "unlearn/row_square.h"
#include "unscatter/base/random.h"
#include "unscatter/base/result.h"
#include "unscatter/learn/kept_hessians.h"
#include "unscatter/learn/newton_system.h"
#include "unscatter/learn/objective.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"
#include "unscatter/unlearn/certificate.h"
#include "unscatter/unlearn/session_options.h"

namespace unscatter {

// The outcome of training or of an update, not yet in force.
struct Fit {
  Matrix weights;
  Vector residuals;                               // per class, an upper bound on |grad L_b|
  ResidualBound binding = ResidualBound::kExact;  // which bound `residuals` is
  std::optional<Matrix> perturbation;             // fresh, after a training with the objective mechanism
  Assessment assessment;
  ResidualBounds bounds;
  Rung rung = Rung::kRetrain;
  std::size_t newton_steps = 0;
};

class Learner {
 public:
  // Trains.  Errors as Session::create().
  [[nodiscard]] static Result<Learner> create(SparseBlockRows rows, std::vector<std::uint32_t> labels,
                                              std::size_t classes, const SessionOptions& options, RandomSource& noise);

  // As one stood: rows without values are graphs that went.  `fit` carries weights, residuals, binding and
  // perturbation. Errors: kMalformedInput (sizes, numbers that are not finite), those of Limit::create().
  [[nodiscard]] static Result<Learner> restore(SparseBlockRows rows, std::vector<std::uint32_t> labels,
                                               std::size_t classes, std::size_t living, const SessionOptions& options,
                                               Fit fit);

  [[nodiscard]] const SparseBlockRows& rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t living() const noexcept { return living_; }
  [[nodiscard]] const Fit& fit() const noexcept { return fit_; }
  [[nodiscard]] const Matrix* perturbation() const noexcept {
    return fit_.perturbation ? &*fit_.perturbation : nullptr;
  }
  [[nodiscard]] const Limit& limit() const noexcept { return limit_; }

  // The present weights' residual, evaluated now.  Lower: the computed norms less what rounding may have added.
  [[nodiscard]] EvaluatedResidual evaluate() const;

  // An update in two phases.  begin() puts the `after` rows in place and climbs the ladder; then either commit(), which
  // makes the fit the present one and overwrites the old rows, or rollback(), which puts them back.  An error of
  // begin() has rolled back already.
  [[nodiscard]] Result<Fit> begin(std::vector<RowChange>& changes, RandomSource& noise);
  void commit(std::vector<RowChange>& changes, Fit&& fit) noexcept;
  void rollback(std::vector<RowChange>& changes) noexcept;

 private:
  Learner(SparseBlockRows rows, std::vector<std::uint32_t> labels, std::size_t classes, const SessionOptions& options,
          const Limit& limit);

  [[nodiscard]] Objective objective(std::size_t living, const Matrix* perturbation) const;
  // |gradient| of every class plus its rounding envelope.
  [[nodiscard]] static Vector evaluated_residuals(const Objective& objective, const Evaluation& evaluation);
  [[nodiscard]] Assessment assess(const Objective& objective, const Fit& fit) const;

  // Each tries to make `fit` satisfy the guarantee; whether it does is in fit.assessment.
  [[nodiscard]] bool fast_step(const Objective& after, std::span<const RowChange> changes, const GradientChange& change,
                               Matrix& gradient, Fit& fit);
  [[nodiscard]] Status newton_step(const Objective& after, std::span<const RowChange> changes,
                                   const GradientChange& change, std::size_t living, Fit& fit);
  // Makes the kept inverses those of the present rows, by changing or by building them.  False if there are none to be
  // had.
  [[nodiscard]] bool refresh_kept(const Objective& after, std::span<const RowChange> changes, const Matrix& weights);
  // Steps with kept inverses from where the fit stands, with a gradient of about `gradient`.  False if they did not get
  // there; fit is then as it was.
  [[nodiscard]] bool chord_steps(const Objective& after, std::span<const RowChange> changes, const Matrix& gradient,
                                 Fit& fit);
  void polish(const Objective& after, Fit& fit);
  [[nodiscard]] Result<Matrix> train_anew(const Objective& after);
  [[nodiscard]] Result<Fit> retrain(std::size_t living, RandomSource& noise);
  [[nodiscard]] Result<Fit> climb(std::span<const RowChange> changes, std::size_t living, RandomSource& noise);

  void evaluate_exactly(const Objective& after, Fit& fit) const;
  void accept_evaluation(const Objective& after, const Evaluation& evaluation, Fit& fit) const;
  // |gradient| of a class that Newton steps aim at.
  [[nodiscard]] double wanted_gradient(const Objective& after, const Matrix& weights) const;
  [[nodiscard]] double spectral_norm(const Objective& after);
  // Whether an update is judged by its evaluated residual alone, so that any way to a small one will do.
  [[nodiscard]] bool evaluates_residual() const {
    return options_.bound == ResidualBound::kExact && !options_.report_all_bounds;
  }
  [[nodiscard]] bool fast_rung_possible() const;
  // Whether anchor() would build a factor, or wait.
  [[nodiscard]] bool anchor_is_due() const;
  void anchor(const Objective& after, const Matrix& weights);

  SparseBlockRows rows_;
  std::vector<std::uint32_t> labels_;
  std::size_t classes_;
  SessionOptions options_;
  Limit limit_;
  std::size_t living_ = 0;
  Fit fit_;

  // Derived from the above, and rebuilt where a rollback or a large edit leaves it behind.
  NewtonSystem newton_;
  KeptHessians kept_;
  std::optional<RowSquare> square_;  // where a bound asks for |Z| in primal form
  std::optional<FastFactor> fast_;
  bool fast_is_fresh_ = false;     // no update since the anchor
  std::size_t anchor_pause_ = 0;   // Newton updates to wait before anchoring again ...
  std::size_t anchor_waited_ = 0;  // ... and those that were waited
};

}  // namespace unscatter
