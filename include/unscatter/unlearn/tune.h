// From public graphs to the recipe, loss, lambda and noise with which to train on private ones: `unscatter tune`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "unscatter/base/progress.h"
#include "unscatter/base/result.h"
#include "unscatter/graph/dataset.h"
#include "unscatter/learn/loss.h"
#include "unscatter/unlearn/session_options.h"

namespace unscatter {

struct TuneOptions {
  std::vector<std::string> recipes = {};  // names or texts; empty: candidate_recipes() of the data's form
  std::vector<Loss> losses = {};          // empty: squared; logistic at level everyone
  std::vector<double> lambdas = {};       // empty: usual_grids(), times A^2 for a recipe that ends with "scale:A"
  std::vector<double> noises = {};        // level removed; empty: that of `session`
  std::size_t folds = 0;                  // 0: `hold_out`, or by the number of graphs if that is 0 too
  double hold_out = 0;
  SessionOptions session = {};  // level, guarantee, number of models, graphs per subject
  std::size_t graphs = 0;       // that the model will learn from; 0: as many as are public
  std::uint64_t seed = 1;       // of the folds
  std::size_t threads = 0;
  Progress* progress = nullptr;
};

// From so many public graphs on, one fold that holds a part of them out tells enough.
inline constexpr std::size_t kManyPublicGraphs = 2000;

// The best lambda of one recipe, loss and noise; in the line that is chosen, the lambda that is chosen.
struct TuneLine {
  std::string recipe;  // canonical text, or a name that was given
  Loss loss = Loss::logistic();
  double lambda = 0;
  double noise_stddev = 0;  // of published weights, on every coordinate
  double accuracy = 0;      // in %, smoothed over lambda, of published models on graphs that are held out
  std::size_t coordinates = 0;
};

struct TuneReport {
  std::vector<TuneLine> lines;  // by recipe, loss and noise as they were given
  std::size_t chosen = 0;       // place of a line
  std::size_t folds = 0;        // 1: a part was held out
  std::size_t held_out = 0;     // graphs that accuracies were counted on
  std::size_t graphs = 0;       // that the model will learn from, as level everyone counts them
  // How far an accuracy may be off by chance: one standard deviation, in points.
  double uncertainty = 0;
};

// Looks at `open` and at nothing else.  At level everyone recipes lose their scale: a session there states that no row
// is longer than 1, and shorter rows would get noise that they do not need.
//
// Of several noises the largest one is chosen that costs at most half a point: more noise means that a removal may
// leave more behind, so that fewer of them need a training.
//
// Errors: kInvalidArgument (a recipe, a loss that the level does not have, folds that cannot be, fewer than two
// classes); those of embedding and training.
[[nodiscard]] Result<TuneReport> tune_on_public(const Dataset& open, const TuneOptions& options);

}  // namespace unscatter
