// train-NAME: Newton's method on embeddings that exist already.  First from weights 0, then from the old weights after
// one row has changed ("warm").
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "embedding/npy.h"
#include "measure.h"
#include "paper_data.h"
#include "unscatter/learn/objective.h"
#include "unscatter/learn/train.h"

namespace unscatter::bench {
namespace {

// Other programs change the same row by the same factor (bench/peers.py).
constexpr std::size_t kChangedRow = 0;
constexpr double kChangedBy = 0.9;

struct TrainingProblem {
  SparseBlockRows rows;
  std::vector<std::uint32_t> labels;
  std::size_t classes = 0;
  double ridge = 0;
};

Json train_repeatedly(const std::string& name, const TrainingProblem& problem, const BenchSettings& settings,
                      const Matrix* start, Matrix& weights) {
  const Objective objective(problem.rows, problem.labels, problem.classes, Loss::logistic(), problem.ridge, nullptr,
                            settings.threads);
  TrainOptions options;
  options.gradient_tolerance = settings.tolerance;
  TrainedWeights trained;
  Samples samples;
  for (std::size_t r = 0; r < settings.repeat; ++r) {
    samples.measure(
        [&] { trained = or_fail(start != nullptr ? train(objective, *start, options) : train(objective, options)); });
  }
  Json result = samples.repeated(name, 1);
  result["rows"] = problem.rows.rows();
  result["coordinates"] = problem.rows.columns();
  result["classes"] = problem.classes;
  result["gradient_tolerance"] = settings.tolerance.value_or(default_gradient_tolerance(problem.rows));
  result["gradient_norm"] = trained.gradient_norms.maxCoeff();
  result["iterations"] = *std::max_element(trained.iterations.begin(), trained.iterations.end());
  result["remark"] =
      fmt::format("n {}, d {}, K {}; |gradient| {:.1e} after {} steps", problem.rows.rows(), problem.rows.columns(),
                  problem.classes, trained.gradient_norms.maxCoeff(), result["iterations"].get<std::size_t>());
  weights = std::move(trained.weights);
  return result;
}

// Writes the rows as a NumPy file, and the labels one per line.
void write_problem(const std::string& name, const TrainingProblem& problem, const std::filesystem::path& folder) {
  NpyFile file = or_fail(NpyFile::create(folder / (name + ".npy"), problem.rows.columns()));
  Status written = file.append(problem.rows);
  if (written.ok()) written = file.commit();
  if (!written.ok()) throw std::runtime_error(written.error().message);
  std::ofstream labels(folder / (name + ".labels"));
  for (const std::uint32_t label : problem.labels) labels << label << '\n';
  if (!labels.flush()) throw std::runtime_error(fmt::format("cannot write labels to '{}'", folder.string()));
}

void run_train(const PaperData& data, const BenchSettings& settings, const Reporter& report) {
  const std::string name = std::string("train-") + data.name;
  TrainingProblem problem;
  {
    const TrainingPart part = training_part(data, settings);
    problem.rows = or_fail(part.embedder->embed(part.dataset, {.threads = settings.threads}));
    problem.labels = part.dataset.labels;
    problem.classes = part.dataset.class_names.size();
  }
  problem.ridge = data.regularisation * static_cast<double>(problem.rows.rows());
  if (settings.folder) write_problem(name, problem, *settings.folder);

  reset_peak_bytes();
  Matrix weights;
  Json scratch = train_repeatedly(name, problem, settings, nullptr, weights);
  scratch["regularisation"] = data.regularisation;
  report(scratch);

  BlockRow changed = problem.rows.row(kChangedRow);
  for (double& value : changed.values) value *= kChangedBy;
  problem.rows.set_row(kChangedRow, std::move(changed));
  const Matrix start = weights;
  reset_peak_bytes();
  Json warm = train_repeatedly(name + " warm", problem, settings, &start, weights);
  warm["regularisation"] = data.regularisation;
  report(warm);
}

}  // namespace

std::vector<Workload> train_workloads() {
  return workloads_on_paper_data(
      "train",
      [](const PaperData&) {
        return "Newton on a tenth of the graphs, embedded already: from 0, and after one row changed";
      },
      run_train);
}

}  // namespace unscatter::bench
