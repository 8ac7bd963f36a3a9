// Making a workspace and opening it again: what is read is what was written, bit for bit.
#include "unscatter/store/workspace.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <iterator>
#include <limits>

#include "store/sample_workspace.h"
#include "unlearn/random_session.h"

namespace unscatter {
namespace {

using testing::difference;
using testing::sample_choices;
using testing::sample_setup;
using testing::SampleChoice;
using testing::SampleWorkspace;

class WorkspaceOfEveryKind : public ::testing::TestWithParam<SampleChoice> {};

// Created, opened, changed by batches of all kinds, opened after each: always the same workspace, and all it claims
// holds.
TEST_P(WorkspaceOfEveryKind, IsTheSameAfterEveryOpening) {
  const SampleWorkspace sample(sample_setup(5, GetParam()));
  {
    Workspace created = sample.create();
    Workspace moved = std::move(created);
    EXPECT_EQ(moved.info().entries, 1u);
  }
  Sequence random(7);
  for (int round = 0; round < 4; ++round) {
    SCOPED_TRACE(round);
    Workspace workspace = sample.open();
    const Session& session = *workspace.session().value();
    const auto requests =
        testing::random_batch(random, session, sample.original(), 1 + static_cast<std::size_t>(round) % 3);
    const Result<Forgotten> forgotten = workspace.forget(requests);
    ASSERT_TRUE(forgotten.ok()) << forgotten.error().message;
    EXPECT_TRUE(forgotten->certificate.satisfied);
    EXPECT_EQ(workspace.info().updates, static_cast<std::size_t>(round) + 1);
    const WorkspaceInfo info = workspace.info();
    const SessionSnapshot kept = session.snapshot();
    const RowMatrix embeddings = session.embeddings().to_dense();
    { const Workspace closed = std::move(workspace); }
    Workspace again = sample.open();
    EXPECT_EQ(difference(info, again.info()), "");
    EXPECT_EQ(difference(kept, again.session().value()->snapshot()), "");
    EXPECT_EQ(embeddings, again.session().value()->embeddings().to_dense());
  }
  {
    Workspace workspace = sample.open();
    ASSERT_TRUE(workspace.release().ok());
  }
  const Verification verification = sample.verify({.retrain = true, .signer = sample.how.key->public_key()});
  EXPECT_TRUE(verification.passed) << testing::all_details(verification);
}

INSTANTIATE_TEST_SUITE_P(Options, WorkspaceOfEveryKind, ::testing::ValuesIn(sample_choices()),
                         [](const auto& instance) { return instance.param.name; });

TEST(Workspace, SaysWhatItWasMadeOf) {
  SampleWorkspace sample;
  sample.how.clock = [] { return std::int64_t{1769903999}; };
  const Workspace workspace = sample.create();
  const WorkspaceInfo& info = workspace.info();
  EXPECT_EQ(info.path, sample.path());
  EXPECT_EQ(info.id.size(), 32u);
  EXPECT_EQ(info.id.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(info.name, "sample");
  EXPECT_EQ(info.created, "2026-01-31T23:59:59Z");
  EXPECT_EQ(info.format, 2u);
  EXPECT_EQ(info.signer, sample.how.key->public_key());
  EXPECT_EQ(info.features, "attributes:2+log-degree");
  EXPECT_EQ(info.transform.scales, 2u);
  EXPECT_EQ(info.class_names, sample.original().class_names);
  EXPECT_EQ(info.slots, 14u);
  EXPECT_EQ(info.graphs, 14u);
  EXPECT_EQ(info.entries, 1u);
  EXPECT_EQ(info.head, workspace.hash_of_entry(0).value());
  EXPECT_EQ(info.updates, 0u);
  EXPECT_EQ(info.published, 0u);
  EXPECT_TRUE(info.certificate.satisfied);
  const LedgerRecord first = workspace.entry(0).value();
  EXPECT_EQ(first.kind, EntryKind::kCreated);
  EXPECT_EQ(first.time, info.created);
  EXPECT_EQ(first.previous, Digest{});
}

TEST(Workspace, IsForItsOwnerOnly) {
  const SampleWorkspace sample;
  sample.fill();
  struct stat status {};
  ASSERT_EQ(::stat(sample.path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777u, 0600u);
}

TEST(Workspace, NothingStaysBesideTheFile) {
  const SampleWorkspace sample;
  sample.fill();
  for (const auto& file : std::filesystem::directory_iterator(sample.path().parent_path())) {
    EXPECT_EQ(file.path(), sample.path());
  }
}

std::size_t files_beside(const SampleWorkspace& sample) {
  const std::filesystem::directory_iterator files(sample.path().parent_path());
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

TEST(Workspace, AFailedCreationLeavesNoFile) {
  const SampleWorkspace sample;
  const auto refused = [&](const WorkspaceSetup& setup, const WorkspaceOptions& how, ErrorCode code,
                           const std::string& part) {
    SCOPED_TRACE(part);
    const Result<Workspace> made = Workspace::create(sample.path(), setup, how);
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().code, code) << made.error().message;
    EXPECT_NE(made.error().message.find(part), std::string::npos) << made.error().message;
    EXPECT_EQ(files_beside(sample), 0u);
  };
  refused(sample_setup(), {}, ErrorCode::kInvalidArgument, "key");
  WorkspaceSetup setup = sample_setup();
  setup.options.regularisation = 0;
  refused(setup, sample.how, ErrorCode::kInvalidArgument, "lambda");
  setup = sample_setup();
  setup.dataset.graphs.clear();
  setup.dataset.labels.clear();
  setup.features = "log-degree";
  refused(setup, sample.how, ErrorCode::kInvalidArgument, "graph");
  setup = sample_setup();
  setup.transform.family = "fourier";
  refused(setup, sample.how, ErrorCode::kInvalidArgument, "fourier");
  setup = sample_setup();
  setup.dataset.class_names[0] = "\xff";
  refused(setup, sample.how, ErrorCode::kInvalidArgument, "UTF-8");
  // The guarantee cannot be met by double precision.
  setup = sample_setup();
  setup.options.distance_limit = 1e-300;
  refused(setup, sample.how, ErrorCode::kLimitExceeded, "");
}

// JSON has no infinity: such a workspace could be made and never be opened again.
TEST(Workspace, OnlyConstantsThatCanBeReadBackAreTaken) {
  const SampleWorkspace sample;
  WorkspaceSetup setup = sample_setup();
  setup.options.distance_limit = std::numeric_limits<double>::infinity();
  const Result<Workspace> endless = Workspace::create(sample.path(), setup, sample.how);
  setup = sample_setup();
  setup.transform.pagerank_damping = std::numeric_limits<double>::quiet_NaN();  // which this transform does not use
  const Result<Workspace> unused = Workspace::create(sample.path(), setup, sample.how);
  for (const Result<Workspace>* made : {&endless, &unused}) {
    ASSERT_FALSE(made->ok());
    EXPECT_EQ(made->error().code, ErrorCode::kInvalidArgument) << made->error().message;
  }
  EXPECT_EQ(files_beside(sample), 0u);
}

TEST(Workspace, IsNeverMadeOverAnotherFile) {
  const SampleWorkspace sample;
  sample.fill();
  const std::string before = sample.bytes();
  const Result<Workspace> made = Workspace::create(sample.path(), sample_setup(), sample.how);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(made.error().message.find("exists already"), std::string::npos);
  EXPECT_EQ(sample.bytes(), before);
}

TEST(Workspace, OpeningChangesNoByte) {
  const SampleWorkspace sample;
  sample.fill();
  const std::string before = sample.bytes();
  {
    Workspace workspace = sample.open();
    ASSERT_TRUE(workspace.session().ok());
    ASSERT_TRUE(workspace.replay_digest().ok());
    ASSERT_TRUE(workspace.state_digest().ok());
  }
  static_cast<void>(sample.verify({.retrain = true}));
  EXPECT_EQ(sample.bytes(), before);
}

TEST(Workspace, WhatIsNotThereIsNotFound) {
  const SampleWorkspace sample;
  EXPECT_EQ(Workspace::open(sample.path(), sample.how).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(verify_workspace(sample.path(), {}).error().code, ErrorCode::kNotFound);
  sample.fill();
  const Workspace workspace = sample.open();
  EXPECT_EQ(workspace.entry(5).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(workspace.hash_of_entry(5).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(workspace.receipt(5).error().code, ErrorCode::kNotFound);
  // The creation has no receipt.
  EXPECT_EQ(workspace.receipt(0).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(workspace.receipt(3).ok());
  EXPECT_TRUE(workspace.receipt(4).ok());
}

// Graphs of a larger data set keep the numbers and ids they had there.
TEST(Workspace, KeepsNumbersAndIdsOfGraphs) {
  WorkspaceSetup setup = sample_setup();
  for (std::size_t i = 0; i < setup.dataset.size(); ++i) {
    setup.dataset.numbers.push_back(10 + 3 * i);
    setup.dataset.graph_ids.push_back("graph-" + std::to_string(i));
  }
  const SampleWorkspace sample(std::move(setup));
  {
    Workspace workspace = sample.create();
    const std::vector<RemovalRequest> requests = {ForgetGraph{13u}, ForgetNode{"graph-2", 0u}};
    ASSERT_TRUE(workspace.forget(requests).ok());
  }
  Workspace workspace = sample.open();
  const Dataset left = workspace.session().value()->remaining();
  ASSERT_EQ(left.numbers.size(), 13u);
  EXPECT_EQ(left.numbers[0], 10u);
  EXPECT_EQ(left.numbers[1], 16u);
  EXPECT_EQ(left.numbers.back(), 49u);
  EXPECT_EQ(left.graph_ids[1], "graph-2");
  const auto refusal_of = [&](const RemovalRequest& request) {
    return workspace.forget(std::span(&request, 1)).error().message;
  };
  EXPECT_NE(refusal_of(ForgetGraph{11u}).find("graph 11 is not among the 14"), std::string::npos);
  EXPECT_NE(refusal_of(ForgetGraph{13u}).find("removed"), std::string::npos);
  EXPECT_NE(refusal_of(ForgetGraph{"graph-1"}).find("graph-1"), std::string::npos);
  const RemovalRequest good = ForgetGraph{49u};
  ASSERT_TRUE(workspace.forget(std::span(&good, 1)).ok());
  EXPECT_FALSE(workspace.session().value()->has_graph(13));
}

}  // namespace
}  // namespace unscatter
