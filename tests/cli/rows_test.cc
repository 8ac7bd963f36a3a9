// Rows that somebody else embedded, as a user meets them.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "support/make_archive.h"
#include "support/random_rows.h"
#include "unscatter/graph/read.h"
#include "workspace_fixture.h"

namespace unscatter {
namespace {

using testing::has;
using testing::Outcome;

constexpr std::size_t kColumns = 4;

class Rows : public testing::CliWorkspaceTest {
 protected:
  void SetUp() override {
    CliWorkspaceTest::SetUp();
    write_rows("z", 40, 1);
    write_rows("new", 10, 2);
  }

  // NAME.npy, NAME.labels, NAME.ids and NAME.subjects.  Two rows are about one person.
  void write_rows(const std::string& name, std::size_t rows, std::uint64_t seed) const {
    const Matrix entries = testing::random_matrix(seed, kColumns, rows);
    std::string labels;
    std::string ids;
    std::string subjects;
    for (std::size_t i = 0; i < rows; ++i) {
      labels += entries(0, static_cast<Eigen::Index>(i)) > 0 ? "up\n" : "down\n";
      ids += name + "-" + std::to_string(i) + "\n";
      subjects += name + "-person-" + std::to_string(i / 2) + "\n";
    }
    const std::vector<double> values(entries.data(), entries.data() + entries.size());
    write(name + ".npy", testing::make_npy("<f8", "(" + std::to_string(rows) + ", " + std::to_string(kColumns) + ")",
                                           testing::bytes_of(values)));
    write(name + ".labels", labels);
    write(name + ".ids", ids);
    write(name + ".subjects", subjects);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name, std::ios::binary) << text;
  }
  [[nodiscard]] std::vector<std::string> with_rows(std::vector<std::string> arguments,
                                                   const std::vector<std::string>& more = {}) const {
    arguments.insert(arguments.end(),
                     {"--rows", path("z.npy"), "--labels", path("z.labels"), "--row-ids", path("z.ids")});
    arguments.insert(arguments.end(), {"--subjects", path("z.subjects"), "--workspace", path("r")});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

// Whoever is left may have rows of zeros only.  That is no reason to keep the others.
TEST_F(Rows, OfZerosMayBeAllThatIsLeft) {
  const std::vector<double> values = {0, 0, 0, 0, 1, 2, 0, 0};
  write("zeros.npy", testing::make_npy("<f8", "(4, 2)", testing::bytes_of(values)));
  write("zeros.labels", "a\nb\nc\na\n");
  const std::string w = path("zeros");
  for (const std::string loss : {"logistic", "squared"}) {
    for (const std::string mechanism : {"release", "objective"}) {
      // The class c leaves with its only row, so that the model is trained again.
      ASSERT_EQ(run({"train", "--rows", path("zeros.npy"), "--labels", path("zeros.labels"), "--workspace", w, "--loss",
                     loss, "--mechanism", mechanism, "--force"})
                    .exit_code,
                0);
      const Outcome done = run({"forget", "--workspace", w, "--graph", "2"});
      EXPECT_EQ(done.exit_code, 0) << done.err;
      const Outcome verified = run({"verify", "--workspace", w, "--retrain"});
      EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
    }
  }
  // To begin with them is a mistake.
  write("zeros.npy", testing::make_npy("<f8", "(4, 2)", testing::bytes_of(std::vector<double>(8, 0.0))));
  EXPECT_EQ(run({"train", "--rows", path("zeros.npy"), "--labels", path("zeros.labels"), "--workspace", w, "--force"})
                .exit_code,
            1);
}

TEST_F(Rows, AreLearnedForgottenAddedCorrectedPublishedAndPredicted) {
  const nlohmann::json report = document(with_rows({"train"}));
  EXPECT_EQ(report.at("graphs"), 40);
  EXPECT_EQ(report.at("coordinates"), kColumns);
  EXPECT_EQ(report.at("lambda"), 1e-4);
  EXPECT_EQ(report.at("features"), "attributes:4");
  EXPECT_EQ(report.at("uses"), nlohmann::json({"rows of 4 numbers, made outside"}));
  EXPECT_EQ(report.at("constants").at("rows"), "outside");
  EXPECT_EQ(report.at("constants").at("attributes"), "stated");

  const std::string w = path("r");
  EXPECT_TRUE(document({"forget", "--workspace", w, "--graph", "z-7"}).at("certificate").at("satisfied"));
  EXPECT_TRUE(document({"forget", "--workspace", w, "--subject", "z-person-5"}).at("certificate").at("satisfied"));
  EXPECT_EQ(document({"status", "--workspace", w}).at("graphs"), 37);
  EXPECT_TRUE(document({"add", "--workspace", w, "--rows", path("new.npy"), "--labels", path("new.labels"), "--row-ids",
                        path("new.ids"), "--subjects", path("new.subjects")})
                  .at("certificate")
                  .at("satisfied"));
  EXPECT_TRUE(document({"correct", "--workspace", w, "--graph", "z-0", "--node", "0", "--attributes", "1,0,0,0"})
                  .at("certificate")
                  .at("satisfied"));
  ASSERT_EQ(run({"release", "--workspace", w, "--out", path("model.json")}).exit_code, 0);
  const nlohmann::json by_model = document({"predict", "--model", path("model.json"), "--rows", path("new.npy")});
  EXPECT_EQ(by_model.at("graphs"), 10);
  EXPECT_TRUE(by_model.at("accuracy").is_null());
  const nlohmann::json by_workspace =
      document({"predict", "--workspace", w, "--rows", path("new.npy"), "--labels", path("new.labels")});
  EXPECT_EQ(by_workspace.at("predicted"), by_model.at("predicted"));
  EXPECT_GE(by_workspace.at("accuracy"), 0.8);
  EXPECT_EQ(run({"verify", "--workspace", w, "--retrain"}).exit_code, 0);
}

// A row is a graph of one node, so the same data as JSONL gives the same workspace.
TEST_F(Rows, AreTheSameAsGraphsOfOneNode) {
  ASSERT_EQ(run(with_rows({"train"})).exit_code, 0);
  const Dataset rows = read_rows({path("z.npy"), path("z.labels"), path("z.ids"), path("z.subjects")}).value();
  ASSERT_TRUE(write_jsonl(rows, path("z.jsonl")).ok());
  ASSERT_EQ(run({"train", "--data", path("z.jsonl"), "--workspace", path("g"), "--embedding", "rows", "--features",
                 "attributes:4"})
                .exit_code,
            2);  // --embedding says it all
  const nlohmann::json graphs =
      document({"train", "--data", path("z.jsonl"), "--workspace", path("g"), "--embedding", "rows"});
  EXPECT_EQ(open(path("g")).kept_weights(), open(path("r")).kept_weights());
  EXPECT_EQ(graphs.at("constants").at("rows"), "outside");
}

TEST_F(Rows, AScaleDividesAndIsStated) {
  const nlohmann::json report = document(with_rows({"train"}, {"--embedding", "rows:4"}));
  EXPECT_EQ(report.at("constants").at("transform"), "stated");
  EXPECT_TRUE(has(run({"status", "--workspace", path("r")}).out, "rows as they were given, divided by 4"));
}

// What the function cost stands wherever the promise stands.
TEST_F(Rows, AFunctionThatLearnedFromPrivateDataIsCounted) {
  const Outcome trained = run(with_rows({"train"}, {"--embedding-epsilon", "0.5", "--embedding-delta", "1e-6"}));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_TRUE(has(trained.out, "(epsilon, delta) = (1.5, 1.01e-06) for one removed subject at a time"));
  const std::string w = path("r");
  ASSERT_EQ(run({"forget", "--workspace", w, "--graph", "z-3", "--receipt", path("receipt.json")}).exit_code, 0);
  ASSERT_EQ(run({"release", "--workspace", w, "--out", path("model.json")}).exit_code, 0);
  for (const nlohmann::json& promise : {document({"status", "--workspace", w}).at("certificate"),
                                        nlohmann::json::parse(std::ifstream(path("receipt.json"))),
                                        nlohmann::json::parse(std::ifstream(path("model.json")))}) {
    EXPECT_EQ(promise.at("embedding").at("epsilon"), 0.5);
    EXPECT_NEAR(promise.at("with_embedding").at("epsilon").get<double>(), 1.5, 1e-12);
    EXPECT_NEAR(promise.at("with_embedding").at("delta").get<double>(), 1.01e-6, 1e-18);
  }
  EXPECT_TRUE(has(run({"certificate", "--workspace", w}).out, "rows and models"));
  EXPECT_EQ(run({"verify", "--workspace", w}).exit_code, 0);
  // It stays with the data: a training anew on the same rows does not lose it.
  const nlohmann::json again = document({"retrain", "--workspace", w, "--out", path("again"), "--lambda", "1e-3"});
  EXPECT_EQ(again.at("certificate").at("embedding").at("epsilon"), 0.5);
}

TEST_F(Rows, WrongUsageIsNamed) {
  const auto wrong = [&](const std::vector<std::string>& arguments, int exit_code, const char* words) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, exit_code) << words;
    EXPECT_TRUE(has(outcome.err, words)) << outcome.err;
  };
  const std::string z = path("z.npy");
  const std::string y = path("z.labels");
  wrong({"train", "--rows", z, "--workspace", path("x")}, 2, "--rows needs --labels");
  wrong(with_rows({"train", "--data", data()}), 2, "--data and --rows exclude each other");
  wrong({"train", "--data", data(), "--labels", y, "--workspace", path("x")}, 2, "--labels belongs to --rows");
  wrong({"train", "--data", data(), "--embedding-epsilon", "1", "--workspace", path("x")}, 2, "belong to --rows");
  wrong(with_rows({"train"}, {"--embedding-delta", "1e-6"}), 2, "needs --embedding-epsilon");
  wrong(with_rows({"train"}, {"--stream"}), 2, "--stream does not go with --rows");
  wrong(with_rows({"train"}, {"--preset", "paper"}), 2, "--preset paper is about graphs");
  wrong(with_rows({"train"}, {"--scales", "3"}), 1, "--rows are embeddings already");
  wrong(with_rows({"train"}, {"--embedding", "auto"}), 1, "--rows are embeddings already");
  wrong(with_rows({"train"}, {"--embedding", "rows:0"}), 2, "the scale is a positive number");
  wrong({"datasets", "info", z}, 1, "--rows FILE and --labels FILE");
}

}  // namespace
}  // namespace unscatter
