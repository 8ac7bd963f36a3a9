#include "unscatter/unlearn/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "embedding/blocks/recipes.h"
#include "embedding/features/form.h"
#include "unlearn/row_crew.h"
#include "unlearn/tuning.h"
#include "unscatter/embedding/make_embedder.h"

namespace unscatter {
namespace {

// What more noise may cost, in points.
constexpr double kNoiseMayCost = 0.5;

struct TuneCandidate {
  std::string text;  // with its scale, or without at level everyone
  double scale = 1;
};

Result<std::vector<TuneCandidate>> candidates_of(const Dataset& open, const TuneOptions& options) {
  DataForm form;
  for (const Graph& graph : open.graphs) form = joined(form, form_of(graph));
  const bool everyone = options.session.protection == Protection::kEveryone;
  std::vector<TuneCandidate> candidates;
  for (const std::string& name : options.recipes.empty() ? candidate_recipes(form) : options.recipes) {
    UNSCATTER_TRY(recipe, resolve_recipe(name, form));
    if (everyone) recipe.scale = 1;
    // A name stands for a text that follows the form of the private data.  What was tuned is the text.
    candidates.push_back({write_recipe(recipe), recipe.scale});
  }
  return candidates;
}

Result<std::vector<TuningGrid>> grids_of(std::size_t rows, const TuneOptions& options) {
  std::vector<TuningGrid> usual = usual_grids(rows);
  const bool everyone = options.session.protection == Protection::kEveryone;
  std::vector<TuningGrid> grids;
  if (options.losses.empty()) {
    for (TuningGrid& grid : usual) {
      if (everyone == std::isfinite(grid.loss.slope_bound())) grids.push_back(std::move(grid));
    }
  }
  for (const Loss& loss : options.losses) {
    if (everyone && !std::isfinite(loss.slope_bound())) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("the {} loss has no bounded slope, which level everyone needs", loss.describe())};
    }
    const auto known =
        std::find_if(usual.begin(), usual.end(), [&](const TuningGrid& grid) { return grid.loss == loss; });
    // Another loss has the grid of the logistic one, whose slope is bounded as well.
    const auto logistic =
        std::find_if(usual.begin(), usual.end(), [](const TuningGrid& grid) { return grid.loss == Loss::logistic(); });
    grids.push_back({loss, (known != usual.end() ? known : logistic)->lambdas});
  }
  return grids;
}

Result<std::vector<TuningFold>> folds_of(std::size_t rows, const TuneOptions& options) {
  constexpr std::size_t kUsualFolds = 5;
  constexpr double kUsualHoldOut = 0.3;
  if (options.folds > 0) return cross_folds(rows, options.folds, options.seed);
  if (options.hold_out > 0) return hold_out_fold(rows, options.hold_out, options.seed);
  if (rows >= kManyPublicGraphs) return hold_out_fold(rows, kUsualHoldOut, options.seed);
  return cross_folds(rows, std::min(kUsualFolds, rows), options.seed);
}

std::vector<PublishedNoise> noises_of(const TuneOptions& options, std::size_t graphs) {
  std::vector<double> stddevs = options.noises;
  if (stddevs.empty() || options.session.protection == Protection::kEveryone) {
    stddevs = {options.session.noise_stddev};
  }
  std::vector<PublishedNoise> noises;
  for (const double stddev : stddevs) {
    noises.push_back({options.session, graphs});
    noises.back().session.noise_stddev = stddev;
  }
  return noises;
}

// What was measured with one noise.  Curves and widths are by recipe and loss.
struct NoiseCurves {
  PublishedNoise noise;
  std::vector<TuningCurve> curves;
  TuningChoice choice;
};

// The largest noise among those that are nearly as good as the best.
std::size_t choose_noise(const std::vector<NoiseCurves>& all) {
  const auto worse = [](const NoiseCurves& a, const NoiseCurves& b) { return a.choice.accuracy < b.choice.accuracy; };
  const double enough = std::max_element(all.begin(), all.end(), worse)->choice.accuracy - kNoiseMayCost;
  std::size_t chosen = all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].choice.accuracy < enough) continue;
    if (chosen == all.size() || all[i].noise.session.noise_stddev > all[chosen].noise.session.noise_stddev) chosen = i;
  }
  return chosen;
}

// One line per curve, and which of them is chosen.
Status write_lines(const std::vector<NoiseCurves>& all, const std::vector<std::size_t>& widths, std::size_t classes,
                   TuneReport& report) {
  const std::size_t noise = choose_noise(all);
  for (std::size_t k = 0; k < all.size(); ++k) {
    for (std::size_t c = 0; c < all[k].curves.size(); ++c) {
      const TuningCurve& curve = all[k].curves[c];
      const bool chosen = k == noise && c == all[k].choice.curve;
      const TuningChoice best = chosen ? all[k].choice : best_choice(std::span(&curve, 1));
      const double lambda = curve.lambdas[best.lambda];
      UNSCATTER_TRY(stddev, published_stddev(all[k].noise, curve.loss, lambda, widths[c], classes));
      if (chosen) report.chosen = report.lines.size();
      report.lines.push_back({curve.name, curve.loss, lambda, stddev, best.accuracy, widths[c]});
    }
  }
  return ok_status();
}

Result<SparseBlockRows> embed_candidate(const TuneCandidate& candidate, const Dataset& open,
                                        const TuneOptions& options) {
  TransformSpec spec;
  spec.family = "blocks";
  spec.recipe = candidate.text;
  UNSCATTER_TRY(embedder, make_embedder(recipe_features(candidate.text), spec, open));
  return embedder->embed(open, {.threads = options.threads, .progress = nullptr, .crew = options.session.crew});
}

}  // namespace

Result<TuneReport> tune_on_public(const Dataset& open, const TuneOptions& options) {
  const std::size_t classes = open.class_names.size();
  if (classes < 2) {
    return Error{ErrorCode::kInvalidArgument, "the public data has fewer than two classes: there is nothing to tune"};
  }
  UNSCATTER_TRY(candidates, candidates_of(open, options));
  UNSCATTER_TRY(grids, grids_of(open.size(), options));
  UNSCATTER_TRY(folds, folds_of(open.size(), options));
  TuneReport report;
  report.folds = folds.size();
  for (const TuningFold& fold : folds) report.held_out += fold.held_out.size();
  report.graphs = options.graphs > 0 ? options.graphs : open.size();
  const std::vector<PublishedNoise> noises = noises_of(options, report.graphs);
  std::vector<NoiseCurves> all;
  for (const PublishedNoise& noise : noises) all.push_back({noise, {}, {}});
  std::vector<std::size_t> widths;
  Progress& progress = options.progress != nullptr ? *options.progress : no_progress();
  progress.begin("tune", candidates.size() * (1 + grids.size()));
  for (const TuneCandidate& candidate : candidates) {
    UNSCATTER_TRY(rows, embed_candidate(candidate, open, options));
    progress.advance(1);
    for (const TuningGrid& grid : grids) {
      std::vector<double> lambdas = options.lambdas;
      if (lambdas.empty()) {
        for (const double lambda : grid.lambdas) lambdas.push_back(lambda * candidate.scale * candidate.scale);
      }
      std::sort(lambdas.begin(), lambdas.end());
      UNSCATTER_TRY(curves,
                    measure_curves({&rows, open.labels, classes}, folds, grid.loss, lambdas, noises, options.threads));
      for (std::size_t k = 0; k < curves.size(); ++k) {
        curves[k].name = candidate.text;
        all[k].curves.push_back(std::move(curves[k]));
      }
      widths.push_back(rows.columns());
      progress.advance(1);
    }
  }
  progress.end();
  const bool everyone = options.session.protection == Protection::kEveryone;
  const double known_lambda = recipe_regularisation(options.recipes.empty() ? "auto" : options.recipes.front());
  for (NoiseCurves& measured : all) {
    // The noise of level everyone asks for a lambda of its own, so there is no setting that is known to be good.
    measured.choice =
        everyone ? best_choice(measured.curves) : cautious_choice(measured.curves, known_lambda, report.held_out);
  }
  UNSCATTER_CHECK_OK(write_lines(all, widths, classes, report));
  report.uncertainty = accuracy_uncertainty(report.lines[report.chosen].accuracy, report.held_out);
  return report;
}

}  // namespace unscatter
