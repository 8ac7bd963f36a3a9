// unscatter release and predict, as a user meets them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "unscatter/learn/predict.h"
#include "workspace_fixture.h"

namespace unscatter {
namespace {

using testing::has;
using testing::Outcome;

class Publish : public testing::CliWorkspaceTest {
 protected:
  [[nodiscard]] nlohmann::json model(const char* name) const {
    return nlohmann::json::parse(testing::read_whole_file(path(name)));
  }
  [[nodiscard]] Outcome release(const char* name, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"release", "--workspace", workspace(), "--out", path(name)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
};

Matrix weights_of(const nlohmann::json& model) {
  const auto rows = model.at("weights").get<std::vector<std::vector<double>>>();
  Matrix weights(rows.at(0).size(), rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    weights.col(static_cast<Eigen::Index>(k)) =
        Eigen::Map<const Vector>(rows[k].data(), static_cast<Eigen::Index>(rows[k].size()));
  }
  return weights;
}

TEST_F(Publish, TheModelIsThePublishedOneBitForBit) {
  ASSERT_EQ(release("model.json").exit_code, 0);
  const nlohmann::json written = model("model.json");
  EXPECT_EQ(written.at("format"), "unscatter-model-2");
  EXPECT_EQ(written.at("sequence"), 1);
  EXPECT_EQ(written.at("entry"), status().at("hash"));
  EXPECT_EQ(written.at("classes"), nlohmann::json({"channel", "club"}));
  EXPECT_EQ(written.at("features"), "log-degree");
  EXPECT_EQ(written.at("transform").at("scales"), 2);
  EXPECT_EQ(written.at("release_number"), 1);
  EXPECT_EQ(written.at("releases"), 1000);
  EXPECT_EQ(written.at("epsilon"), 1.0);
  EXPECT_TRUE(written.at("bias").is_null());
  EXPECT_FALSE(written.at("assumptions").empty());
  Workspace library = open(workspace());
  EXPECT_EQ(weights_of(written), library.release().value().weights);
  // Noise is on it.
  EXPECT_NE(weights_of(written), library.session().value()->weights());
}

TEST_F(Publish, AModelThatCannotBeWrittenIsNotPublished) {
  EXPECT_EQ(release("nowhere/model.json").exit_code, 1);
  EXPECT_EQ(release("model.json", {"--receipt", path("nowhere/r.json")}).exit_code, 1);
  EXPECT_EQ(status().at("published"), 0);
  EXPECT_FALSE(std::filesystem::exists(path("model.json")));
  // The device takes nothing: now the model is counted, and this is said.
  const Outcome lost = run({"release", "--workspace", workspace(), "--out", "/dev/full", "--json"});
  EXPECT_EQ(lost.exit_code, 1);
  EXPECT_TRUE(has(lost.err, "model 1 is published, as ledger entry 1, but '/dev/full'")) << lost.err;
  EXPECT_EQ(lost.json().at("entry"), 1);
  EXPECT_TRUE(lost.json().contains("error"));
  EXPECT_EQ(status().at("published"), 1);
  // It is not lost, and nothing more is counted.
  ASSERT_EQ(release("model.json").exit_code, 0);
  EXPECT_EQ(status().at("published"), 1);
}

TEST_F(Publish, TheBiasStandsApart) {
  ASSERT_EQ(
      run({"train", "--data", data(), "--workspace", path("b"), "--features", "log-degree", "--scales", "2", "--bias"})
          .exit_code,
      0);
  ASSERT_EQ(run({"release", "--workspace", path("b"), "--out", path("b.json")}).exit_code, 0);
  {
    Workspace library = open(path("b"));
    const Matrix weights = library.release().value().weights;
    const auto width = static_cast<Eigen::Index>(library.embedder().width());
    EXPECT_EQ(weights_of(model("b.json")), weights.topRows(width));
    EXPECT_EQ(model("b.json").at("bias").at(1).get<double>(), weights(width, 1));
  }
  EXPECT_EQ(document({"predict", "--workspace", path("b"), "--data", data()}).at("predicted").size(), 60u);
}

TEST_F(Publish, TheSameModelUntilSomethingIsRemoved) {
  ASSERT_EQ(release("one.json").exit_code, 0);
  EXPECT_EQ(release("one.json").exit_code, 1);  // exists
  const Outcome again = release("two.json");
  EXPECT_TRUE(has(again.out, "the same as before")) << again.out;
  EXPECT_EQ(testing::read_whole_file(path("one.json")), testing::read_whole_file(path("two.json")));
  const Outcome receipt = release("two.json", {"--force", "--receipt", path("receipt.json")});
  ASSERT_EQ(receipt.exit_code, 0) << receipt.err;
  EXPECT_EQ(model("receipt.json").at("kind"), "released");
  EXPECT_EQ(model("receipt.json").at("entry"), model("two.json").at("entry"));
  EXPECT_EQ(release("four.json", {"--receipt", path("receipt.json")}).exit_code, 1);  // exists
  ASSERT_EQ(release("three.json", {"--fresh"}).exit_code, 0);
  EXPECT_EQ(model("three.json").at("release_number"), 2);
  EXPECT_NE(model("three.json").at("weights"), model("one.json").at("weights"));
  ASSERT_EQ(forget({"--graph", "5"}).exit_code, 0);
  ASSERT_EQ(release("one.json", {"--force"}).exit_code, 0);
  EXPECT_EQ(model("one.json").at("release_number"), 3);
}

TEST_F(Publish, NoMoreThanTheGuaranteeCovers) {
  ASSERT_EQ(run({"train", "--data", data(), "--workspace", path("two"), "--features", "log-degree", "--scales", "2",
                 "--releases", "1"})
                .exit_code,
            0);
  EXPECT_EQ(run({"release", "--workspace", path("two"), "--out", path("a.json")}).exit_code, 0);
  const Outcome refused = run({"release", "--workspace", path("two"), "--out", path("b.json"), "--fresh", "--json"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_EQ(refused.json().at("error").at("code"), "limit-exceeded");
  EXPECT_FALSE(std::filesystem::exists(path("b.json")));
}

TEST_F(Publish, PredictionsComeFromThePublishedModel) {
  const nlohmann::json report =
      document({"predict", "--workspace", workspace(), "--data", data(), "--out", path("p.csv")});
  EXPECT_EQ(report.at("graphs"), 60);
  EXPECT_EQ(report.at("model"), "published");
  EXPECT_EQ(report.at("release_number"), 1);
  EXPECT_EQ(status().at("published"), 1);

  Workspace library = open(workspace());
  const PublishedModel published = library.release().value();
  const SparseBlockRows Z = library.embedder().embed(groups()).value();
  EXPECT_EQ(report.at("accuracy").get<double>(), accuracy(Z, groups().labels, published.weights));
  const std::vector<std::uint32_t> expected = predict(Z, published.weights);
  const std::string csv = testing::read_whole_file(path("p.csv"));
  EXPECT_TRUE(csv.starts_with("number,id,label,predicted,lead\n")) << csv.substr(0, 100);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 61);
  EXPECT_TRUE(has(csv, "\n7," + groups().graph_ids[7] + ',' + groups().class_names[groups().labels[7]] + ',' +
                           groups().class_names[expected[7]] + ','));
}

// Nothing but model.json and the new graphs: no workspace, no key, no configuration.
class PublishedAlone : public Publish {
 protected:
  void SetUp() override {
    Publish::SetUp();
    ASSERT_EQ(release("model.json").exit_code, 0);
  }
  [[nodiscard]] Outcome alone(std::vector<std::string> more) const {
    std::vector<std::string> arguments = {"predict", "--model", path("model.json")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return testing::run_program(arguments, {{"XDG_CONFIG_HOME", path("empty")}});
  }
  // The groups without their labels.
  [[nodiscard]] std::string unlabelled() const {
    std::string text = testing::read_whole_file(data());
    for (const std::string& name : groups().class_names) {
      const std::string label = "\"label\":\"" + name + "\",";
      for (std::size_t at = text.find(label); at != std::string::npos; at = text.find(label))
        text.erase(at, label.size());
    }
    return folder_.write("new.jsonl", text).string();
  }
};

TEST_F(PublishedAlone, GivesTheLinesOfTheWorkspaceToTheLastDigit) {
  for (const std::string format : {"csv", "jsonl"}) {
    SCOPED_TRACE(format);
    const std::vector<std::string> lines = {"--data", data(), "--format", format, "--scores"};
    std::vector<std::string> by_workspace = {"predict", "--workspace", workspace()};
    by_workspace.insert(by_workspace.end(), lines.begin(), lines.end());
    const Outcome whole = run(by_workspace);
    ASSERT_EQ(whole.exit_code, 0) << whole.err;
    EXPECT_EQ(std::count(whole.out.begin(), whole.out.end(), '\n'), format == "csv" ? 61 : 60);
    for (const char* threads : {"1", "2"}) {
      std::vector<std::string> more = lines;
      more.insert(more.end(), {"--threads", threads});
      const Outcome file = alone(more);
      ASSERT_EQ(file.exit_code, 0) << file.err;
      EXPECT_EQ(file.out, whole.out);
      // Standard output is data.  What people want to know is on the other one.
      EXPECT_TRUE(has(file.err, "accuracy: ")) << file.err;
    }
  }
  // What is compared could differ: another model of the same data has other scores.
  ASSERT_EQ(release("other.json", {"--fresh"}).exit_code, 0);
  const std::vector<std::string> csv = {"--data", data(), "--format", "csv", "--scores"};
  const std::string before = alone(csv).out;
  std::filesystem::rename(path("other.json"), path("model.json"));
  EXPECT_NE(alone(csv).out, before);
}

TEST_F(PublishedAlone, GraphsWithoutALabelArePredicted) {
  const Outcome lines = alone({"--data", unlabelled(), "--format", "csv"});
  ASSERT_EQ(lines.exit_code, 0) << lines.err;
  EXPECT_FALSE(has(lines.err, "accuracy")) << lines.err;
  const std::string with_labels = alone({"--data", data(), "--format", "csv"}).out;
  // The same but for the column of labels, which is empty.
  std::string expected = with_labels;
  for (const std::string& name : groups().class_names) {
    const std::string cell = ',' + name + ',';
    for (std::size_t at = 0; (at = expected.find(cell, at)) != std::string::npos;) {
      const std::size_t line = expected.rfind('\n', at) + 1;
      const bool third_column = std::count(expected.begin() + static_cast<std::ptrdiff_t>(line),
                                           expected.begin() + static_cast<std::ptrdiff_t>(at), ',') == 1;
      if (third_column) expected.erase(at + 1, name.size());
      at += 1;
    }
  }
  EXPECT_EQ(lines.out, expected);
  const nlohmann::json report = alone({"--data", unlabelled(), "--json"}).json();
  EXPECT_EQ(report.at("labelled"), 0);
  EXPECT_TRUE(report.at("accuracy").is_null());
  EXPECT_EQ(report.at("predicted").size(), 60u);
  // Training on them is refused with the line and the cure.
  const Outcome train = run({"train", "--data", unlabelled(), "--workspace", path("x")});
  EXPECT_EQ(train.exit_code, 1);
  EXPECT_TRUE(has(train.err, "line 1: \"label\" is missing")) << train.err;
}

TEST_F(PublishedAlone, ReadsStandardInputAndWritesAFile) {
  const std::string by_file = alone({"--data", data(), "--format", "jsonl"}).out;
  const std::string command = std::string(UNSCATTER_PROGRAM) + " predict --model " + path("model.json") +
                              " --data - --out " + path("p.jsonl") + " < " + data();
  const Outcome piped = testing::run_program_at("/bin/sh", {"-c", command}, environment());
  ASSERT_EQ(piped.exit_code, 0) << piped.err;
  EXPECT_EQ(testing::read_whole_file(path("p.jsonl")), by_file);
  // A line that is wrong: the file that was there stays.
  const Outcome wrong =
      alone({"--data", folder_.write("w.jsonl", "{\"nodes\":1}\n").string(), "--out", path("p.jsonl"), "--force"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_TRUE(has(wrong.err, "line 1: \"edges\" is missing")) << wrong.err;
  EXPECT_EQ(testing::read_whole_file(path("p.jsonl")), by_file);
}

TEST_F(PublishedAlone, SaysWhatItKnowsAboutTheSigner) {
  const std::string signer = model("model.json").at("signer");
  const Outcome believed = alone({"--data", data()});
  EXPECT_EQ(believed.exit_code, 0);
  EXPECT_TRUE(has(believed.err, "does not tell who signed it: --key says whom you trust")) << believed.err;
  const Outcome checked = alone({"--data", data(), "--key", signer});
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_FALSE(has(checked.err, "whom you trust")) << checked.err;
  const Outcome stranger = alone({"--data", data(), "--key", std::string(64, '1')});
  EXPECT_EQ(stranger.exit_code, 1);
  EXPECT_TRUE(has(stranger.err, "as its signer, not 1111")) << stranger.err;

  // Planted: one digit of one weight.  The key in the file is enough to notice.
  std::string text = testing::read_whole_file(path("model.json"));
  const std::size_t at = text.find_first_of("123456789", text.find("\"weights\""));
  text[at] = text[at] == '9' ? '8' : static_cast<char>(text[at] + 1);
  folder_.write("model.json", text);
  const Outcome changed = alone({"--data", data()});
  EXPECT_EQ(changed.exit_code, 1);
  EXPECT_TRUE(has(changed.err, "signature is wrong") || has(changed.err, "was changed")) << changed.err;
  EXPECT_TRUE(changed.out.empty());
}

TEST_F(PublishedAlone, AGraphThatLacksFeaturesIsNamedByItsLine) {
  std::string text;
  for (int i = 0; i < 12; ++i) {
    text += "{\"label\":" + std::to_string(i % 2) + ",\"nodes\":3,\"edges\":[[0,1]" + (i % 2 == 0 ? ",[1,2]" : "") +
            "],\"features\":[[0.1],[0.2],[0.5]]}\n";
  }
  const std::string good = folder_.write("good.jsonl", text).string();
  const std::string bad = folder_.write("bad.jsonl", text + "{\"nodes\":1,\"edges\":[]}\n").string();
  ASSERT_EQ(
      run({"train", "--data", good, "--workspace", path("f"), "--features", "attributes", "--scales", "2"}).exit_code,
      0);
  ASSERT_EQ(run({"release", "--workspace", path("f"), "--out", path("model.json"), "--force"}).exit_code, 0);
  EXPECT_EQ(alone({"--data", good}).exit_code, 0);
  const Outcome refused = alone({"--data", bad, "--out", path("p.csv")});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(has(refused.err, "bad.jsonl, line 13: ")) << refused.err;
  EXPECT_TRUE(has(refused.err, "give the graph the same features, or leave it out")) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(path("p.csv")));
}

TEST_F(PublishedAlone, WrongUsageIsNamed) {
  EXPECT_EQ(run({"predict", "--data", data()}).exit_code, 2);
  EXPECT_EQ(alone({"--data", data(), "--workspace", workspace()}).exit_code, 2);
  EXPECT_EQ(alone({"--data", data(), "--kept"}).exit_code, 2);
  EXPECT_EQ(alone({"--data", data(), "--format", "csv", "--json"}).exit_code, 2);
  EXPECT_EQ(alone({"--data", data(), "--format", "xml"}).exit_code, 2);
  EXPECT_EQ(alone({"--data", data(), "--scores"}).exit_code, 2);
}

TEST_F(Publish, KeptWeightsAreUsedOnlyWithAWarning) {
  const Outcome kept = run({"predict", "--workspace", workspace(), "--data", data(), "--kept"});
  EXPECT_EQ(kept.exit_code, 0);
  EXPECT_TRUE(has(kept.err, "must not leave the house")) << kept.err;
  EXPECT_TRUE(has(kept.out, "NOT protected")) << kept.out;
  EXPECT_TRUE(has(kept.out, "and 40 more")) << kept.out;
  EXPECT_EQ(status().at("published"), 0);
}

TEST_F(Publish, OnlyANewModelNeedsTheKey) {
  const testing::Environment nobody = {{"XDG_CONFIG_HOME", path("empty")}};
  const std::vector<std::string> predict = {"predict", "--workspace", workspace(), "--data", data()};
  const Outcome refused = testing::run_program(predict, nobody);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(has(refused.err, "there is no signing key")) << refused.err;
  ASSERT_EQ(release("model.json").exit_code, 0);
  EXPECT_EQ(testing::run_program(predict, nobody).exit_code, 0);
}

TEST_F(Publish, ClassesThatTheModelDoesNotKnowHaveNoAccuracy) {
  const std::string other = folder_.write("other.jsonl", testing::read_whole_file(data())).string();
  std::string text = testing::read_whole_file(other);
  const std::size_t at = text.find("\"club\"");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 6, "\"clubs, \\\"new\\\"\"");
  folder_.write("other.jsonl", text);
  const nlohmann::json report =
      document({"predict", "--workspace", workspace(), "--data", other, "--out", path("p.csv")});
  EXPECT_TRUE(report.at("accuracy").is_null());
  EXPECT_TRUE(has(testing::read_whole_file(path("p.csv")), ",\"clubs, \"\"new\"\"\","));
}

}  // namespace
}  // namespace unscatter
