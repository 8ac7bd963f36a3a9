// unscatter datasets list, info, generate, as a user meets them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "subprocess.h"
#include "support/data_folder.h"
#include "support/temporary_folder.h"
#include "unscatter/graph/generate.h"

namespace unscatter {
namespace {

using testing::has;
using testing::Outcome;
using testing::read_whole_file;
using testing::run_program;
using testing::TemporaryFolder;

long lines_of(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }
TEST(DatasetsList, NamesTheCatalogueAndWhatIsHere) {
  const TemporaryFolder cache;
  const TemporaryFolder data;
  cache.write("MUTAG/MUTAG.zip", "only looked at by name");
  data.write("MNIST/MNIST_superpixels_train.npz", "the same");
  const testing::Environment environment = {{"UNSCATTER_CACHE", cache.path()}, {"UNSCATTER_DATA", data.path()}};

  const nlohmann::json document = run_program({"datasets", "list", "--json"}, environment).json();
  ASSERT_EQ(document.at("datasets").size(), 10u);
  for (const auto& entry : document.at("datasets")) {
    const std::string name = entry.at("name");
    SCOPED_TRACE(name);
    const auto place = name == "MUTAG"   ? nlohmann::json("cache")
                       : name == "MNIST" ? nlohmann::json("data")
                                         : nlohmann::json();
    EXPECT_EQ(entry.at("place"), place);
    EXPECT_EQ(entry.at("path").is_null(), place.is_null());
  }

  const Outcome text = run_program({"datasets", "list"}, environment);
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_TRUE(has(text.out, "IMDB-BINARY")) << text.out;
  EXPECT_TRUE(has(text.out, cache.path().string())) << text.out;
  EXPECT_TRUE(text.err.empty());
}

// A directed triangle with a tail that points out, and an undirected pair with weights.
TEST(DatasetsInfo, CountsDirectedAndMixedDataRight) {
  const TemporaryFolder folder;
  const std::string directed = R"({"label":1,"nodes":4,"directed":true,"edges":[[0,1],[1,2],[2,0],[3,0]]})";
  const std::string undirected = R"({"label":2,"nodes":2,"edges":[[0,1,2.5]]})";
  const auto one = folder.write("one.jsonl", directed + "\n");
  const nlohmann::json single = run_program({"datasets", "info", one.string(), "--json"}).json();
  EXPECT_EQ(single.at("isolated_nodes"), 0);
  EXPECT_EQ(single.at("mean_degree"), 1.0);
  EXPECT_TRUE(has(run_program({"datasets", "info", one.string()}).out, "in-degree       1.00 on average, at most 2"));

  const auto both = folder.write("both.jsonl", directed + "\n" + undirected + "\n");
  const nlohmann::json mixed = run_program({"datasets", "info", both.string(), "--json"}).json();
  EXPECT_EQ(mixed.at("isolated_nodes"), 0);
  EXPECT_EQ(mixed.at("edges"), 5);
  EXPECT_EQ(mixed.at("mean_degree"), 1.0);
  EXPECT_EQ(mixed.at("directed_graphs"), 1);
  EXPECT_EQ(mixed.at("weighted_graphs"), 1);
  const std::string text = run_program({"datasets", "info", both.string()}).out;
  EXPECT_TRUE(has(text, "5 in 1 directed and 1 undirected graphs")) << text;
  EXPECT_TRUE(has(text, "weights         in 1 of 2 graphs")) << text;
}

TEST(DatasetsInfo, SaysWhatOnlySomeGraphsHave) {
  const TemporaryFolder folder;
  const auto path = folder.write("d.jsonl",
                                 "{\"label\":1,\"nodes\":1,\"edges\":[],\"features\":[[1,2]],\"node_labels\":[4]}\n"
                                 "{\"label\":2,\"nodes\":1,\"edges\":[],\"node_labels\":[5]}\n");
  const std::string text = run_program({"datasets", "info", path.string()}).out;
  EXPECT_TRUE(has(text, "attributes      2 per node, in 1 of 2 graphs only\n")) << text;
  EXPECT_TRUE(has(text, "node labels     2 distinct\n")) << text;
}

TEST(DatasetsInfo, AnUnknownPathIsOneSentenceAndExit1) {
  const TemporaryFolder cache;
  const testing::Environment environment = {{"UNSCATTER_CACHE", cache.path()}};
  const Outcome outcome = run_program({"datasets", "info", "nowhere.zip"}, environment);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(outcome.out.empty());
  EXPECT_EQ(lines_of(outcome.err), 1) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "nowhere.zip"));

  const Outcome json = run_program({"datasets", "info", "nowhere.zip", "--json"}, environment);
  EXPECT_EQ(json.exit_code, 1);
  EXPECT_EQ(json.json().at("error").at("code"), "not-found");
  EXPECT_EQ("unscatter: " + json.json().at("error").at("message").get<std::string>() + "\n", json.err);
  EXPECT_EQ(json.err, outcome.err);
}

TEST(DatasetsInfo, AKnownNameThatIsNotHereSaysHowToGetIt) {
  const TemporaryFolder cache;
  const testing::Environment environment = {{"UNSCATTER_CACHE", cache.path()}};
  EXPECT_TRUE(has(run_program({"datasets", "info", "MUTAG"}, environment).err, "unscatter datasets fetch MUTAG"));
  EXPECT_TRUE(has(run_program({"datasets", "info", "MNIST"}, environment).err, "not on the TUDataset site"));
}

TEST(DatasetsInfo, AFileThatIsNoDataSetIsRefused) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program({"datasets", "info", folder.write("notes.txt", "hello\n")});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(has(outcome.err, "notes.txt")) << outcome.err;
  EXPECT_TRUE(outcome.out.empty());
}

TEST(DatasetsGenerate, WhatInfoReadsIsWhatTheLibraryMakes) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "groups.jsonl";
  const Outcome written = run_program({"datasets", "generate", file, "--groups", "60", "--users", "300", "--min-size",
                                       "5", "--max-size", "12", "--noise", "0.3", "--seed", "9", "--json"});
  ASSERT_EQ(written.exit_code, 0) << written.err;
  EXPECT_TRUE(written.err.empty()) << written.err;
  const Dataset expected =
      generate_interest_groups({.groups = 60, .users = 300, .min_size = 5, .max_size = 12, .noise = 0.3, .seed = 9})
          .value();
  EXPECT_EQ(written.json().at("content_digest"), content_digest(expected).hex());

  const Outcome read = run_program({"datasets", "info", file, "--json"});
  ASSERT_EQ(read.exit_code, 0) << read.err;
  EXPECT_TRUE(read.err.empty()) << read.err;  // a pipe gets no progress
  const nlohmann::json info = read.json();
  const DatasetSummary summary = summarise(expected);
  EXPECT_EQ(info.at("content_digest"), content_digest(expected).hex());
  EXPECT_EQ(info.at("format"), "jsonl");
  EXPECT_EQ(info.at("graphs"), 60);
  EXPECT_EQ(info.at("classes").at(0).at("name"), "channel");
  EXPECT_EQ(info.at("classes").at(0).at("graphs"), 30);
  EXPECT_EQ(info.at("nodes"), summary.nodes);
  EXPECT_EQ(info.at("edges"), summary.edges);
  EXPECT_EQ(info.at("distinct_node_ids"), summary.distinct_node_ids);

  const Outcome text = run_program({"datasets", "info", file});
  EXPECT_TRUE(has(text.out, "2 (channel: 30, club: 30)")) << text.out;
  EXPECT_TRUE(has(text.out, content_digest(expected).hex())) << text.out;
}

TEST(DatasetsGenerate, NeverOverwritesUnasked) {
  const TemporaryFolder folder;
  const std::string file = folder.write("precious.jsonl", "precious");
  const Outcome refused = run_program({"datasets", "generate", file, "--groups", "5"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(has(refused.err, "--force")) << refused.err;
  EXPECT_EQ(read_whole_file(file), "precious");

  EXPECT_EQ(run_program({"datasets", "generate", file, "--groups", "5", "--force"}).exit_code, 0);
  EXPECT_NE(read_whole_file(file), "precious");
  EXPECT_EQ(run_program({"datasets", "generate", folder.path(), "--force"}).exit_code, 1);
}

TEST(DatasetsGenerate, AnOptionOutOfRangeIsRefusedAndNothingWritten) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "groups.jsonl";
  const Outcome outcome = run_program({"datasets", "generate", file, "--noise", "1.5", "--json"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.json().at("error").at("code"), "invalid-argument");
  EXPECT_TRUE(has(outcome.err, "1.5"));
  EXPECT_FALSE(std::filesystem::exists(file));
}

// On a terminal the bar may come and go, but what stays is the text alone.
TEST(DatasetsInfo, QuietShowsNoProgressOnATerminal) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "groups.jsonl";
  ASSERT_EQ(run_program({"datasets", "generate", file, "--groups", "5"}).exit_code, 0);
  const Outcome quiet = testing::run_program_on_terminal({"datasets", "info", file, "--quiet"}, {{"TERM", "xterm"}});
  EXPECT_EQ(quiet.exit_code, 0);
  EXPECT_TRUE(has(quiet.out, "content digest"));
  EXPECT_FALSE(has(quiet.out, "\x1b"));
}

// The counts of the catalogue are those of the files.
TEST(DatasetsInfo, TheCatalogueDescribesTheRealDataSets) {
  UNSCATTER_REQUIRE_DATA(data);
  const TemporaryFolder cache;
  const testing::Environment environment = {{"UNSCATTER_CACHE", cache.path()}, {"UNSCATTER_DATA", data}};
  const nlohmann::json catalogue = run_program({"datasets", "list", "--json"}, environment).json();
  for (const auto& entry : catalogue.at("datasets")) {
    // The large ones are covered by the tests of the readers.
    if (entry.at("path").is_null() || entry.at("nodes") > 200'000) continue;
    const std::string name = entry.at("name");
    SCOPED_TRACE(name);
    const Outcome outcome = run_program({"datasets", "info", name, "--json"}, environment);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const nlohmann::json info = outcome.json();
    EXPECT_EQ(info.at("graphs"), entry.at("graphs"));
    EXPECT_EQ(info.at("nodes"), entry.at("nodes"));
    EXPECT_EQ(info.at("classes").size(), entry.at("classes"));
    if (!entry.at("content_digest").is_null()) {
      EXPECT_EQ(info.at("content_digest"), entry.at("content_digest"));
    }
  }
}

}  // namespace
}  // namespace unscatter
