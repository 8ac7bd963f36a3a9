#include "learn/curvature.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/parallel.h"
#include "learn/row_descent.h"
#include "linalg/kernels.h"
#include "linalg/row_pass.h"
#include "linalg/row_share.h"
#include "linalg/wipe_matrix.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

// A factor is tried where curvatures have moved by less than this share in total.  Further away a new factor costs less
// than an iteration that gives up.
constexpr double kNear = 0.1;
// A kept factor that needed more iterations than this is thrown away.  A new one pays for itself soon.
constexpr std::size_t kTooManyIterations = 10;
// A second round of a solve may leave this share of what the first one left over: four more digits, where the first
// round loses a few.
constexpr double kCorrected = 1e-4;
// Shares of the memory limit.
constexpr std::size_t kInverseShares = 4;  // a quarter
constexpr std::size_t kFactorShares = 4;
constexpr std::size_t kFastShares = 2;  // a half

constexpr std::size_t kAnchoredShares = 4;

// Evaluations after an anchor from which on rows are copied for them (anchored_rows.h).
constexpr std::size_t kLooksBeforeCopy = 2;
// The share of the limit that may stay unknown of a gradient that was evaluated from the anchor.
constexpr double kKnownShare = 0.1;

// Reading the rows for an evaluation takes as long as so many of its columns.
constexpr double kColumnsToReadRows = 3;
// Chord steps of an update, as a rule.
constexpr double kUsualSteps = 2;
// Newton steps of an update that edits many rows.
constexpr double kUsualNewtonSteps = 3;
// Passes over the rows after which a descent without matrices is given up, at least and at most.
constexpr double kFewestPasses = 40;
constexpr double kMostPasses = 400;

// Operations of one pass over the rows, per class: a product with Z and one with Z^T.
double row_pass_cost(const Objective& objective) {
  return kVectorSlowness * 4 * static_cast<double>(objective.rows().total_stored_values());
}

bool is_near(const RowShare* share, const Vector& curvature, const Vector& kept) {
  if (share == nullptr) {
    return curvature.size() == kept.size() && (curvature - kept).lpNorm<1>() <= kNear * kept.lpNorm<1>();
  }
  if (true_anywhere(share, curvature.size() != kept.size())) return false;
  return sum_of_all(share, (curvature - kept).cwiseAbs()) <= kNear * sum_of_all(share, kept.cwiseAbs());
}

// Threads of a loop over classes whose bodies sum over rows.  Where ranks share the rows, all ranks take the classes in
// the same order.
std::size_t threads_of_classes(const Objective& objective) {
  return objective.rows().share() == nullptr ? objective.threads() : 1;
}

}  // namespace

HessianForm cheaper_form(std::size_t rows, std::size_t columns) {
  const auto n = static_cast<double>(rows);
  const auto d = static_cast<double>(columns);
  // Z^T D Z and its factor.
  const double primal = n * d * d + d * d * d / 3;
  // The factor of M, and scaling G by the roots of the curvatures from both sides.
  const double dual = n * n * n / 3 + 2 * n * n;
  return dual < primal ? HessianForm::kDual : HessianForm::kPrimal;
}

Curvature::Curvature(HessianForm form, const CurvatureOptions& options)
    : form_(form == HessianForm::kDual ? make_dual_form() : make_primal_form()), options_(options) {}

bool Curvature::affords(std::size_t matrices, std::size_t order, std::size_t shares) const noexcept {
  // All matrices count as double precision.  Whether single precision is enough is known only when an inverse is made.
  return matrices * order * order <= options_.memory_limit / shares / sizeof(double);
}

// --- Rows ------------------------------------------------------------------------------------------------------------

void Curvature::replace_row(std::size_t i, const BlockRow& before, std::optional<std::uint32_t> label_before) {
  // Nothing follows yet, because a preview puts the row back.  The two lists are apart: inverses follow only when a
  // descent needs them.
  unseen_.note(i, before, label_before);
  if (kept_.ready()) unseen_by_inverses_.note(i, before, label_before);
}

void Curvature::resize_rows(std::size_t rows, const Loss& loss, double ridge, std::optional<std::size_t> of_all) {
  form_->resize_rows(rows);
  if (anchored_ && anchored_->total_rows() != of_all.value_or(rows)) anchored_.reset();
  if (!kept_.ready()) return;
  const Eigen::Index before = kept_.curvatures.rows();
  const auto after = static_cast<Eigen::Index>(rows);
  if (form_->kind() == HessianForm::kDual && after < before) {
    drop_inverses();
    return;
  }
  if (form_->kind() == HessianForm::kDual) {
    // An empty row is a line of M with the ridge on the diagonal and zeros beside it.
    for (UpdatableInverse& inverse : kept_.inverses)
      inverse.append_lines(rows - static_cast<std::size_t>(before), ridge);
  }
  // An empty row has the margin 0.
  kept_.curvatures.conservativeResize(after, Eigen::NoChange);
  if (after > before) kept_.curvatures.bottomRows(after - before).setConstant(loss.curvature(0));
}

void Curvature::note_ridge(double ridge) noexcept {
  if (fast_) fast_->note_ridge(ridge);
}

void Curvature::follow(const Objective& objective, const Replace& replace) {
  if (unseen_.empty()) return;
  const SparseBlockRows& rows = objective.rows();
  unseen_.settle(rows, objective.labels());
  form_->replace_rows(objective, unseen_.known());
  for (const auto& [i, known] : unseen_.known()) {
    // A factor whose inverse broke is dropped at once.  Steps with it would only fail their bound.
    if (!fast_) continue;
    const std::uint32_t label = objective.label_of_all(i);
    const BlockRow& row = rows.row_of_all(i);
    if (anchored_) anchored_->replace_row(rows.place_of(i), known, row, label, unseen_.label(i).value_or(label));
    if (!replace(known, row, label, unseen_.label(i).value_or(label))) drop_anchor();
  }
  unseen_.clear();
}

void Curvature::commit_rows(const Objective& objective) noexcept {
  unseen_by_inverses_.settle(objective.rows(), objective.labels());
  // Inverses that waited for their rows would keep the old rows in memory until the next descent.
  if (!unseen_by_inverses_.empty()) drop_inverses();
  try {
    follow(objective);
  } catch (...) {  // memory
    // C, G or the fast factor may still hold an old row.  Everything goes, and the next use builds anew.
    wipe();
  }
}

void Curvature::wipe() noexcept {
  form_->wipe();
  drop_inverses();
  for (KeptFactor& kept : factors_) wipe_matrix(kept.factor);
  factors_.clear();
  drop_anchor();
  unseen_.clear();
}

double Curvature::spectral_norm_upper_bound(const Objective& objective) {
  follow(objective);
  return form_->spectral_norm_upper_bound(objective);
}

// --- Exact systems ---------------------------------------------------------------------------------------------------

Result<Vector> Curvature::solve_column(const Objective& objective, const Vector& curvature, const Vector& right_side,
                                       KeptFactor* kept, bool& factorised) const {
  // The factor may be of older rows.  It only preconditions: the system that is solved is the present one.
  if (kept != nullptr && kept->factor.size() != 0 && is_near(objective.rows().share(), curvature, kept->curvature)) {
    std::optional<NearbySolution> solution = form_->solve_nearby(objective, kept->factor, curvature, right_side);
    if (solution) {
      if (solution->iterations > kTooManyIterations) kept->factor.resize(0, 0);
      return std::move(solution->x);
    }
  }
  factorised = true;
  UNSCATTER_TRY(H, form_->factorise(objective, curvature));
  Vector x = H.solve(right_side);
  if (kept != nullptr) *kept = {std::move(H).take_factor(), curvature};
  return x;
}

Result<Matrix> Curvature::solve(const Objective& objective, std::span<const std::size_t> classes,
                                const Matrix& curvatures, const Matrix& right_sides) {
  invariant(curvatures.cols() == right_sides.cols(), "one column of curvatures per right side");
  invariant(classes.size() == static_cast<std::size_t>(right_sides.cols()), "one class per right side");
  follow(objective);
  form_->require(objective);  // before the threads share it
  const bool keep = options_.keep_factors && affords(objective.classes(), form_->order(objective), kFactorShares);
  if (keep) factors_.resize(objective.classes());

  Matrix steps(right_sides.rows(), right_sides.cols());
  std::vector<std::optional<Error>> errors(classes.size());
  // Not vector<bool>: threads write neighbouring entries, and bits would share a word.
  std::vector<char> factorised(classes.size(), 0);
  parallel_for(classes.size(), threads_of_classes(objective), 1, [&](std::size_t column, std::size_t) {
    const auto c = static_cast<Eigen::Index>(column);
    bool fresh = false;
    Result<Vector> x = solve_column(objective, curvatures.col(c), right_sides.col(c),
                                    keep ? &factors_[classes[column]] : nullptr, fresh);
    factorised[column] = fresh ? 1 : 0;
    if (x.ok()) {
      steps.col(c) = *x;
    } else {
      errors[column] = std::move(x).error();
    }
  });
  for (const char fresh : factorised) factorisations_ += fresh != 0 ? 1U : 0U;
  // The first error in the order of classes, whichever thread met one first.
  for (std::optional<Error>& error : errors) {
    if (error) return *std::move(error);
  }
  return steps;
}

Result<Matrix> Curvature::solve(const Objective& objective, const Matrix& curvatures, const Matrix& right_sides) {
  std::vector<std::size_t> all(static_cast<std::size_t>(right_sides.cols()));
  std::iota(all.begin(), all.end(), std::size_t{0});
  return solve(objective, all, curvatures, right_sides);
}

// --- Inverses --------------------------------------------------------------------------------------------------------

void Curvature::drop_inverses() noexcept {
  kept_.wipe();
  renewal_.reset();
  unseen_by_inverses_.clear();
}

bool Curvature::build_inverses(const Objective& objective, const Matrix& curvatures) {
  drop_inverses();
  // The old inverses have been freed by now, so that old and new ones never take memory together.
  const std::size_t classes = solved_classes(objective);
  if (!affords(classes, form_->order(objective), kInverseShares)) return false;
  follow(objective);
  form_->require(objective);
  ++builds_;
  const auto solved = static_cast<Eigen::Index>(classes);
  // At weights of zero all classes have the same curvatures: one inverse serves all.
  const RowShare* share = objective.rows().share();
  const bool differ = !(curvatures.leftCols(solved).colwise() - curvatures.col(0)).isZero(0);
  const bool alike = !true_anywhere(share, differ);
  std::vector<std::optional<UpdatableInverse>> inverses(alike ? 1 : classes);
  if (share == nullptr) {
    parallel_for(inverses.size(), objective.threads(), 1, [&](std::size_t k, std::size_t) {
      inverses[k] = form_->invert(objective, curvatures.col(static_cast<Eigen::Index>(k)));
    });
  } else {
    inverses = form_->invert_shared(objective, curvatures.leftCols(static_cast<Eigen::Index>(inverses.size())));
  }
  const auto is_there = [](const std::optional<UpdatableInverse>& inverse) { return inverse.has_value(); };
  if (!std::all_of(inverses.begin(), inverses.end(), is_there)) return false;
  for (std::optional<UpdatableInverse>& inverse : inverses) kept_.inverses.push_back(*std::move(inverse));
  // Every class gets a copy of its own: from here on each learns from its own steps.
  while (kept_.inverses.size() < classes) kept_.inverses.push_back(kept_.inverses.front());
  kept_.curvatures = curvatures.leftCols(solved);
  return true;
}

bool Curvature::refresh_inverses(const Objective& objective, const Matrix& weights) {
  follow(objective);
  form_->require(objective);
  unseen_by_inverses_.settle(objective.rows(), objective.labels());
  bool ready = kept_.ready() && few_enough_to_fold(unseen_by_inverses_.known().size(), objective.rows().total_rows());
  // After the first row that breaks an inverse no other is folded in.  The build below then replaces all of them.
  for (const auto& [i, known] : unseen_by_inverses_.known()) {
    ready = ready && form_->fold_row(kept_, objective, i, known, weights);
  }
  unseen_by_inverses_.clear();
  return ready || build_inverses(objective, objective.curvatures(objective.margins(weights)));
}

std::optional<Descent> Curvature::descend(const Objective& objective, const Matrix& start, const Matrix& gradient,
                                          const DescentGoal& goal) {
  invariant(has_inverses() && unseen_by_inverses_.empty(), "descend() needs inverses of the present rows");
  std::optional<Descent> descent = form_->descend(kept_, objective, start, gradient, goal);
  if (!descent) {
    drop_inverses();
  } else if (renewal_.count(descent->steps, cost(objective))) {
    // A build that fails is no error here.  The next update builds again or goes without inverses.
    (void)build_inverses(objective, objective.curvatures(objective.margins(descent->weights)));
  }
  return descent;
}

Curvature::Way Curvature::cheapest_way(const Objective& objective, std::size_t left) const {
  const std::size_t rows = objective.rows().total_rows();
  const std::size_t edits = std::max(unseen_.known().size(), unseen_by_inverses_.known().size());
  // Inverses that can follow are never given up for one update: the next would have to build them again.
  if (kept_.ready() && few_enough_to_fold(edits, rows)) return Way::kInverses;
  const CurvatureCost with = cost(objective);
  const double pass = row_pass_cost(objective);
  const double follow = form_->follow_cost(objective, edits);
  // What is made once serves all updates that it can follow.
  const double served = updates_served(left, edits, rows);
  const double make = form_->make_cost(objective) / served;
  const double by_inverses = kUsualSteps * with.step + with.build / served + make + follow;
  const double by_rows = passes_.expected() * pass;
  const double by_factors = kUsualNewtonSteps * (with.factor + 2 * pass) + make + follow;
  if (by_factors < std::min(by_rows, by_inverses)) return Way::kFactors;
  return by_rows < by_inverses ? Way::kRows : Way::kInverses;
}

std::optional<Descent> Curvature::descend_by_rows(const Objective& objective, const Matrix& start,
                                                  const Matrix& gradient, const DescentGoal& goal) {
  // Twice what inverses would cost is too much: they are built then.
  const double most = 2 * cost(objective).build / row_pass_cost(objective);
  std::optional<RowDescent> found = unscatter::descend_by_rows(
      objective, start, gradient, goal, static_cast<std::size_t>(std::clamp(most, kFewestPasses, kMostPasses)));
  if (!found) return std::nullopt;
  passes_.count(found->passes);
  // G would have to follow all edited rows, and the next update of this kind does not need it either.
  form_->wipe();
  drop_inverses();
  return std::move(found->descent);
}

bool Curvature::pays_over(const Objective& objective, std::size_t left) const {
  const CurvatureCost with = cost(objective);
  return left == 0 || static_cast<double>(left) * with.step >= with.build;
}

ConjugateGradients Curvature::iterate(const Objective& objective, std::span<const std::size_t> classes,
                                      const Matrix& curvatures, const Matrix& right_sides, double relative_residual,
                                      std::size_t most_iterations) const {
  invariant(has_inverses() && unseen_by_inverses_.empty(), "iterate() needs inverses of the present rows");
  invariant(static_cast<Eigen::Index>(classes.size()) == right_sides.cols(), "one class per right side");
  return form_->iterate(kept_, objective, classes, curvatures, right_sides, relative_residual, most_iterations);
}

std::optional<Matrix> Curvature::solve_by_inverses(const Objective& objective, std::span<const std::size_t> classes,
                                                   const Matrix& curvatures, const Matrix& right_sides,
                                                   double relative_residual) {
  ConjugateGradients solved =
      iterate(objective, classes, curvatures, right_sides, relative_residual, kMostDescentSteps);
  if (!solved.converged) {
    drop_inverses();
    return std::nullopt;
  }
  if (form_->loses_digits()) {
    // Iterative refinement [Golub13, Sec. 3.5.3]: what is left over is evaluated from the rows and solved for once
    // more.
    const Matrix left = right_sides - objective.ridge() * solved.x -
                        weighted_square_product(objective.rows(), curvatures, solved.x, objective.threads());
    const ConjugateGradients correction = iterate(objective, classes, curvatures, left, kCorrected, kMostDescentSteps);
    if (correction.converged) solved.x += correction.x;
  }
  // A build needs the curvatures of all classes, and only then are they here.
  if (classes.size() == objective.classes()) {
    // A right side of zeros takes no iteration, and the account reads 0 as "no descent yet".
    const std::size_t steps = std::max<std::size_t>(solved.iterations, 1);
    if (renewal_.count(steps, cost(objective))) (void)build_inverses(objective, curvatures);
  }
  return std::move(solved.x);
}

// --- The fast factor -------------------------------------------------------------------------------------------------

FastFactor* Curvature::fast(const Objective& objective) {
  follow(objective);
  note_ridge(objective.ridge());
  return fast_ ? &*fast_ : nullptr;
}

FastFactor* Curvature::fast(const Objective& objective, const Matrix& right_sides, const Matrix& weights,
                            FastFactor::Step& step, double may_leave) {
  step = {};
  // Graphs that come make the ridge larger than it was before them.
  note_ridge(objective.ridge());
  unseen_.settle(objective.rows(), objective.labels());
  const bool alone = unseen_.known().size() == 1;
  follow(objective, [&](const BlockRow& before, const BlockRow& after, std::uint32_t label, std::uint32_t was) {
    return alone ? fast_->replace_row(before, after, label, was, right_sides, weights, step, may_leave)
                 : fast_->replace_row(before, after, label, was);
  });
  if (!fast_) return nullptr;
  if (step.columns.size() == 0) {
    std::vector<std::size_t> all(objective.classes());
    std::iota(all.begin(), all.end(), std::size_t{0});
    step.columns = fast_->solve(right_sides, all);
  }
  return &*fast_;
}

void Curvature::drop_anchor() noexcept {
  if (fast_) fast_->wipe();
  fast_.reset();
  anchored_.reset();
  looks_ = 0;
}

Evaluation Curvature::evaluate_fast_step(const Objective& objective, const Matrix& weights,
                                         const FastFactor::Step& step, std::span<const std::size_t> classes,
                                         double limit) {
  ++looks_;
  const std::optional<AnchoredProduct> product =
      fast_ ? fast_->product_from_anchor(weights, step, objective.ridge(), classes) : std::nullopt;
  if (!product) return objective.evaluate(weights, classes);
  // The copy costs as much as two or three evaluations.  The first one does not know yet whether others follow.
  if (!anchored_ && looks_ >= kLooksBeforeCopy && AnchoredRows::pay(objective) &&
      AnchoredRows::numbers(objective) <= options_.memory_limit / kAnchoredShares / sizeof(double)) {
    anchored_.emplace(objective, fast_->anchor_weights());
  }
  if (!anchored_) return objective.evaluate(weights, classes);
  Evaluation found = anchored_->evaluate(objective, weights, *product, classes);
  // Far from the anchor too little is known: the plain evaluation is then needed after all.
  if (!(found.rounding.norm() <= kKnownShare * limit)) return objective.evaluate(weights, classes);
  return found;
}

void Curvature::fast_step_evaluated(const Objective& objective, std::size_t classes) {
  const double columns = static_cast<double>(kernel::padded_columns(classes)) + kColumnsToReadRows;
  schedule_.evaluated(columns * row_pass_cost(objective));
}

void Curvature::renew_worn_anchor(const Objective& objective, const Matrix& weights) {
  const double of_anchor = static_cast<double>(objective.classes()) * cost(objective).build;
  if (fast_ && schedule_.is_due() && schedule_.is_worn(of_anchor)) anchor(objective, weights);
}

void Curvature::anchor(const Objective& objective, const Matrix& weights) {
  drop_anchor();
  if (!schedule_.is_due()) {
    schedule_.wait();
    return;
  }
  schedule_.anchored();
  if (affords(FastFactor::most_matrices(objective), objective.width(), kFastShares)) {
    fast_ = FastFactor::anchor(objective, weights);
  }
}

}  // namespace unscatter
