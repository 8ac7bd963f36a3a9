// The first pass: what it finds, what it refuses, and in which words.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "store/streamed_data.h"
#include "support/temporary_folder.h"
#include "unlearn/row_pile.h"
#include "unscatter/graph/read.h"
#include "unscatter/store/workspace.h"

namespace unscatter {
namespace {

namespace fs = std::filesystem;
using testing::file_data;
using testing::FileForm;
using testing::quick_setup;

class SurveyTest : public ::testing::Test {
 protected:
  Status survey_lines(const std::string& lines, WorkspaceSetup& setup) {
    std::ofstream(path_) << lines;
    return survey_file(setup);
  }
  Status survey_file(WorkspaceSetup& setup) {
    opened_ = 0;
    return survey(setup, [&] {
      ++opened_;
      return GraphStream::open(path_);
    });
  }
  testing::TemporaryFolder folder_{testing::memory_folder()};
  fs::path path_ = folder_.path() / "data.jsonl";
  std::size_t opened_ = 0;
};

std::string line(const std::string& id, const std::string& label, const std::string& more = "") {
  return "{" + (id.empty() ? "" : R"("id":")" + id + R"(",)") + (label.empty() ? "" : R"("label":)" + label + ",") +
         R"("nodes":2,"edges":[[0,1]])" + more + "}\n";
}

// The order of classes is that of the ordinary reader, whatever comes first in the file.
TEST_F(SurveyTest, FindsWhatTheReaderFinds) {
  const Dataset data = file_data(40, {.directed = true, .attributes = 2, .labels = true});
  ASSERT_TRUE(write_jsonl(data, path_).ok());
  const Dataset read = read_jsonl(path_).value();
  WorkspaceSetup setup = quick_setup("all");
  ASSERT_TRUE(survey(setup, [&] { return GraphStream::open(path_); }, {.threads = 1}).ok());
  EXPECT_EQ(setup.stream->form, count_forms(read));
  EXPECT_EQ(setup.dataset.class_names, read.class_names);
  EXPECT_EQ(setup.stream->labels, read.labels);
  EXPECT_EQ(setup.stream->rows->rows(), 40u);
  EXPECT_EQ(setup.stream->subjects, summarise(read).distinct_node_ids);
  EXPECT_TRUE(setup.stream->has_graph_ids);
  // Graphs of one form show all there is to fit.
  EXPECT_EQ(setup.dataset.graphs.size(), 1u);
}

TEST_F(SurveyTest, ReadsOnceMoreOnlyIfTheFitChangesLate) {
  WorkspaceSetup plain = quick_setup("all");
  ASSERT_TRUE(write_jsonl(file_data(1500, {}), path_).ok());
  ASSERT_TRUE(survey_file(plain).ok());
  EXPECT_EQ(opened_, 1u);
  WorkspaceSetup late = quick_setup("all");
  ASSERT_TRUE(write_jsonl(file_data(1500, {.late = 1490}), path_).ok());
  ASSERT_TRUE(survey_file(late).ok());
  EXPECT_EQ(opened_, 2u);
  EXPECT_EQ(late.dataset.graphs.size(), 2u);
}

// Every union and maximum comes out as from all graphs, and no other rule is tried.
TEST_F(SurveyTest, FitsAsOnAllGraphs) {
  ASSERT_TRUE(write_jsonl(file_data(200, {.attributes = 1, .labels = true, .late = 150}), path_).ok());
  const Dataset all = read_jsonl(path_).value();
  for (const char* rule : {"all", "auto", "attributes", "labels", "degree-onehot", "labels+degree-onehot",
                           "product(labels,degree-onehot)", "log-degree"}) {
    SCOPED_TRACE(rule);
    for (const FitSource& fit : {FitSource::private_refit(), FitSource::once()}) {
      WorkspaceSetup setup = quick_setup(rule);
      setup.transform.layers = 1;
      setup.fit = fit;
      const Status status = survey_file(setup);
      const Result<FeatureMap> expected = FeatureMap::resolve(rule, all, fit);
      ASSERT_TRUE(expected.ok());
      // A graph that the features cannot serve is refused in both ways.
      if (status.ok()) {
        EXPECT_EQ(setup.stream->features, expected->describe());
      } else {
        EXPECT_EQ(std::string(rule), "attributes") << status.error().message;
      }
    }
  }
}

TEST_F(SurveyTest, RefusesInTheWordsOfTheReader) {
  const std::string good = line("a", "1");
  const std::vector<std::string> wrong = {good + line("b", ""),
                                          good + line("", "1"),
                                          line("", "1") + line("b", "1"),
                                          good + line("b", "2") + line("a", "2") + line("c", "1"),
                                          good + "{\"label\": broken}\n" + good,
                                          good + R"({"label":1,"nodes":2,"edges":[[0,7]]})"
                                                 "\n",
                                          good + "\n" + line("b", "1")};
  for (const std::string& lines : wrong) {
    SCOPED_TRACE(lines);
    WorkspaceSetup setup = quick_setup("log-degree");
    const Status refused = survey_lines(lines, setup);
    ASSERT_FALSE(refused.ok());
    const Result<Dataset> read = read_jsonl(path_);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(refused.error().message, read.error().message);
    EXPECT_EQ(refused.error().code, read.error().code);
    EXPECT_FALSE(setup.stream.has_value());
  }
}

// The number of a graph counts from the first line, not from the graphs that are held at a time.
TEST_F(SurveyTest, NamesTheGraphThatCannotBeEmbedded) {
  std::string lines;
  for (std::size_t g = 0; g < 1200; ++g) {
    lines += line("", "1", g == 1100 ? R"(,"features":[[1],[2]])" : R"(,"features":[[1,2],[3,4]])");
  }
  WorkspaceSetup setup = quick_setup("attributes:2");
  const Status refused = survey_lines(lines, setup);
  ASSERT_FALSE(refused.ok());
  setup.dataset = read_jsonl(path_).value();
  const Result<Workspace> whole = Workspace::create(folder_.path() / "w", setup, testing::same_chance());
  ASSERT_FALSE(whole.ok());
  EXPECT_EQ(refused.error().message, whole.error().message);
  EXPECT_NE(refused.error().message.find("graph 1100"), std::string::npos) << refused.error().message;
}

TEST_F(SurveyTest, SaysWhyAllGraphsAreNeeded) {
  EXPECT_FALSE(reason_against_streaming(quick_setup("all")).has_value());
  WorkspaceSetup means = quick_setup("log-degree+standard-attributes");
  means.fit = FitSource::private_refit();
  EXPECT_TRUE(reason_against_streaming(means).has_value());
  EXPECT_FALSE(survey_lines(line("", "1"), means).ok());
  EXPECT_EQ(opened_, 0u);
  WorkspaceSetup stated = quick_setup("standard-attributes:0/1");
  EXPECT_FALSE(reason_against_streaming(stated).has_value());
  WorkspaceSetup paper = quick_setup("paper");
  paper.fit = FitSource::once();
  EXPECT_TRUE(reason_against_streaming(paper).has_value());
  WorkspaceSetup everyone = quick_setup("log-degree");
  everyone.options.protection = Protection::kEveryone;
  EXPECT_TRUE(reason_against_streaming(everyone).has_value());
}

}  // namespace
}  // namespace unscatter
