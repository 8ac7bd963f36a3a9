#include "experiment/everyone.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "experiment/data_cache.h"
#include "privacy/grid_noise.h"
#include "unlearn/contribution.h"
#include "unlearn/graph_collection.h"
#include "unlearn/limit.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/graph/generate.h"
#include "unscatter/graph/read.h"
#include "unscatter/graph/split.h"
#include "unscatter/learn/predict.h"
#include "unscatter/learn/train.h"

namespace unscatter::experiment {
namespace {

// As Session::release() publishes.
Result<Matrix> published(const Matrix& weights, double noise_stddev, std::size_t vectors, RandomSource& source) {
  UNSCATTER_TRY(noise, GridNoise::create(noise_stddev));
  Matrix model = weights;
  const std::size_t count = static_cast<std::size_t>(model.rows()) * vectors;
  UNSCATTER_CHECK_OK(noise.add_to({model.data(), count}, source));
  if (vectors < static_cast<std::size_t>(model.cols())) model.col(1) = -model.col(0);
  return model;
}

Result<nlohmann::json> noisy_point(const LevelData& data, const Matrix& weights, SessionOptions options, double epsilon,
                                   const LevelGrid& grid) {
  options.guarantee = {epsilon, grid.delta};
  UNSCATTER_TRY(limit, Limit::create(options, data.train.columns() * data.classes, data.classes));
  const double noise = limit.promise().noise_stddev;
  const std::size_t vectors = published_vectors(options, data.classes);
  SecureRandom source;
  double sum = 0;
  double squares = 0;
  for (std::size_t draw = 0; draw < grid.draws; ++draw) {
    UNSCATTER_TRY(model, published(weights, noise, vectors, source));
    const double percent = 100 * accuracy(data.test, data.test_labels, model);
    sum += percent;
    squares += percent * percent;
  }
  const auto draws = static_cast<double>(grid.draws);
  const double mean = sum / draws;
  return nlohmann::json{{"epsilon", epsilon},
                        {"noise_stddev", noise},
                        {"accuracy", mean},
                        {"spread", std::sqrt(std::max(0.0, squares / draws - mean * mean))}};
}

Result<LevelData> rows_of(const Dataset& dataset, const Embedder& embedder, std::span<const std::size_t> train,
                          std::span<const std::size_t> test, std::size_t threads) {
  LevelData data;
  data.classes = dataset.class_names.size();
  const auto embed = [&](std::span<const std::size_t> chosen, SparseBlockRows& rows,
                         std::vector<std::uint32_t>& labels) -> Status {
    std::vector<const Graph*> graphs;
    for (const std::size_t i : chosen) {
      graphs.push_back(&dataset.graphs[i]);
      labels.push_back(dataset.labels[i]);
    }
    UNSCATTER_TRY(embedded, embedder.embed(graphs, {.threads = threads}));
    rows = std::move(embedded);
    shorten(rows, 1);
    return ok_status();
  };
  UNSCATTER_CHECK_OK(embed(train, data.train, data.train_labels));
  UNSCATTER_CHECK_OK(embed(test, data.test, data.test_labels));
  return data;
}

constexpr std::size_t kMnistTest = 11000;
constexpr std::size_t kGroupsTest = 10000;

Result<LevelData> mnist(const std::filesystem::path& folder, std::size_t graphs, std::uint64_t seed,
                        std::size_t threads) {
  UNSCATTER_TRY(path, find_data_set(folder, "MNIST"));
  UNSCATTER_TRY(dataset, read_dataset(path, {.threads = threads}));
  // Constants that look at no data: stated here.
  TransformSpec spec;
  spec.family = "windows";
  spec.windows = 10;
  spec.random_features = 800;
  spec.sharpness = 0.5;
  UNSCATTER_TRY(embedder, make_embedder("intensity:1", spec, dataset));
  std::vector<std::size_t> order(dataset.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  Sequence random(seed);
  random.shuffle(std::span(order));
  const std::span all(order);
  UNSCATTER_TRY(data, rows_of(dataset, *embedder, all.subspan(kMnistTest, graphs), all.first(kMnistTest), threads));
  data.name = fmt::format("MNIST, {} graphs", graphs);
  return data;
}

// How many groups one user may be in.  Most are in one or two.
constexpr std::size_t kGroupsPerUser = 4;

// What level everyone learns from: nobody is in more groups than that.
Result<Dataset> bounded(Dataset dataset) {
  GraphCollection graphs(std::move(dataset));
  const std::vector<RemovalRequest> beyond = graphs.memberships_beyond(kGroupsPerUser);
  if (!beyond.empty()) {
    UNSCATTER_TRY(plan, graphs.plan(beyond, NodeRemoval::kCompact, false));
    graphs.commit(plan);
  }
  return graphs.remaining();
}

Result<LevelData> groups(std::size_t graphs, std::uint64_t seed, std::size_t threads) {
  InterestGroupOptions options;
  options.groups = graphs + kGroupsTest;
  options.users = 10'000'000;
  options.min_size = 8;
  options.max_size = 16;
  options.seed = seed;
  UNSCATTER_TRY(dataset, generate_interest_groups(options));
  TransformSpec spec;
  spec.scales = 3;
  spec.moments = 2;
  spec.layers = 2;
  UNSCATTER_TRY(embedder, make_embedder("degree-onehot:8+log-degree", spec, dataset));
  std::vector<std::size_t> test(kGroupsTest);
  for (std::size_t i = 0; i < test.size(); ++i) test[i] = i;
  std::vector<std::size_t> train(graphs);
  for (std::size_t i = 0; i < train.size(); ++i) train[i] = kGroupsTest + i;
  UNSCATTER_TRY(data, rows_of(dataset, *embedder, {}, test, threads));
  UNSCATTER_TRY(learned, bounded(subset(dataset, train)));
  UNSCATTER_TRY(rows, embedder->embed(learned, {.threads = threads}));
  data.train = std::move(rows);
  shorten(data.train, 1);
  data.train_labels = std::move(learned.labels);
  data.name = fmt::format("interest groups, {} graphs", graphs);
  data.per_subject = kGroupsPerUser;
  return data;
}

}  // namespace

Result<nlohmann::json> accuracy_of_everyone(const LevelData& data, const LevelGrid& grid) {
  nlohmann::json points = nlohmann::json::array();
  SessionOptions options;
  options.protection = Protection::kEveryone;
  options.per_subject = data.per_subject;
  options.releases = 1;
  Matrix start = Matrix::Zero(static_cast<Eigen::Index>(data.train.columns()), static_cast<Eigen::Index>(data.classes));
  // From large ridges to small ones, each from the weights before: the same optimum, sooner.
  std::vector<double> ridges = grid.ridges_per_graph;
  std::sort(ridges.rbegin(), ridges.rend());
  for (const double per_graph : ridges) {
    options.ridge = per_graph * static_cast<double>(data.train.rows());
    const Objective objective(data.train, data.train_labels, data.classes, options.loss, *options.ridge, nullptr,
                              grid.threads);
    TrainOptions how;
    // Far below any noise here.
    how.gradient_tolerance = 1e-6 * *options.ridge;
    UNSCATTER_TRY(trained, train(objective, start, how));
    start = trained.weights;
    nlohmann::json levels = nlohmann::json::array();
    for (const double epsilon : grid.epsilons) {
      UNSCATTER_TRY(point, noisy_point(data, trained.weights, options, epsilon, grid));
      levels.push_back(std::move(point));
    }
    points.push_back({{"ridge_per_graph", per_graph},
                      {"ridge", *options.ridge},
                      {"plain", 100 * accuracy(data.test, data.test_labels, trained.weights)},
                      {"everyone", std::move(levels)}});
  }
  return nlohmann::json{{"name", data.name},
                        {"graphs", data.train.rows()},
                        {"test_graphs", data.test.rows()},
                        {"coordinates", data.train.columns()},
                        {"classes", data.classes},
                        {"per_subject", data.per_subject},
                        {"delta", grid.delta},
                        {"points", std::move(points)}};
}

Result<nlohmann::json> run_everyone(const std::filesystem::path& folder, std::span<const std::string> data_sets,
                                    const LevelGrid& grid, std::uint64_t seed, Progress* progress) {
  const auto wanted = [&](const std::string& name) {
    return data_sets.empty() || std::find(data_sets.begin(), data_sets.end(), name) != data_sets.end();
  };
  nlohmann::json all = nlohmann::json::array();
  if (progress != nullptr) progress->begin("levels", 4);
  const auto add = [&](Result<LevelData> data) -> Status {
    if (!data.ok()) return std::move(data).error();
    UNSCATTER_TRY(result, accuracy_of_everyone(*data, grid));
    all.push_back(std::move(result));
    if (progress != nullptr) progress->advance(1);
    return ok_status();
  };
  for (const std::size_t graphs : {5500u, 44000u}) {
    if (wanted("MNIST")) UNSCATTER_CHECK_OK(add(mnist(folder, graphs, seed, grid.threads)));
  }
  for (const std::size_t graphs : {100'000u, 1'000'000u}) {
    if (wanted("groups")) UNSCATTER_CHECK_OK(add(groups(graphs, seed, grid.threads)));
  }
  if (progress != nullptr) progress->end();
  return all;
}

}  // namespace unscatter::experiment
