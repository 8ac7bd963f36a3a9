// Chooses recipe, loss, lambda and noise on public data, for the model that will be published.
//
// A constant that was tuned on private data is not covered by any certificate (docs/constants.md).  So the rows here
// are public: some of them are learned from, the others are held out and tell the accuracy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "unscatter/base/result.h"
#include "unscatter/learn/loss.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"
#include "unscatter/unlearn/session_options.h"
#include "unscatter/unlearn/tune.h"

namespace unscatter {

struct TuningRows {
  const SparseBlockRows* rows = nullptr;
  std::span<const std::uint32_t> labels;  // one per row, each below `classes`
  std::size_t classes = 0;
};

// Places of rows: those that a model learns from, and those that tell its accuracy.
struct TuningFold {
  std::vector<std::size_t> learned;
  std::vector<std::size_t> held_out;
};
// So many folds: every row is held out once.  Errors: kInvalidArgument unless 2 <= folds <= rows.
[[nodiscard]] Result<std::vector<TuningFold>> cross_folds(std::size_t rows, std::size_t folds, std::uint64_t seed);
// One fold that holds out a share.  Errors: kInvalidArgument if one of its two parts would be empty.
[[nodiscard]] Result<std::vector<TuningFold>> hold_out_fold(std::size_t rows, double share, std::uint64_t seed);

// The minimum at every ridge, in the order of `ridges`.  Squared losses share one matrix; others start from the weights
// of the next larger ridge.  At most 1e-4 of the minimum's distance that noise could hide: for accuracies, not for
// certificates.  Errors: those of training.
[[nodiscard]] Result<std::vector<Matrix>> weights_at(const TuningRows& data, const Loss& loss,
                                                     std::span<const double> ridges, std::size_t threads);

// What is added to published weights, as the model to come will be trained.
struct PublishedNoise {
  // Level, guarantee, number of models, noise.  Loss, lambda and ridge are replaced.  Level removed with a noise_stddev
  // of 0: no noise.
  SessionOptions session;
  std::size_t graphs = 0;  // that the model will learn from; level everyone has ridge = lambda graphs
};
// Its standard deviation.  Errors: those of a session's options (level everyone).
[[nodiscard]] Result<double> published_stddev(const PublishedNoise& noise, const Loss& loss, double lambda,
                                              std::size_t width, std::size_t classes);

// Lambdas to choose among for one loss.  Ascending.
struct TuningGrid {
  Loss loss = Loss::logistic();
  std::vector<double> lambdas;
};
// For rows of norm 1 at most, of which there are so many.  Rows of norm A have the same models at lambda A^2.  The
// squared loss is for level removed.  Level everyone needs a bounded slope and a lambda that is not faint: the logistic
// loss is for it.
[[nodiscard]] std::vector<TuningGrid> usual_grids(std::size_t rows);

// How accurate models of one embedding and loss are, against lambda.
struct TuningCurve {
  std::string name;  // of the embedding
  Loss loss = Loss::logistic();
  std::vector<double> lambdas;     // ascending
  std::vector<double> accuracies;  // in %, of published models on rows that are held out
};
// One curve per noise.  Models are trained once for all of them.  `models` may be null; else it receives the weights of
// the last fold, one matrix per lambda, so that nobody has to train them again.
[[nodiscard]] Result<std::vector<TuningCurve>> measure_curves(const TuningRows& data, std::span<const TuningFold> folds,
                                                              const Loss& loss, const std::vector<double>& lambdas,
                                                              std::span<const PublishedNoise> noises,
                                                              std::size_t threads,
                                                              std::vector<Matrix>* models = nullptr);

// Means with the neighbours, 1:2:1, and 2:1 at the ends.  A single lambda that was lucky does not win by itself.
[[nodiscard]] std::vector<double> smoothed(std::span<const double> accuracies);

struct TuningChoice {
  std::size_t curve = 0;
  std::size_t lambda = 0;  // places
  double accuracy = 0;     // smoothed
};
// The largest smoothed accuracy.  Among equals: the first curve, and on it the largest lambda.  At least one curve, and
// no curve is empty.
[[nodiscard]] TuningChoice best_choice(std::span<const TuningCurve> curves);

// The same, but a setting that is known to be good is left only for one that is better by more than chance: by a
// standard deviation of an accuracy that was counted on so many rows.  The best of many settings is partly the luckiest
// one, and with few public graphs mostly that.  The known setting is the place on the first curve whose lambda is
// nearest to `known_lambda`.
[[nodiscard]] TuningChoice cautious_choice(std::span<const TuningCurve> curves, double known_lambda,
                                           std::size_t held_out);

// One standard deviation, in points, of an accuracy in % that was counted on so many rows.
[[nodiscard]] double accuracy_uncertainty(double accuracy, std::size_t rows);

}  // namespace unscatter
