// unscatter embed, as a user meets it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "subprocess.h"
#include "support/npy.h"
#include "support/temporary_folder.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/embedding/transform_spec.h"
#include "unscatter/graph/read.h"

namespace unscatter {
namespace {

using testing::Outcome;
using testing::run_program;
using testing::TemporaryFolder;

class Embed : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(run_program({"datasets", "generate", data(), "--groups", "30", "--users", "200"}).exit_code, 0);
  }
  [[nodiscard]] std::string data() const { return (folder_.path() / "groups.jsonl").string(); }
  [[nodiscard]] std::string out(const char* name = "Z.npy") const { return (folder_.path() / name).string(); }

  TemporaryFolder folder_;
};

TEST_F(Embed, WritesWhatTheLibraryComputes) {
  const Outcome outcome =
      run_program({"embed", "--data", data(), "--out", out(), "--operator", "column", "--scales", "3", "--moments", "2",
                   "--layers", "3", "--features", "log-degree+degree-onehot:9", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;

  TransformSpec spec;
  spec.op = WalkOperator::kColumn;
  spec.scales = 3;
  spec.moments = 2;
  std::vector<EmbeddingBlock> blocks;
  blocks.push_back({FeatureMap::parse("log-degree+degree-onehot:9").value(), make_transform(spec).value()});
  const SparseBlockRows Z = Embedder(std::move(blocks), spec.row_norm).embed(read_dataset(data()).value()).value();
  EXPECT_EQ(testing::read_npy(out()), Z.to_dense());

  const nlohmann::json document = outcome.json();
  EXPECT_EQ(document.at("graphs"), 30);
  EXPECT_EQ(document.at("coordinates"), Z.columns());
  EXPECT_EQ(document.at("features"), "log-degree+degree-onehot:9");
  for (const char* stage : {"read_seconds", "embed_seconds", "write_seconds"}) EXPECT_GE(document.at(stage), 0.0);
  EXPECT_TRUE(outcome.err.empty()) << outcome.err;
}

// A file of lines is embedded as it is read, by the constants of its first graphs.  If later ones change these, the
// rows are those of all graphs nevertheless, and nothing is left of the first attempt.
TEST_F(Embed, ConstantsThatChangeLateAreThoseOfAllGraphs) {
  std::string lines;
  for (int g = 0; g < 3000; ++g) {
    lines += fmt::format(R"({{"nodes":3,"edges":[[0,1],[1,2]],"node_labels":[{},0,1]}})", g < 2900 ? g % 3 : g % 7);
    lines += '\n';
  }
  const auto path = folder_.write("late.jsonl", lines);
  for (const char* rule : {"labels", "all", "degree-onehot"}) {
    SCOPED_TRACE(rule);
    const Outcome outcome = run_program({"embed", "--data", path.string(), "--out", out(), "--force", "--features",
                                         rule, "--fit", "private", "--scales", "2", "--json"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    TransformSpec spec;
    spec.scales = 2;
    Dataset all;
    all.class_names = {"any"};
    GraphStream stream = GraphStream::open(path).value();
    while (auto graph = stream.next().value()) {
      all.graphs.push_back(std::move(graph->graph));
      all.labels.push_back(0);
    }
    const auto embedder = make_embedder(rule, spec, all, FitSource::private_refit()).value();
    EXPECT_EQ(testing::read_npy(out()), embedder->embed(all).value().to_dense());
    EXPECT_EQ(outcome.json().at("features"), embedder->blocks().front().features.describe());
    EXPECT_EQ(outcome.json().at("graphs"), 3000);
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    EXPECT_FALSE(entry.path().string().ends_with(".tmp")) << entry.path();
  }
}

// A pipe can be read once, by whoever reads it first.
TEST_F(Embed, APipeGivesWhatAFileGives) {
  const std::string lines = testing::read_whole_file(data());
  const auto pipe = folder_.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(pipe) << lines; });
  const Outcome outcome = run_program({"embed", "--data", pipe.string(), "--out", out("piped.npy")});
  writer.join();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  ASSERT_EQ(run_program({"embed", "--data", data(), "--out", out()}).exit_code, 0);
  EXPECT_EQ(testing::read_whole_file(out("piped.npy")), testing::read_whole_file(out()));
}

// Which row is which graph.  Graphs without a label are embedded too.
TEST_F(Embed, WritesIdsAndLabelsBesideTheRows) {
  const Dataset groups = read_dataset(data()).value();
  const std::vector<std::string> features = {"--features", "log-degree", "--scales", "2"};
  const auto embed = [&](const std::string& from, const std::string& to) {
    std::vector<std::string> arguments = {"embed", "--data", from, "--out", to};
    arguments.insert(arguments.end(), features.begin(), features.end());
    return run_program(arguments);
  };
  ASSERT_EQ(embed(data(), out()).exit_code, 0);
  const std::string table = testing::read_whole_file(out("Z.graphs.csv"));
  EXPECT_TRUE(table.starts_with("number,id,label\n0," + groups.graph_ids[0] + ',' +
                                groups.class_names[groups.labels[0]] + "\n1,"))
      << table.substr(0, 100);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 31);

  ASSERT_EQ(embed(data(), out("Z.csv")).exit_code, 0);
  const std::string csv = testing::read_whole_file(out("Z.csv"));
  EXPECT_TRUE(csv.starts_with("number,id,label,z0,z1,")) << csv.substr(0, 100);
  const auto Z = testing::read_npy(out());
  std::string row = "\n29," + groups.graph_ids[29] + ',' + groups.class_names[groups.labels[29]];
  for (Eigen::Index c = 0; c < Z.cols(); ++c) row += fmt::format(",{}", Z(29, c));
  EXPECT_TRUE(csv.ends_with(row + '\n')) << csv.substr(csv.size() - 200);

  const std::string nameless = folder_.write("n.jsonl", "{\"nodes\":2,\"edges\":[[0,1]]}\n").string();
  ASSERT_EQ(embed(nameless, out("N.csv")).exit_code, 0);
  EXPECT_TRUE(testing::read_whole_file(out("N.csv")).find("\n0,,,") != std::string::npos);

  folder_.write("P.graphs.csv", "precious");
  EXPECT_EQ(embed(data(), out("P.npy")).exit_code, 1);
  EXPECT_EQ(testing::read_whole_file(out("P.graphs.csv")), "precious");
  EXPECT_FALSE(std::filesystem::exists(out("P.npy")));
}

TEST_F(Embed, TheResultDoesNotDependOnTheThreads) {
  ASSERT_EQ(run_program({"embed", "--data", data(), "--out", out("one.npy"), "--threads", "1"}).exit_code, 0);
  ASSERT_EQ(run_program({"embed", "--data", data(), "--out", out("two.npy"), "--threads", "2"}).exit_code, 0);
  EXPECT_EQ(testing::read_whole_file(out("one.npy")), testing::read_whole_file(out("two.npy")));
}

TEST_F(Embed, EveryTransformRuns) {
  for (const std::string_view family : transform_families()) {
    SCOPED_TRACE(family);
    // These graphs have no positions, and more than one node.
    if (family == "windows" || family == "rows") continue;
    std::vector<std::string> arguments{"embed",      "--data",    data(), "--transform", std::string(family),
                                       "--features", "log-degree"};
    if (family == "custom") arguments.insert(arguments.end(), {"--kernel", "0..1: 1 -1 | 0..1: 0 1; 1..2: 1"});
    const bool wavelets = family != "gft" && family != "pagerank" && family != "portrait" && family != "blocks";
    if (wavelets) arguments.emplace_back("--frame-bounds");
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out.find("frame bounds") != std::string::npos, wavelets);
  }
}

TEST_F(Embed, RecipesRunAndMistakesAreNamed) {
  for (const char* recipe :
       {"auto", "social", "molecule", "general", "paper", "portrait", "size*3 + paths > scale:0.5"}) {
    const Outcome outcome = run_program({"embed", "--data", data(), "--embedding", recipe});
    EXPECT_EQ(outcome.exit_code, 0) << recipe << outcome.err;
  }
  const Outcome near = run_program({"embed", "--data", data(), "--embedding", "size + shape"});
  EXPECT_NE(near.exit_code, 0);
  EXPECT_NE(near.err.find("did you mean 'shapes'?"), std::string::npos) << near.err;
  const Outcome both = run_program({"embed", "--data", data(), "--embedding", "auto", "--transform", "gft"});
  EXPECT_NE(both.exit_code, 0);
  EXPECT_NE(both.err.find("--embedding says it all"), std::string::npos) << both.err;
}

TEST_F(Embed, KeepsAnExistingFileUnlessForced) {
  folder_.write("Z.npy", "precious");
  const Outcome refused = run_program({"embed", "--data", data(), "--out", out()});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("--force"), std::string::npos);
  EXPECT_EQ(testing::read_whole_file(out()), "precious");
  EXPECT_EQ(run_program({"embed", "--data", data(), "--out", out(), "--force"}).exit_code, 0);
}

struct EmbedMistake {
  std::vector<std::string> arguments;
  int exit_code;
  const char* says;
};

TEST_F(Embed, MistakesAreNamedAndLeaveNothingBehind) {
  const std::vector<EmbedMistake> mistakes = {
      {{"--transform", "wavelet"}, 2, "wavelet"},
      {{"--scales", "0"}, 1, "--scales 0 is outside its range"},
      {{"--features", "colour"}, 1, "unknown feature 'colour'"},
      {{"--features", "labels"}, 1, "--fit private"},
      {{"--features", "labels", "--fit", "once"}, 1, "no node labels"},
      {{"--kernel", "0..2: 1"}, 1, "--transform custom"},
      {{"--transform", "custom"}, 1, "needs a kernel"},
      {{"--transform", "custom", "--kernel", "0..1: 0 1"}, 1, "frame"},
      {{"--transform", "itersine", "--operator", "row"}, 1, "--operator row does not go with"},
      {{"--operator", "symmetric"}, 1, "diffusion"},
      {{"--transform", "gft", "--frame-bounds"}, 1, "no wavelets"},
  };
  for (const EmbedMistake& mistake : mistakes) {
    std::vector<std::string> arguments{"embed", "--data", data(), "--out", out()};
    arguments.insert(arguments.end(), mistake.arguments.begin(), mistake.arguments.end());
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.exit_code, mistake.exit_code) << mistake.says << ": " << outcome.err;
    EXPECT_NE(outcome.err.find(mistake.says), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(out())) << mistake.says;
  }
}

}  // namespace
}  // namespace unscatter
