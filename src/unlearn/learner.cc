#include "unlearn/learner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <span>
#include <utility>

#include "base/wipe.h"
#include "learn/train_with_curvature.h"
#include "linalg/rounding.h"
#include "linalg/row_share.h"
#include "linalg/wipe_matrix.h"
#include "unscatter/base/invariant.h"

namespace unscatter {

using Eigen::Index;

template <typename Work>
auto Learner::together(const Work& work) const {
  if (!leader_) return work();
  try {
    return work();
  } catch (const std::exception& error) {
    leader_->abort(error.what());
  }
}

bool Learner::Tried::is(const std::vector<RowChange>& others) const {
  return std::equal(changes.begin(), changes.end(), others.begin(), others.end(),
                    [](const RowChange& one, const RowChange& other) {
                      return one.row == other.row && one.kind == other.kind && one.after == other.after &&
                             one.label_after == other.label_after;
                    });
}

void Learner::Tried::wipe() noexcept {
  for (RowChange& change : changes) {
    unscatter::wipe(change.after.values);
    unscatter::wipe(change.after.segments);
  }
  wipe_matrix(fit.weights);
  wipe_matrix(fit.gradient);
}

Learner::Learner(SparseBlockRows rows, std::vector<std::uint32_t> labels, std::size_t classes, const Limit& limit)
    : rows_(std::move(rows)),
      labels_(std::move(labels)),
      classes_(classes),
      options_(limit.options()),
      limit_(limit),
      living_(rows_.total_rows()),
      curvature_(cheaper_form(rows_.total_rows(), rows_.columns()), {.keep_factors = true}) {
  invariant(rows_.share() == nullptr || curvature_.form() == HessianForm::kPrimal,
            "ranks share rows in primal form only");
  // Checked once here.  Every update then takes CheckedLabels in constant time.
  invariant(std::all_of(labels_.begin(), labels_.end(), [classes](std::uint32_t y) { return y < classes; }),
            "labels below K");
}

Result<Learner> Learner::create(SparseBlockRows rows, std::vector<std::uint32_t> labels, std::size_t classes,
                                const SessionOptions& options, RandomSource& noise, std::optional<std::size_t> living) {
  UNSCATTER_TRY(limit, Limit::create(options, rows.columns() * classes, classes));
  std::unique_ptr<MirrorLeader> leader = MirrorLeader::of(rows);
  if (leader) leader->create(classes, options, living);
  Learner learner(std::move(rows), std::move(labels), classes, limit);
  learner.leader_ = std::move(leader);
  if (living) learner.living_ = *living;
  UNSCATTER_CHECK_OK(learner.together([&] { return learner.train_first(noise); }));
  return learner;
}

Status Learner::train_first(RandomSource& noise) {
  // The first charge of a session is the evaluated residual of its training.  The paper starts from zero.
  UNSCATTER_TRY(fit, retrain(living_, noise));
  fit_ = std::move(fit);
  const Objective present = objective(living_, perturbation());
  if (fast_rung_possible() && curvature_.pays_over(present, updates_left())) {
    curvature_.anchor(present, fit_.weights);
  }
  return ok_status();
}

Result<Learner> Learner::restore(SparseBlockRows rows, std::vector<std::uint32_t> labels, std::size_t classes,
                                 std::size_t living, const SessionOptions& options, Fit fit, bool all_rows) {
  UNSCATTER_TRY(limit, Limit::create(options, rows.columns() * classes, classes));
  const auto width = static_cast<Index>(rows.columns());
  const auto count = static_cast<Index>(classes);
  const auto fits = [&](const Matrix& matrix) {
    return matrix.rows() == width && matrix.cols() == count && matrix.allFinite();
  };
  if (!fits(fit.weights) || fit.residuals.size() != count || !fit.residuals.allFinite()) {
    return Error{ErrorCode::kMalformedInput, "weights and residuals do not fit the embedding"};
  }
  const bool perturbed = options.mechanism == Mechanism::kObjective;
  // The residual is that of the objective with b.  Without b, or with a b that does not belong, it would mean nothing.
  if (perturbed != fit.perturbation.has_value() || (perturbed && !fits(*fit.perturbation))) {
    return Error{ErrorCode::kMalformedInput, "the noise of the objective does not fit the mechanism and the embedding"};
  }
  std::unique_ptr<MirrorLeader> leader = MirrorLeader::of(rows);
  if (leader) leader->restore(classes, living, options, fit, all_rows);
  Learner learner(std::move(rows), std::move(labels), classes, limit);
  learner.leader_ = std::move(leader);
  learner.living_ = living;
  learner.all_rows_ = all_rows;
  learner.fit_ = std::move(fit);
  // Assessed again and not read: what is satisfied follows from residuals and options alone.
  learner.fit_.assessment = assess(learner.fit_, learner.objective(living, learner.perturbation()), limit);
  return learner;
}

void Learner::restore_curvature(KeptCurvature curvature) {
  if (!fast_rung_possible()) return;
  if (leader_) leader_->restore_curvature(curvature);
  curvature_.restore_fast(objective(living_, perturbation()), std::move(curvature));
}

void Learner::follow_rows() { (void)curvature_.fast(objective(living_, perturbation())); }

std::optional<KeptState::Rows> Learner::give_rows_back() {
  if (overwritten_) return std::nullopt;
  rows_.forget_elsewhere();
  return KeptState::Rows{std::move(rows_), std::move(labels_)};
}

std::optional<KeptCurvature> Learner::curvature_to_keep(const Fit& fit) {
  if (!curvature_.has_fast()) return std::nullopt;
  const Objective present = objective(living_, perturbation());
  // Nothing changes where all rows were followed before.
  if (leader_ && !curvature_.has_followed()) leader_->follow();
  const FastFactor* factor = curvature_.fast(present);
  if (factor == nullptr) return std::nullopt;
  // Where nothing depends on the anchor, it tells nothing.
  if (options_.loss.curvature_lipschitz() == 0) return factor->numbers();
  const double apart = (fit.weights - factor->anchor_weights()).norm() + fit.assessment.distance;
  const double allowed = limit_.residual_limit(present.ridge(), fit.weights.norm(), classes_) / present.ridge();
  if (!(apart <= allowed)) return std::nullopt;
  return factor->numbers();
}

EvaluatedResidual Learner::evaluate() const {
  if (leader_) leader_->evaluate();
  return together([&] { return evaluate_here(); });
}

EvaluatedResidual Learner::evaluate_here() const {
  const Objective present = objective(living_, perturbation());
  const Evaluation evaluation = present.evaluate(fit_.weights);
  const Vector norms = evaluation.gradient.colwise().norm().transpose();
  // Every number is rounded down here, because the lower bound is compared with what was certified.
  const double round_down = 1 - rounding_factor(static_cast<double>(present.width() + classes_) + 8);
  Fit evaluated;
  evaluated.weights = fit_.weights;
  accept_evaluation(evaluation, present, limit_, evaluated);
  return {(norms * round_down - evaluation.rounding).cwiseMax(0).norm() * round_down, evaluated.assessment.residual,
          evaluated.assessment.satisfied};
}

Objective Learner::objective(std::size_t living, const Matrix* perturbation) const {
  // The same product as in a training from scratch on so many graphs, bit for bit.  So the ridge carries no error
  // (docs/theory.md, "Setting").
  const double ridge = ridge_of(options_, living);
  return {rows_, CheckedLabels{labels_}, classes_, options_.loss, ridge, perturbation, options_.threads};
}

bool Learner::fast_rung_possible() const { return unscatter::fast_rung_possible(options_, living_, rows_.columns()); }

std::size_t Learner::updates_left() const {
  if (options_.expected_updates == 0) return 0;
  // More updates than were expected: at least one is always to come.
  return std::max<std::size_t>(options_.expected_updates, updates_ + 1) - updates_;
}

Climb Learner::climb_on(const Objective& after, std::span<const RowChange> changes, std::size_t living) {
  const std::size_t left = updates_left();
  const bool may_anchor = fast_rung_possible() && curvature_.pays_over(after, left);
  return {after, changes, options_, limit_, curvature_, living, may_anchor, left, all_rows_};
}

Result<Matrix> Learner::train_anew(const Objective& after) {
  if (std::optional<Matrix> minimum = minimum_of_zero_rows(after)) return *std::move(minimum);
  // The first training has no weights to start from, and the method `retrain` stands for a training that knows nothing
  // of before.
  const bool warm = options_.warm_retraining && options_.method != Method::kRetrain && fit_.weights.size() != 0;
  // Inverses at other weights do not fit zero weights.  One inverse serves all classes there.
  if (!warm) curvature_.drop_inverses();
  TrainOptions training;
  training.optimizer = options_.optimizer;
  training.progress = options_.progress;
  const Matrix start =
      warm ? fit_.weights : Matrix::Zero(static_cast<Index>(after.width()), static_cast<Index>(classes_));
  UNSCATTER_TRY(trained, train_with_curvature(after, start, training, curvature_));
  return std::move(trained.weights);
}

Result<Matrix> Learner::draw_perturbation(RandomSource& noise) const {
  Matrix b = Matrix::Zero(static_cast<Index>(rows_.columns()), static_cast<Index>(classes_));
  UNSCATTER_TRY(grid, GridNoise::create(options_.noise_stddev));
  const std::span<double> numbers(b.data(), static_cast<std::size_t>(b.size()));
  const RowShare* share = rows_.share();
  if (share == nullptr) {
    UNSCATTER_CHECK_OK(grid.add_to(numbers, noise));
    return b;
  }
  // Rank 0 draws.  Whether it could is told first, so that all ranks go the same way.
  Status drawn = ok_status();
  if (share->rank == 0) drawn = grid.add_to(numbers, noise);
  std::uint8_t ok = drawn.ok() ? 1 : 0;
  share->communicator->broadcast_numbers(std::span(&ok, 1));
  if (!drawn.ok()) return std::move(drawn).error();
  if (ok == 0) return Error{ErrorCode::kLimitExceeded, "rank 0 could not draw the noise of the objective"};
  share->communicator->broadcast_numbers(numbers);
  return b;
}

Result<Fit> Learner::retrain(std::size_t living, RandomSource& noise) {
  Fit fit;
  if (options_.mechanism == Mechanism::kObjective) {
    // Every training draws a fresh b.  Models from one b share their noise, and their differences contain none.
    UNSCATTER_TRY(drawn, draw_perturbation(noise));
    fit.perturbation = std::move(drawn);
  }
  const Objective after = objective(living, fit.perturbation ? &*fit.perturbation : nullptr);
  UNSCATTER_TRY(weights, train_anew(after));
  fit.weights = std::move(weights);
  accept_evaluation(after.evaluate(fit.weights), after, limit_, fit);
  // An optimiser stops at its own tolerance.  The limit may lie below it.
  if (!fit.assessment.satisfied) polish(climb_on(after, {}, living), fit);
  // Set last: polishing belongs to the training.
  fit.rung = Rung::kRetrain;
  fit.newton_steps = 0;  // those of a training are not counted
  if (!fit.assessment.satisfied) {
    return Error{
        ErrorCode::kLimitExceeded,
        fmt::format(
            "even freshly trained weights may be {:.3g} from the optimum (residual {:.3g}), {:.3g} times what the "
            "guarantee allows: double precision shows no more; allow more noise or a larger distance limit, or "
            "regularise more",
            fit.assessment.distance, fit.assessment.residual, fit.assessment.usage)};
  }
  return fit;
}

Result<Fit> Learner::fit_after(std::span<const RowChange> changes, std::size_t living, RandomSource& noise) {
  const Error more_rows{ErrorCode::kUnsupported, "the rows of all graphs are needed for this update"};
  if (options_.method == Method::kRetrain) {
    if (!all_rows_) return more_rows;
    return retrain(living, noise);
  }
  const Objective after = objective(living, perturbation());
  const GradientChange change =
      gradient_change(changes, labels_, options_.loss, ridge_per_graph(options_), fit_.weights);
  UNSCATTER_TRY(fit, climb_ladder(climb_on(after, changes, living), change, fit_));
  if (!fit.assessment.satisfied && !all_rows_) return more_rows;
  if (!fit.assessment.satisfied) return retrain(living, noise);
  return fit;
}

void Learner::append_rows(std::size_t count) {
  const std::size_t total = rows_.total_rows() + count;
  // The rank that has the last row takes what comes.
  const RowShare* share = rows_.share();
  const std::size_t rows = rows_.rows() + (share == nullptr || last_rank(*share) == share->rank ? count : 0);
  // Which form is cheaper depends on the number of rows.  Nothing rests on what is kept, so it can be left behind.
  if (const HessianForm form = cheaper_form(total, rows_.columns()); form != curvature_.form()) {
    Curvature other(form, {.keep_factors = true});
    curvature_.wipe();
    curvature_ = std::move(other);
  }
  if (labels_.capacity() < rows) {
    std::vector<std::uint32_t> larger;
    larger.reserve(rows);
    larger.assign(labels_.begin(), labels_.end());
    wipe(labels_);  // reserve() would free the old list as it is
    labels_ = std::move(larger);
  }
  curvature_.resize_rows(rows, options_.loss, ridge_of(options_, living_), total);
  rows_.append_empty_rows_to_all(count);
  labels_.resize(rows, 0);
}

void Learner::remove_last_rows(std::size_t count) noexcept {
  if (count == 0) return;
  try {
    // The rows are empty again, and what was derived from them follows before they go.
    curvature_.commit_rows(objective(living_, perturbation()));
    const RowShare* share = rows_.share();
    const bool here = share == nullptr || last_rank(*share) == share->rank;
    curvature_.resize_rows(rows_.rows() - (here ? count : 0), options_.loss, ridge_of(options_, living_),
                           rows_.total_rows() - count);
  } catch (...) {  // memory
    curvature_.wipe();
  }
  rows_.truncate_all(rows_.total_rows() - count);
  labels_.resize(rows_.rows());
}

void Learner::put_in_place(std::vector<RowChange>& changes) {
  for (RowChange& change : changes) {
    invariant(!change.label_after || *change.label_after < classes_, "labels below K");
    const std::optional<std::size_t> place = rows_.place_of(change.row);
    if (!place) {
      if (change.kind == ChangeKind::kAdded) {
        change.before.clear();
        change.label_before = 0;
      }
      continue;
    }
    rows_.swap_row(*place, change.before);  // `before` now holds the old row
    change.label_before = labels_[*place];
    if (change.label_after) labels_[*place] = *change.label_after;
  }
  if (rows_.share() == nullptr) return;
  tell_rows_before(*rows_.share(), changes);
  for (const RowChange& change : changes) {
    if (rows_.place_of(change.row)) continue;
    rows_.set_elsewhere(change.row, change.before.values.size(),
                        {change.after, change.label_after.value_or(change.label_before.value_or(0))});
  }
}

Result<Fit> Learner::begin(std::vector<RowChange>& changes, RandomSource& noise) {
  if (leader_) leader_->begin(changes);
  return together([&] { return begin_here(changes, noise); });
}

Result<Fit> Learner::begin_here(std::vector<RowChange>& changes, RandomSource& noise) {
  std::size_t living = living_;
  std::size_t added = 0;
  for (RowChange& change : changes) {
    // A copy first, then a swap of vectors: only the copy can fail, and then nothing has changed.
    change.before = change.after;
    if (change.kind == ChangeKind::kRemoved) --living;
    if (change.kind != ChangeKind::kAdded) continue;
    invariant(change.row == rows_.total_rows() + added && change.label_after.has_value(),
              "a new row stands at the end");
    ++living;
    ++added;
  }
  invariant(living > 0, "an update leaves at least one graph");
  curvature_.note_ridge(ridge_of(options_, living_));
  if (added > 0) {
    try {
      append_rows(added);
    } catch (...) {  // memory; rows and labels are as they were, and what is derived from them may not be
      curvature_.wipe();
      throw;
    }
  }
  put_in_place(changes);
  try {
    for (const RowChange& change : changes) curvature_.replace_row(change.row, change.before, change.label_before);
    // A preview of the same changes has found the fit.  The kept weights are the same as then, so is the result.
    if (tried_ && tried_->is(changes)) {
      Fit found = std::move(tried_->fit);
      forget_tried();
      return found;
    }
    forget_tried();
    Result<Fit> fit = fit_after(changes, living, noise);
    if (!fit.ok()) rollback_here(changes);
    return fit;
  } catch (...) {
    rollback_here(changes);
    throw;
  }
}

void Learner::commit(std::vector<RowChange>& changes, Fit&& fit) noexcept {
  if (leader_) leader_->commit();
  forget_tried();
  ++updates_;
  // This comes before labels go: the fast factor takes an edited row's old curvature away by the row's label.
  curvature_.commit_rows(objective(living_, perturbation()));
  for (RowChange& change : changes) {
    // The old row.  Its segments tell which channels the graph had, so they go too.
    wipe(change.before.values);
    wipe(change.before.segments);
    change.label_before = 0;
    if (change.kind == ChangeKind::kAdded) ++living_;
    if (change.kind == ChangeKind::kRemoved) {
      // The label is about the graph that went.  An empty row has the same effect with any label.
      if (const std::optional<std::size_t> place = rows_.place_of(change.row)) labels_[*place] = 0;
      --living_;
    }
  }
  // Everything that is derived from rows has followed.
  rows_.forget_elsewhere();
  // The old weights carry what was removed, and so does their gradient.
  wipe_matrix(fit_.weights);
  wipe_matrix(fit_.gradient);
  fit_ = std::move(fit);
}

void Learner::rollback(std::vector<RowChange>& changes) noexcept {
  if (leader_) leader_->rollback(false);
  rollback_here(changes);
}

void Learner::rollback_here(std::vector<RowChange>& changes) noexcept {
  std::size_t added = 0;
  for (RowChange& change : changes) {
    // `before` holds the row tried then.
    if (const std::optional<std::size_t> place = rows_.place_of(change.row)) {
      rows_.swap_row(*place, change.before);
      labels_[*place] = change.label_before.value_or(labels_[*place]);
    } else {
      rows_.swap_elsewhere(change.row, change.before, change.label_before.value_or(0));
    }
    added += change.kind == ChangeKind::kAdded ? 1U : 0U;
  }
  try {
    for (const RowChange& change : changes) curvature_.replace_row(change.row, change.before, change.label_after);
  } catch (...) {  // memory
    // Nothing rests on what is kept, and it can be made again.  So the rollback itself cannot fail.
    curvature_.wipe();
  }
  remove_last_rows(added);
}

void Learner::rollback(std::vector<RowChange>& changes, Fit&& fit) noexcept {
  if (leader_) leader_->rollback(true);
  rollback_here(changes);
  // A training drew noise for a model that might have been published.  So it is not kept: the next training draws its
  // own noise.
  if (fit.rung == Rung::kRetrain) return;
  try {
    tried_.emplace();
    for (const RowChange& change : changes)
      tried_->changes.push_back({change.row, {}, change.after, change.kind, change.label_after});
    tried_->fit = std::move(fit);
  } catch (...) {  // memory; the update can be computed again
    forget_tried();
  }
}

void Learner::overwrite() noexcept {
  if (leader_) leader_->overwrite();
  overwritten_ = true;
  forget_tried();
  rows_.forget_elsewhere();
  for (std::size_t i = 0; i < rows_.rows(); ++i) {
    BlockRow row;
    rows_.swap_row(i, row);
    unscatter::wipe(row.values);
    unscatter::wipe(row.segments);
  }
  unscatter::wipe(labels_);
  wipe_matrix(fit_.weights);
  wipe_matrix(fit_.gradient);
  curvature_.wipe();
}

void Learner::forget_tried() noexcept {
  if (tried_) tried_->wipe();
  tried_.reset();
}

}  // namespace unscatter
