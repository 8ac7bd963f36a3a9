#include "experiment/everyone.h"

#include <gtest/gtest.h>

#include "support/random_rows.h"

namespace unscatter::experiment {
namespace {

// More data, or a larger epsilon, is worth accuracy.  Without either, level everyone is blind.
TEST(AccuracyOfEveryone, GrowsWithEpsilonAndWithTheNumberOfGraphs) {
  const auto data_of = [](std::size_t rows) {
    const auto all = testing::random_rows(5, {.rows = rows + 500, .columns = 12, .classes = 3, .density = 1});
    LevelData data;
    data.name = "random";
    data.classes = 3;
    data.train = SparseBlockRows(rows, 12);
    data.test = SparseBlockRows(500, 12);
    for (std::size_t i = 0; i < rows + 500; ++i) {
      (i < rows ? data.train : data.test).set_row(i < rows ? i : i - rows, all.rows.row(i));
      (i < rows ? data.train_labels : data.test_labels).push_back(all.labels[i]);
    }
    return data;
  };
  LevelGrid grid;
  grid.epsilons = {0.1, 10};
  grid.ridges_per_graph = {1e-2};
  grid.delta = 1e-4;
  const nlohmann::json few = accuracy_of_everyone(data_of(50), grid).value();
  const nlohmann::json many = accuracy_of_everyone(data_of(20000), grid).value();
  const auto accuracy_at = [](const nlohmann::json& result, std::size_t epsilon) {
    return result.at("points").at(0).at("everyone").at(epsilon).at("accuracy").get<double>();
  };
  const auto plain = many.at("points").at(0).at("plain").get<double>();
  EXPECT_GT(plain, 45);
  EXPECT_LT(accuracy_at(few, 0), 42);
  EXPECT_GT(accuracy_at(many, 1), plain - 1);
  EXPECT_GT(accuracy_at(many, 1), accuracy_at(few, 0));
  EXPECT_GT(few.at("points").at(0).at("everyone").at(0).at("noise_stddev").get<double>(),
            many.at("points").at(0).at("everyone").at(0).at("noise_stddev").get<double>());
}

}  // namespace
}  // namespace unscatter::experiment
