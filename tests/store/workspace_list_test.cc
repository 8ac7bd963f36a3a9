// Lists of requests that remember how far they came.
#include <gtest/gtest.h>

#include "store/sample_workspace.h"
#include "store/tables.h"
#include "unscatter/store/request_text.h"
#include "unscatter/store/workspace.h"

namespace unscatter {
namespace {

using testing::SampleWorkspace;

// The first node of graphs 0, 1, 2, ...
std::vector<RemovalRequest> first_nodes(std::size_t count) {
  std::vector<RemovalRequest> list;
  for (std::size_t g = 0; g < count; ++g) list.emplace_back(ForgetNode{g, 0u});
  return list;
}

std::size_t lists_in(const SampleWorkspace& sample) {
  std::size_t count = 0;
  sample.edit([&](const Database& database) { count = read_lists(database).value().size(); });
  return count;
}

TEST(WorkspaceList, IsHonouredInBatches) {
  const SampleWorkspace sample;
  Workspace workspace = sample.create();
  std::vector<std::size_t> acknowledged;
  Workspace::ListOptions options;
  options.batch = 3;
  options.acknowledge = [&](std::size_t done, const Forgotten& outcome) {
    acknowledged.push_back(done);
    EXPECT_EQ(outcome.receipt.sequence, acknowledged.size());
    EXPECT_EQ(outcome.salts.size(), outcome.receipt.requests.total());
  };
  const Workspace::ListOutcome outcome = workspace.forget_list(first_nodes(8), options).value();
  EXPECT_EQ(outcome.done_before, 0u);
  EXPECT_EQ(outcome.honoured, 8u);
  EXPECT_EQ(outcome.updates, 3u);
  EXPECT_FALSE(outcome.stopped);
  EXPECT_TRUE(outcome.refused.empty());
  EXPECT_EQ(acknowledged, (std::vector<std::size_t>{3, 6, 8}));
  EXPECT_EQ(workspace.entry(1).value().requests.nodes, 3u);
  EXPECT_EQ(workspace.entry(3).value().requests.nodes, 2u);
}

TEST(WorkspaceList, GoesOnWhereItStopped) {
  const SampleWorkspace sample;
  static_cast<void>(sample.create());
  const std::vector<RemovalRequest> list = first_nodes(7);
  Workspace::ListOptions options;
  options.batch = 2;
  int asked = 0;
  options.stop = [&] { return ++asked == 3; };
  {
    Workspace workspace = sample.open();
    const Workspace::ListOutcome outcome = workspace.forget_list(list, options).value();
    EXPECT_TRUE(outcome.stopped);
    EXPECT_EQ(outcome.honoured, 4u);
  }
  options.stop = nullptr;
  {
    Workspace workspace = sample.open();
    const Workspace::ListOutcome outcome = workspace.forget_list(list, options).value();
    EXPECT_EQ(outcome.done_before, 4u);
    EXPECT_EQ(outcome.honoured, 3u);
    EXPECT_EQ(outcome.updates, 2u);
  }
  // Given once more, it has nothing to do.
  Workspace workspace = sample.open();
  const Digest head = workspace.info().head;
  const Workspace::ListOutcome outcome = workspace.forget_list(list, options).value();
  EXPECT_EQ(outcome.done_before, 7u);
  EXPECT_EQ(outcome.honoured, 0u);
  EXPECT_EQ(outcome.updates, 0u);
  EXPECT_EQ(workspace.info().head, head);
}

// A run that was killed may not have written its receipts down.  The next one is told which entries were the list's
// own.
TEST(WorkspaceList, KnowsTheEntriesOfEarlierRuns) {
  const SampleWorkspace sample;
  Workspace workspace = sample.create();
  const std::vector<RemovalRequest> list = first_nodes(7);
  Workspace::ListOptions options;
  options.batch = 2;
  int asked = 0;
  options.stop = [&] { return ++asked == 3; };
  ASSERT_EQ(workspace.forget_list(list, options).value().honoured, 4u);
  // Other entries in between are not its own.
  const RemovalRequest other = ForgetGraph{9u};
  ASSERT_TRUE(workspace.forget(std::span(&other, 1)).ok());
  ASSERT_TRUE(workspace.release().ok());
  options.stop = nullptr;
  const Workspace::ListOutcome outcome = workspace.forget_list(list, options).value();
  EXPECT_EQ(outcome.entries_before, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(workspace.forget_list(list, options).value().entries_before, (std::vector<std::size_t>{1, 2, 5, 6}));
}

TEST(WorkspaceList, WhatFollowsTheDonePartMayChange) {
  const SampleWorkspace sample;
  Workspace workspace = sample.create();
  std::vector<RemovalRequest> list = first_nodes(3);
  ASSERT_TRUE(workspace.forget_list(list, {}).ok());
  // A longer tail.
  list.emplace_back(ForgetGraph{9u});
  Workspace::ListOutcome outcome = workspace.forget_list(list, {}).value();
  EXPECT_EQ(outcome.done_before, 3u);
  EXPECT_EQ(outcome.honoured, 1u);
  // Stopped in the middle, and another tail from there on.
  Workspace::ListOptions options;
  options.batch = 1;
  std::vector<RemovalRequest> longer = list;
  longer.emplace_back(ForgetGraph{10u});
  longer.emplace_back(ForgetGraph{11u});
  int asked = 0;
  options.stop = [&] { return ++asked == 2; };
  ASSERT_EQ(workspace.forget_list(longer, options).value().honoured, 1u);
  longer.back() = ForgetGraph{12u};
  options.stop = nullptr;
  outcome = workspace.forget_list(longer, options).value();
  EXPECT_EQ(outcome.done_before, 5u);
  EXPECT_EQ(outcome.honoured, 1u);
  EXPECT_TRUE(workspace.session().value()->has_graph(11));
  EXPECT_FALSE(workspace.session().value()->has_graph(12));
}

TEST(WorkspaceList, AnotherListStartsAtItsBeginning) {
  const SampleWorkspace sample;
  {
    Workspace workspace = sample.create();
    ASSERT_TRUE(workspace.forget_list(first_nodes(3), {}).ok());
    // The done part differs in one request: nothing of it counts as done.
    std::vector<RemovalRequest> other = first_nodes(3);
    other[0] = ForgetNode{0u, 1u};
    other[1] = ForgetNode{1u, 1u};
    other[2] = ForgetNode{2u, 1u};
    const Workspace::ListOutcome outcome = workspace.forget_list(other, {}).value();
    EXPECT_EQ(outcome.done_before, 0u);
    EXPECT_EQ(outcome.honoured, 3u);
    // Both are remembered.
    EXPECT_EQ(workspace.forget_list(first_nodes(3), {}).value().done_before, 3u);
    EXPECT_EQ(workspace.forget_list(other, {}).value().done_before, 3u);
    EXPECT_EQ(workspace.forget_list({}, {}).value().honoured, 0u);
  }
  EXPECT_EQ(lists_in(sample), 2u);
  EXPECT_TRUE(sample.verify().passed);
}

TEST(WorkspaceList, StopsAtARefusalAfterHonouringWhatComesBefore) {
  const SampleWorkspace sample;
  Workspace workspace = sample.create();
  std::vector<RemovalRequest> list = first_nodes(5);
  list[3] = ForgetNode{99u, 0u};
  const Result<Workspace::ListOutcome> outcome = workspace.forget_list(list, {});
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(outcome.error().request, 3u);
  EXPECT_NE(outcome.error().message.find("graph 99"), std::string::npos) << outcome.error().message;
  EXPECT_EQ(workspace.entry(1).value().requests.nodes, 3u);
  EXPECT_EQ(workspace.info().entries, 2u);
  // Mended, it goes on behind the third.
  list[3] = ForgetNode{8u, 0u};
  const Workspace::ListOutcome mended = workspace.forget_list(list, {}).value();
  EXPECT_EQ(mended.done_before, 3u);
  EXPECT_EQ(mended.honoured, 2u);
}

// A request that an earlier one of the same batch makes impossible.
TEST(WorkspaceList, SkipsWhatIsRefused) {
  const SampleWorkspace sample;
  Workspace workspace = sample.create();
  const std::vector<RemovalRequest> list = {ForgetNode{99u, 0u}, ForgetGraph{1u},    ForgetNode{1u, 0u},
                                            ForgetNode{2u, 0u},  ForgetNode{2u, 0u}, ForgetSubject{"nobody"},
                                            ForgetGraph{4u}};
  Workspace::ListOptions options;
  options.batch = 3;
  options.skip_refused = true;
  std::vector<std::string> honoured;
  options.acknowledge = [&](std::size_t, const Forgotten& done) {
    for (std::size_t i = 0; i < done.requests.size(); ++i) {
      honoured.push_back(describe(done.requests[i]));
      EXPECT_EQ(commitment(done.requests[i], done.salts[i]), done.receipt.commitments[i]);
    }
  };
  const Workspace::ListOutcome outcome = workspace.forget_list(list, options).value();
  EXPECT_EQ(outcome.honoured, 3u);
  EXPECT_EQ(outcome.updates, 3u);
  EXPECT_EQ(honoured, (std::vector<std::string>{"graph 1", "node 0 of graph 2", "graph 4"}));
  std::vector<std::size_t> places;
  for (const Error& refusal : outcome.refused) places.push_back(refusal.request.value());
  EXPECT_EQ(places, (std::vector<std::size_t>{0, 2, 4, 5}));
  const Workspace::ListOutcome again = workspace.forget_list(list, options).value();
  EXPECT_EQ(again.done_before, 7u);
  EXPECT_EQ(again.honoured, 0u);
}

// A shredded list leaves no trace of what was in it, wherever its last honoured request stands.
TEST(WorkspaceList, AShreddedListLeavesNoRecord) {
  for (const std::size_t refused_at_the_end : {0u, 1u, 2u, 5u}) {
    SCOPED_TRACE(refused_at_the_end);
    const SampleWorkspace sample;
    {
      Workspace workspace = sample.create();
      std::vector<RemovalRequest> list = first_nodes(5);
      for (std::size_t i = 0; i < refused_at_the_end; ++i) list.emplace_back(ForgetNode{90 + i, 0u});
      Workspace::ListOptions options;
      options.batch = 2;
      options.shred = true;
      options.skip_refused = true;
      options.acknowledge = [](std::size_t, const Forgotten& outcome) { EXPECT_TRUE(outcome.salts.empty()); };
      const Workspace::ListOutcome outcome = workspace.forget_list(list, options).value();
      EXPECT_EQ(outcome.honoured, 5u);
      EXPECT_EQ(outcome.refused.size(), refused_at_the_end);
    }
    EXPECT_EQ(lists_in(sample), 0u);
    EXPECT_TRUE(sample.verify().passed);
  }
}

// Stopped, it has to remember; going on to its end, it forgets.
TEST(WorkspaceList, AShreddedListCanBeStoppedToo) {
  const SampleWorkspace sample;
  Workspace::ListOptions options;
  options.batch = 2;
  options.shred = true;
  int asked = 0;
  options.stop = [&] { return ++asked == 2; };
  {
    Workspace workspace = sample.create();
    ASSERT_EQ(workspace.forget_list(first_nodes(5), options).value().honoured, 2u);
  }
  EXPECT_EQ(lists_in(sample), 1u);
  options.stop = nullptr;
  {
    Workspace workspace = sample.open();
    const Workspace::ListOutcome outcome = workspace.forget_list(first_nodes(5), options).value();
    EXPECT_EQ(outcome.done_before, 2u);
    EXPECT_EQ(outcome.honoured, 3u);
  }
  EXPECT_EQ(lists_in(sample), 0u);
}

TEST(WorkspaceList, AnUpdateNeedsARequest) {
  const SampleWorkspace sample;
  Workspace workspace = sample.create();
  Workspace::ListOptions options;
  options.batch = 0;
  EXPECT_EQ(workspace.forget_list(first_nodes(2), options).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(workspace.info().entries, 1u);
}

}  // namespace
}  // namespace unscatter
