// Rows, labels and fit: the numerical half of a session.  It never sees a graph.
//
// Its rows may be shared with other ranks, in primal form (learner_mirrors.h).  Then `rows` and `labels` are those of
// this rank, and numbers of rows count all of them.  Results are those of one process, bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "learn/curvature.h"
#include "unlearn/charge.h"
#include "unlearn/fit.h"
#include "unlearn/ladder.h"
#include "unlearn/learner_mirrors.h"
#include "unlearn/limit.h"
#include "unscatter/base/random.h"
#include "unscatter/base/result.h"
#include "unscatter/learn/objective.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"
#include "unscatter/unlearn/certificate.h"
#include "unscatter/unlearn/session_options.h"

namespace unscatter {

class Learner {
 public:
  // Trains.  Rows without values are graphs that are not there; `living` counts the others (default: all are there).
  // Errors as Session::create().
  [[nodiscard]] static Result<Learner> create(SparseBlockRows rows, std::vector<std::uint32_t> labels,
                                              std::size_t classes, const SessionOptions& options, RandomSource& noise,
                                              std::optional<std::size_t> living = {});

  // A learner as it stood before.  Without `all_rows` it has the rows of some graphs only, while `living` counts all.
  // Then it can take the fast rung and no other: begin() is kUnsupported where that is not enough.  Rows without values
  // are graphs that went.  `fit` carries weights, residuals, binding and perturbation.  Errors: kMalformedInput (sizes,
  // numbers that are not finite), those of Limit::create().
  [[nodiscard]] static Result<Learner> restore(SparseBlockRows rows, std::vector<std::uint32_t> labels,
                                               std::size_t classes, std::size_t living, const SessionOptions& options,
                                               Fit fit, bool all_rows = true);
  // Gives it a fast factor that was kept.  One that does not fit is left aside.
  void restore_curvature(KeptCurvature curvature);
  // The fast factor as it is with the rows in place, for keeping beside `fit`.  Nothing if there is none, or if its
  // anchor is further from the optimum than kept weights may be: such an anchor would show more of what was removed
  // than the weights do (docs/theory.md, "What the file keeps").
  [[nodiscard]] std::optional<KeptCurvature> curvature_to_keep(const Fit& fit);

  [[nodiscard]] const SparseBlockRows& rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t living() const noexcept { return living_; }
  [[nodiscard]] const Fit& fit() const noexcept { return fit_; }
  [[nodiscard]] const Matrix* perturbation() const noexcept {
    return fit_.perturbation ? &*fit_.perturbation : nullptr;
  }
  [[nodiscard]] const Limit& limit() const noexcept { return limit_; }
  // What is known about the Hessians; for tests and reports.
  [[nodiscard]] const Curvature& curvature() const noexcept { return curvature_; }

  // Brings what is derived from rows up to the rows in place, as curvature_to_keep() does.
  void follow_rows();
  // Rows and labels, for whoever makes the next learner with them.  Nothing if they were overwritten.  The learner may
  // then only be destroyed.
  [[nodiscard]] std::optional<KeptState::Rows> give_rows_back();

  // The present weights' residual, evaluated now.  Lower: the computed norms less what rounding may have added.
  [[nodiscard]] EvaluatedResidual evaluate() const;

  // An update in two phases.  begin() puts the `after` rows and labels in place and climbs the ladder.  Rows of graphs
  // that come stand last, in the order of their numbers, each with its label.  Then commit() makes the
  // fit the present one and overwrites the old rows, or rollback() puts the old rows back.  An error of begin() has
  // rolled back already.
  [[nodiscard]] Result<Fit> begin(std::vector<RowChange>& changes, RandomSource& noise);
  void commit(std::vector<RowChange>& changes, Fit&& fit) noexcept;
  void rollback(std::vector<RowChange>& changes) noexcept;
  // rollback() that remembers what begin() found.  If the next update makes the same changes, it is not computed again.
  void rollback(std::vector<RowChange>& changes, Fit&& fit) noexcept;
  // Overwrites rows, labels and weights.  The learner may then only be destroyed or assigned to.
  void overwrite() noexcept;

 private:
  // An update that was rolled back.
  struct Tried {
    std::vector<RowChange> changes;  // `before` is empty
    Fit fit;

    [[nodiscard]] bool is(const std::vector<RowChange>& others) const;
    void wipe() noexcept;
  };

  Learner(SparseBlockRows rows, std::vector<std::uint32_t> labels, std::size_t classes, const Limit& limit);

  // What the functions of these names do where nobody is told.
  [[nodiscard]] Result<Fit> begin_here(std::vector<RowChange>& changes, RandomSource& noise);
  void rollback_here(std::vector<RowChange>& changes) noexcept;
  [[nodiscard]] EvaluatedResidual evaluate_here() const;
  [[nodiscard]] Status train_first(RandomSource& noise);
  // The `after` rows and labels in place.  The changes then say what was there before.
  void put_in_place(std::vector<RowChange>& changes);
  // The noise of a training.
  [[nodiscard]] Result<Matrix> draw_perturbation(RandomSource& noise) const;
  // Runs work() with the other ranks, which were told of it.  They would wait for ever if it left by an exception.
  template <typename Work>
  auto together(const Work& work) const;

  // Rows and labels at the end, for graphs that come; and back.
  void append_rows(std::size_t count);
  void remove_last_rows(std::size_t count) noexcept;

  [[nodiscard]] Objective objective(std::size_t living, const Matrix* perturbation) const;
  // What the ladder needs to know of an update after which `living` graphs are left.
  [[nodiscard]] Climb climb_on(const Objective& after, std::span<const RowChange> changes, std::size_t living);
  // The fit of the rows that are in place.
  [[nodiscard]] Result<Fit> fit_after(std::span<const RowChange> changes, std::size_t living, RandomSource& noise);
  [[nodiscard]] Result<Matrix> train_anew(const Objective& after);
  // Rung retrain: costs a training, proves its evaluated residual, and is the last one.
  [[nodiscard]] Result<Fit> retrain(std::size_t living, RandomSource& noise);
  [[nodiscard]] bool fast_rung_possible() const;
  // Updates that are to come; 0: many.
  [[nodiscard]] std::size_t updates_left() const;
  void forget_tried() noexcept;

  SparseBlockRows rows_;
  std::vector<std::uint32_t> labels_;
  std::size_t classes_;
  SessionOptions options_;
  Limit limit_;
  std::size_t living_ = 0;
  bool all_rows_ = true;
  std::size_t updates_ = 0;  // committed so far
  Fit fit_;
  Curvature curvature_;  // derived from the above
  std::optional<Tried> tried_;
  bool overwritten_ = false;
  std::unique_ptr<MirrorLeader> leader_;  // null unless this is rank 0 and ranks share the rows
};

}  // namespace unscatter
