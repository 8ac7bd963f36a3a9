// recipe-NAME: all graphs of an image data set by the recipe `auto`: how long they take to embed, and how long a
// removal takes then, certificate included.  Rows are wide and have no zeros, so what counts is how many numbers are
// read.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <vector>

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "machine_peak.h"
#include "measure.h"
#include "paper_data.h"
#include "unscatter/base/random.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/graph/read.h"
#include "unscatter/unlearn/session.h"

namespace unscatter::bench {
namespace {

constexpr std::size_t kRecipeRemovals = 100;

struct RecipeData {
  const char* name;
  const char* file;
};

const std::vector<RecipeData>& recipe_data() {
  static const std::vector<RecipeData> data = {
      {"mnist", "MNIST/MNIST_superpixels_train.npz"},
      {"cifar10", "CIFAR10/CIFAR10_superpixels_train.npz"},
  };
  return data;
}

// What a step of the fast rung must read and write at least.  For every class the inverse once, in single precision,
// and the lower triangle of the Hessian, which also changes.  Where curvature is constant one of each is for all
// classes, and the inverse is one triangle in double precision: as many bytes.
double fast_step_bytes(std::size_t coordinates, std::size_t classes, const Loss& loss) {
  const auto d = static_cast<double>(coordinates);
  const double matrices = loss.curvature_lipschitz() == 0 ? 1 : static_cast<double>(classes);
  return matrices * d * d * (4 + 8);
}

void run_recipe(const RecipeData& data, const BenchSettings& settings, const Reporter& report) {
  const Dataset dataset = or_fail(read_dataset(path_of(settings, data.file)));
  TransformSpec spec;
  spec.family = "blocks";
  const auto embedder = or_fail(make_embedder(recipe_features(spec.recipe), spec, dataset));
  SessionOptions options;
  set_usual_learning(spec, options);  // as the program trains with this recipe
  if (settings.loss) options.loss = or_fail(Loss::parse(*settings.loss));
  options.regularisation = settings.regularisation.value_or(options.regularisation);
  options.noise_stddev = settings.noise.value_or(options.noise_stddev);
  if (settings.distance_limit) options.distance_limit = settings.distance_limit;
  options.threads = settings.threads;
  const std::size_t threads = settings.threads == 0 ? hardware_threads() : settings.threads;

  reset_peak_bytes();
  double embed_seconds = 0;
  {
    const Stopwatch embedding;
    const SparseBlockRows rows = or_fail(embedder->embed(dataset, {.threads = threads}));
    embed_seconds = embedding.seconds();
  }
  const Stopwatch training;
  Session session = or_fail(Session::create(dataset, embedder, options));
  const double train_seconds = training.seconds();

  Sequence random(1);
  Samples samples;
  for (std::size_t g = 0; g < std::min(dataset.size(), settings.removals.value_or(kRecipeRemovals)); ++g) {
    const RemovalRequest request = ForgetNode{g, random.below(dataset.graphs[g].node_count())};
    std::optional<Certificate> certificate;
    samples.measure([&] { certificate = or_fail(session.forget(request)); });
    if (!certificate->satisfied) throw std::runtime_error("a certificate is not satisfied");
  }
  Json result = samples.removals(std::string("recipe-") + data.name);
  result["graphs"] = dataset.size();
  result["coordinates"] = embedder->width();
  result["classes"] = session.classes();
  result["loss"] = options.loss.describe();
  result["regularisation"] = options.regularisation;
  result["embed_seconds"] = embed_seconds;
  result["embed_and_train_seconds"] = train_seconds;
  const ProductPeak peak = measure_product_peak(threads);
  result["bytes"] = fast_step_bytes(embedder->width(), session.classes(), options.loss);
  result["peak_flops_per_second"] = peak.operations_per_second;
  result["peak_bytes_per_second"] = peak.read_bytes_per_second;
  result["limit_seconds"] = result["bytes"].get<double>() / peak.read_bytes_per_second;
  result["rungs"] = counts_by_name<Json>(session.rungs());
  result["remark"] =
      fmt::format("n {}, d {}, K {}, {}; embedded in {:.1f} s; {}", dataset.size(), embedder->width(),
                  session.classes(), options.loss.describe(), embed_seconds, rungs_words(session.rungs()));
  report(result);
}

}  // namespace

std::vector<Workload> recipe_workloads() {
  std::vector<Workload> workloads;
  for (const RecipeData& data : recipe_data()) {
    workloads.push_back(
        {std::string("recipe-") + data.name,
         fmt::format("embed all graphs of {} by the recipe auto, and one node from each of up to {}", data.file,
                     kRecipeRemovals),
         [&data](const BenchSettings& settings, const Reporter& report) { run_recipe(data, settings, report); }});
  }
  return workloads;
}

}  // namespace unscatter::bench
