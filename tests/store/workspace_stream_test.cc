// A workspace that was made from a stream is the one that is made of all graphs in memory.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "store/streamed_data.h"
#include "support/temporary_folder.h"
#include "unscatter/graph/read.h"
#include "unscatter/store/verify.h"
#include "unscatter/store/workspace.h"

namespace unscatter {
namespace {

namespace fs = std::filesystem;
using testing::all_rows;
using testing::file_data;
using testing::FileForm;
using testing::quick_setup;
using testing::same_chance;

std::function<Result<GraphStream>()> opener(const fs::path& path) {
  return [path] { return GraphStream::open(path); };
}

Result<Workspace> create_streamed(const fs::path& target, WorkspaceSetup setup, const fs::path& data,
                                  const WorkspaceOptions& how) {
  setup.dataset.name = data.stem().string();
  UNSCATTER_CHECK_OK(survey(setup, opener(data), {.threads = how.threads}));
  return Workspace::create(target, std::move(setup), how);
}

struct StreamCase {
  std::string name;
  std::size_t graphs;
  FileForm form;
  WorkspaceSetup setup;
  std::size_t threads = 2;

  // NOLINTNEXTLINE(readability-identifier-naming)
  friend void PrintTo(const StreamCase& one, std::ostream* out) { *out << one.name; }
};

std::vector<StreamCase> stream_cases() {
  std::vector<StreamCase> cases;
  const FileForm everything{.directed = true, .weights = true, .attributes = 2, .labels = true};
  SessionOptions bias;
  bias.bias = true;
  SessionOptions objective;
  objective.mechanism = Mechanism::kObjective;
  objective.noise_stddev = 0.1;
  cases.push_back({"one_graph", 1, {}, quick_setup("log-degree")});
  cases.push_back({"two_graphs", 2, everything, quick_setup("all", bias)});
  cases.push_back({"dates", 300, {.dates = true}, quick_setup("log-degree")});
  cases.push_back({"without_ids", 300, {.ids = false}, quick_setup("log-degree")});
  cases.push_back({"everything", 300, everything, quick_setup("all", bias), 1});
  cases.push_back({"noise_in_the_objective", 60, everything, quick_setup("log-degree", objective)});
  WorkspaceSetup symmetric = quick_setup("degree-onehot+labels");
  symmetric.transform.symmetrise = true;
  symmetric.fit = FitSource::private_refit();
  cases.push_back({"fitted_on_undirected", 300, everything, symmetric});
  // More graphs than are held at a time, and the last ones change the fit: they are embedded in a pass of their own.
  FileForm late = everything;
  late.late = 1490;
  WorkspaceSetup fitted = quick_setup("labels+wide-attributes");
  fitted.fit = FitSource::private_refit();
  fitted.transform.layers = 1;
  late.attributes = 0;
  cases.push_back({"fitted_late", 1500, late, fitted});
  WorkspaceSetup once = quick_setup("all");
  once.fit = FitSource::once();
  once.transform.layers = 1;
  cases.push_back({"fitted_late_once", 1500, late, once});
  WorkspaceSetup stated = quick_setup("log-degree");
  stated.options.classes = ConstantKind::kStated;
  cases.push_back({"stated_classes", 20, {}, stated});
  return cases;
}

class Streamed : public ::testing::TestWithParam<StreamCase> {
 protected:
  Streamed() {
    const StreamCase& one = GetParam();
    EXPECT_TRUE(write_jsonl(file_data(one.graphs, one.form), data_).ok());
  }
  testing::TemporaryFolder folder_{testing::memory_folder()};
  fs::path data_ = folder_.path() / "data.jsonl";
  fs::path whole_ = folder_.path() / "whole";
  fs::path streamed_ = folder_.path() / "streamed";
};

TEST_P(Streamed, IsTheFileThatAllGraphsInMemoryGive) {
  const WorkspaceOptions how = same_chance(GetParam().threads);
  Digest replay;
  Digest state;
  {
    WorkspaceSetup setup = GetParam().setup;
    setup.dataset = read_jsonl(data_).value();
    Result<Workspace> whole = Workspace::create(whole_, std::move(setup), how);
    ASSERT_TRUE(whole.ok()) << whole.error().message;
    replay = whole->replay_digest().value();
    state = whole->state_digest().value();
  }
  {
    Result<Workspace> streamed = create_streamed(streamed_, GetParam().setup, data_, how);
    ASSERT_TRUE(streamed.ok()) << streamed.error().message;
    EXPECT_EQ(streamed->info().graphs, GetParam().graphs);
    EXPECT_EQ(streamed->replay_digest().value(), replay);
    EXPECT_EQ(streamed->state_digest().value(), state);
  }
  // Salts and noise come from the same source, so there is nothing that may differ.
  EXPECT_EQ(all_rows(streamed_), all_rows(whole_));
  EXPECT_FALSE(fs::exists(streamed_.string() + "-wal"));
  const Verification verification = verify_workspace(streamed_, {}, {}).value();
  EXPECT_TRUE(verification.passed) << testing::all_details(verification);
}

INSTANTIATE_TEST_SUITE_P(Cases, Streamed, ::testing::ValuesIn(stream_cases()),
                         [](const auto& instance) { return instance.param.name; });

class StreamedWorkspace : public ::testing::Test {
 protected:
  void write(const Dataset& dataset, const fs::path& path) const { ASSERT_TRUE(write_jsonl(dataset, path).ok()); }
  // No workspace, and nothing beside it.
  [[nodiscard]] bool nothing_left() const {
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
      if (fs::exists(target_.string() + suffix)) return false;
    }
    return true;
  }
  testing::TemporaryFolder folder_{testing::memory_folder()};
  fs::path data_ = folder_.path() / "data.jsonl";
  fs::path other_ = folder_.path() / "other.jsonl";
  fs::path target_ = folder_.path() / "w";
};

TEST_F(StreamedWorkspace, GoesOnForgettingAndPublishing) {
  write(file_data(60, {}), data_);
  Workspace workspace = create_streamed(target_, quick_setup("log-degree"), data_, same_chance()).value();
  EXPECT_TRUE(workspace.release().ok());
  const std::vector<RemovalRequest> requests = {ForgetSubject{"u10"}, ForgetGraph{"g3"}};
  const Result<Forgotten> forgotten = workspace.forget(requests);
  ASSERT_TRUE(forgotten.ok()) << forgotten.error().message;
  EXPECT_EQ(workspace.info().graphs, 59u);
  EXPECT_FALSE(workspace.forget(requests).ok());
}

// Somebody writes to the file between the two passes.
TEST_F(StreamedWorkspace, AFileThatChangesMeanwhileIsRefused) {
  const Dataset first = file_data(30, {.attributes = 1});
  write(first, data_);
  const std::vector<std::function<void(Dataset&)>> changes = {
      [](Dataset& data) { data.labels[7] = 1 - data.labels[7]; },
      [](Dataset& data) { data.graph_ids[7] = "another"; },
      [](Dataset& data) { data.graphs[7] = data.graphs[8]; },
      [](Dataset& data) { std::swap(data.graphs[3], data.graphs[4]); },
      [](Dataset& data) {
        data = subset(data, std::vector<std::size_t>{0, 1, 2, 3, 4, 5});
      },
      [](Dataset& data) { data = file_data(31, {.attributes = 1}); }};
  for (std::size_t change = 0; change <= changes.size(); ++change) {
    SCOPED_TRACE(change);
    Dataset second = first;
    if (change < changes.size()) changes[change](second);
    write(second, other_);
    WorkspaceSetup setup = quick_setup("attributes+log-degree");
    setup.dataset.name = "data";
    std::size_t opened = 0;
    ASSERT_TRUE(survey(setup, [&] { return GraphStream::open(opened++ == 0 ? data_ : other_); }).ok());
    const Result<Workspace> made = Workspace::create(target_, std::move(setup), same_chance());
    EXPECT_EQ(opened, 2u);
    if (change == changes.size()) {  // the control: the same content in another file
      EXPECT_TRUE(made.ok());
      continue;
    }
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().code, ErrorCode::kMalformedInput);
    EXPECT_NE(made.error().message.find("changed while it was read"), std::string::npos) << made.error().message;
    EXPECT_TRUE(nothing_left());
  }
}

TEST_F(StreamedWorkspace, AFileThatBreaksInTheSecondPassLeavesNothing) {
  write(file_data(30, {}), data_);
  WorkspaceSetup setup = quick_setup("log-degree");
  setup.dataset.name = "data";
  ASSERT_TRUE(survey(setup, opener(data_)).ok());
  std::ofstream(data_, std::ios::app) << "{\"label\": broken\n";
  const Result<Workspace> made = Workspace::create(target_, setup, same_chance());
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().message.find("line 31"), std::string::npos) << made.error().message;
  EXPECT_TRUE(nothing_left());
  // What was found is used up: its rows may be in other processes.
  EXPECT_EQ(Workspace::create(target_, setup, same_chance()).error().code, ErrorCode::kInvalidArgument);
  // Nor does a file that is gone leave anything.
  write(file_data(30, {}), data_);
  WorkspaceSetup again = quick_setup("log-degree");
  ASSERT_TRUE(survey(again, opener(data_)).ok());
  fs::remove(data_);
  EXPECT_FALSE(Workspace::create(target_, std::move(again), same_chance()).ok());
  EXPECT_TRUE(nothing_left());
}

}  // namespace
}  // namespace unscatter
