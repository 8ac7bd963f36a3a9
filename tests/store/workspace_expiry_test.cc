// Due dates of a workspace: where they come from, what they lead to, and that they go.
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "store/expiry.h"
#include "store/sample_workspace.h"
#include "unscatter/store/request_text.h"

namespace unscatter {
namespace {

using testing::SampleChoice;
using testing::SampleWorkspace;

constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
using Texts = std::map<std::string, std::int64_t>;

// By what they are about, as text.
Texts dates_of(const Workspace& workspace, std::int64_t until = kLast) {
  Texts dates;
  const std::vector<DueDate> due = workspace.due(until).value();
  for (const DueDate& date : due) dates.emplace(describe(date.what), date.due);
  return dates;
}
std::string text(const RemovalRequest& request) { return describe(request); }

bool holds(const Workspace& workspace, const std::string& id) { return !workspace.subject(id).value().graphs.empty(); }

// Somebody who is in exactly one graph, and that graph.
std::pair<std::string, std::size_t> lonely_subject(const Dataset& dataset) {
  std::map<std::string, std::vector<std::size_t>> places;
  for (std::size_t g = 0; g < dataset.size(); ++g) {
    for (std::size_t i = 0; i < dataset.graphs[g].node_count(); ++i) {
      places[dataset.graphs[g].node_id(i)].push_back(g);
    }
  }
  for (const auto& [id, graphs] : places) {
    if (graphs.size() == 1) return {id, graphs.front()};
  }
  return {};
}

WorkspaceSetup dated_setup(const SampleChoice& choice = {}) {
  WorkspaceSetup setup = testing::sample_setup(1, choice);
  setup.dataset.due.graphs.resize(setup.dataset.size());
  setup.dataset.due.graphs[2] = 500;
  setup.dataset.due.graphs[5] = 100;
  setup.dataset.due.subjects = {{"u0", 200}, {"u4", 900}, {"who-is-not-there", 50}};
  return setup;
}
const Texts kAll = {{text(ForgetGraph{2u}), 500},
                    {text(ForgetGraph{5u}), 100},
                    {text(ForgetSubject{"u0"}), 200},
                    {text(ForgetSubject{"u4"}), 900}};

TEST(WorkspaceExpiry, DatesComeWithTheDataAndSurviveClosing) {
  const SampleWorkspace sample(dated_setup());
  {
    const Workspace workspace = sample.create();
    EXPECT_EQ(dates_of(workspace), kAll);
  }
  const Workspace workspace = sample.open();
  EXPECT_EQ(dates_of(workspace), kAll);
  EXPECT_EQ(dates_of(workspace, 199), (Texts{{text(ForgetGraph{5u}), 100}}));
  EXPECT_TRUE(dates_of(workspace, 99).empty());
  const DueSummary summary = workspace.due_summary(200).value();
  EXPECT_EQ(summary.dates, 4u);
  EXPECT_EQ(summary.overdue, 2u);
  EXPECT_EQ(summary.oldest, 100);
  ASSERT_TRUE(summary.next.has_value());
  EXPECT_EQ(text(summary.next->what), text(ForgetGraph{2u}));
  EXPECT_EQ(summary.next->due, 500);
  // What is left takes its dates along, to a training or a file.
  const Dataset left = workspace.remaining().value();
  EXPECT_EQ(left.due.graphs[2], 500);
  EXPECT_FALSE(left.due.graphs[3].has_value());
  EXPECT_EQ(left.due.subjects, (std::map<std::string, std::int64_t>{{"u0", 200}, {"u4", 900}}));
}

TEST(WorkspaceExpiry, NumbersOfTheDataSetNameGraphs) {
  WorkspaceSetup setup = testing::sample_setup();
  for (std::size_t i = 0; i < setup.dataset.size(); ++i) {
    setup.dataset.numbers.push_back(10 * i + 3);
    setup.dataset.graph_ids.push_back("g" + std::to_string(i));
  }
  setup.dataset.due.graphs.resize(setup.dataset.size());
  setup.dataset.due.graphs[4] = 7;
  const SampleWorkspace sample(std::move(setup));
  Workspace workspace = sample.create();
  ASSERT_TRUE(workspace.set_due(ForgetGraph{"g6"}, 8).ok());
  ASSERT_TRUE(workspace.set_due(ForgetGraph{133u}, 9).ok());
  EXPECT_EQ(dates_of(workspace),
            (Texts{{text(ForgetGraph{43u}), 7}, {text(ForgetGraph{63u}), 8}, {text(ForgetGraph{133u}), 9}}));
  EXPECT_EQ(workspace.set_due(ForgetGraph{4u}, 9).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(workspace.set_due(ForgetGraph{"h"}, 9).error().code, ErrorCode::kNotFound);
}

TEST(WorkspaceExpiry, ADateIsSetChangedAndTakenAway) {
  const SampleWorkspace sample;
  Workspace workspace = sample.create();
  const Digest head = workspace.info().head;
  EXPECT_TRUE(dates_of(workspace).empty());
  ASSERT_TRUE(workspace.set_due(ForgetSubject{"u0"}, 300).ok());
  ASSERT_TRUE(workspace.set_due(ForgetSubject{"u0"}, 400).ok());
  ASSERT_TRUE(workspace.set_due(ForgetGraph{1u}, 500).ok());
  EXPECT_EQ(dates_of(workspace), (Texts{{text(ForgetGraph{1u}), 500}, {text(ForgetSubject{"u0"}), 400}}));
  ASSERT_TRUE(workspace.set_due(ForgetGraph{1u}, std::nullopt).ok());
  EXPECT_EQ(dates_of(workspace), (Texts{{text(ForgetSubject{"u0"}), 400}}));
  EXPECT_EQ(workspace.info().head, head);  // dates are not learned from

  EXPECT_EQ(workspace.set_due(ForgetGraph{1u}, std::nullopt).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(workspace.set_due(ForgetSubject{"nobody"}, 1).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(workspace.set_due(ForgetGraph{14u}, 1).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(workspace.set_due(ForgetNode{1u, 0u}, 1).error().code, ErrorCode::kInvalidArgument);
  const RemovalRequest request = ForgetGraph{1u};
  ASSERT_TRUE(workspace.forget(std::span(&request, 1)).ok());
  EXPECT_EQ(workspace.set_due(request, 1).error().code, ErrorCode::kNotFound);
}

TEST(WorkspaceExpiry, WithoutTheKeyDatesStayAsTheyAre) {
  const SampleWorkspace sample(dated_setup());
  static_cast<void>(sample.create());
  const std::string before = sample.bytes();
  WorkspaceOptions how = sample.how;
  for (const auto& key : {std::shared_ptr<const SigningKey>(), testing::sample_key(2)}) {
    how.key = key;
    Workspace workspace = Workspace::open(sample.path(), how).value();
    EXPECT_EQ(workspace.set_due(ForgetGraph{1u}, 1).error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(workspace.set_due(ForgetGraph{2u}, std::nullopt).error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(workspace.drop_due({}).error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(dates_of(workspace), kAll);
  }
  EXPECT_EQ(sample.bytes(), before);
}

TEST(WorkspaceExpiry, AllThatIsDueGoesByOneUpdate) {
  for (const SampleChoice& choice : testing::sample_choices()) {
    SCOPED_TRACE(choice.name);
    const SampleWorkspace sample(dated_setup(choice));
    {
      Workspace workspace = sample.create();
      const std::vector<DueDate> due = workspace.due(500).value();
      ASSERT_EQ(due.size(), 3u);
      auto prepared = workspace.prepare_due(due).value();
      ASSERT_TRUE(prepared.has_value());
      EXPECT_EQ(prepared->requests().size(), 3u);
      const Forgotten done = prepared->commit().value();
      EXPECT_EQ(done.entry.sequence, 1u);
      EXPECT_EQ(done.requests.size(), 3u);
      EXPECT_EQ(done.receipt.requests.graphs, 2u);
      EXPECT_EQ(done.receipt.requests.subjects, 1u);
      EXPECT_TRUE(done.certificate.satisfied);
      EXPECT_FALSE(holds(workspace, "u0"));
      EXPECT_FALSE(workspace.slot(2).value().graph.has_value());
      EXPECT_TRUE(workspace.due(500).value().empty());
      EXPECT_EQ(dates_of(workspace).contains(text(ForgetSubject{"u4"})), holds(workspace, "u4"));
    }
    EXPECT_TRUE(sample.open().due(500).value().empty());
    const Verification verification = sample.verify({.retrain = true});
    EXPECT_TRUE(verification.passed) << testing::all_details(verification);
  }
}

// The model afterwards is that of asking for the same things by hand.
TEST(WorkspaceExpiry, ExpiringIsForgetting) {
  const SampleWorkspace one(dated_setup());
  const SampleWorkspace other(dated_setup());
  Workspace expiring = one.create();
  Workspace forgetting = other.create();
  const auto due = expiring.due(200).value();
  ASSERT_TRUE(expiring.prepare_due(due).value()->commit().ok());
  const std::vector<RemovalRequest> requests = {ForgetGraph{5u}, ForgetSubject{"u0"}};
  ASSERT_TRUE(forgetting.forget(requests).ok());
  EXPECT_EQ(expiring.replay_digest().value(), forgetting.replay_digest().value());
  EXPECT_EQ(expiring.state_digest().value(), forgetting.state_digest().value());
  EXPECT_EQ(dates_of(expiring), dates_of(forgetting));
}

TEST(WorkspaceExpiry, ExpireForgetsWhatIsDueAndNothingElse) {
  const SampleWorkspace one(dated_setup());
  const SampleWorkspace other(dated_setup());
  Workspace expiring = one.create();
  Workspace forgetting = other.create();
  // Nothing is due: no entry.
  EXPECT_FALSE(expiring.expire(99).value().has_value());
  EXPECT_EQ(expiring.info().entries, 1u);
  const std::optional<Forgotten> done = expiring.expire(200).value();
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(done->salts.size(), 2u);
  const std::vector<RemovalRequest> requests = {ForgetGraph{5u}, ForgetSubject{"u0"}};
  ASSERT_TRUE(forgetting.forget(requests).ok());
  EXPECT_EQ(expiring.replay_digest().value(), forgetting.replay_digest().value());
  EXPECT_EQ(dates_of(expiring), dates_of(forgetting));
  EXPECT_FALSE(expiring.expire(200).value().has_value());
  WorkspaceOptions how = one.how;
  how.key = nullptr;
  { const Workspace closed = std::move(expiring); }
  Workspace keyless = Workspace::open(one.path(), how).value();
  EXPECT_EQ(keyless.expire(kLast).error().code, ErrorCode::kInvalidArgument);
}

TEST(WorkspaceExpiry, DatesGoWithWhatTheyAreAboutHoweverItGoes) {
  const auto [lonely, home] = lonely_subject(testing::sample_setup().dataset);
  ASSERT_FALSE(lonely.empty());
  const RemovalRequest subject = ForgetSubject{lonely};
  const RemovalRequest graph = ForgetGraph{home};
  for (const NodeRemoval style : {NodeRemoval::kCompact, NodeRemoval::kTombstone}) {
    for (const RemovalRequest& request : {subject, graph, RemovalRequest(ForgetNode{home, lonely})}) {
      SCOPED_TRACE(text(request));
      SampleChoice choice;
      choice.options.removal = style;
      const SampleWorkspace sample(testing::sample_setup(1, choice));
      Workspace workspace = sample.create();
      ASSERT_TRUE(workspace.set_due(subject, 100).ok());
      ASSERT_TRUE(workspace.set_due(graph, 200).ok());
      ASSERT_TRUE(workspace.forget(std::span(&request, 1)).ok());
      Texts expected;
      if (!std::holds_alternative<ForgetGraph>(request)) expected.emplace(text(graph), 200);
      EXPECT_EQ(dates_of(workspace), expected);
    }
  }
}

// Somebody who leaves one graph and is still in others keeps the date.
TEST(WorkspaceExpiry, ADateStaysAsLongAsTheSubjectIsAnywhere) {
  const SampleWorkspace sample;
  Workspace workspace = sample.create();
  const HeldSubject held = workspace.subject("u0").value();
  ASSERT_GT(held.graphs.size(), 1u);
  ASSERT_TRUE(workspace.set_due(ForgetSubject{"u0"}, 100).ok());
  for (const HeldGraph& graph : held.graphs) {
    EXPECT_EQ(dates_of(workspace).size(), 1u);
    const RemovalRequest request = ForgetNode{graph.number, "u0"};
    ASSERT_TRUE(workspace.forget(std::span(&request, 1)).ok());
  }
  EXPECT_TRUE(dates_of(workspace).empty());
  EXPECT_FALSE(holds(workspace, "u0"));
}

TEST(WorkspaceExpiry, AListTakesDatesAlong) {
  const SampleWorkspace sample(dated_setup());
  Workspace workspace = sample.create();
  const std::vector<RemovalRequest> list = {ForgetGraph{2u}, ForgetSubject{"u4"}, ForgetGraph{7u}};
  ASSERT_TRUE(workspace.forget_list(list, {.batch = 1}).ok());
  EXPECT_EQ(dates_of(workspace), (Texts{{text(ForgetGraph{5u}), 100}, {text(ForgetSubject{"u0"}), 200}}));
}

// A graph and somebody who is in no other graph are due together: the subject goes with the graph.
TEST(WorkspaceExpiry, WhatGoesWithAGraphIsPassedOver) {
  const auto [lonely, home] = lonely_subject(testing::sample_setup().dataset);
  const SampleWorkspace sample;
  Workspace workspace = sample.create();
  ASSERT_TRUE(workspace.set_due(ForgetSubject{lonely}, 100).ok());
  ASSERT_TRUE(workspace.set_due(ForgetGraph{home}, 100).ok());
  auto prepared = workspace.prepare_due(workspace.due(100).value()).value();
  ASSERT_TRUE(prepared.has_value());
  EXPECT_EQ(prepared->requests().size(), 1u);
  ASSERT_TRUE(prepared->commit().ok());
  EXPECT_TRUE(dates_of(workspace).empty());
}

// Dates of what is not there any more cannot come about by removals.  A file may have them all the same.
TEST(WorkspaceExpiry, StaleDatesAreToldByVerifyAndDropped) {
  const SampleWorkspace sample(dated_setup());
  static_cast<void>(sample.create());
  sample.edit([&](const Database& database) {
    const Identity identity = read_identity(database).value();
    DueChange change = DueChange::begin(database, identity).value();
    ASSERT_TRUE(change.set("a-ghost", 10).ok());
    ASSERT_TRUE(change.finish(*sample.how.key).ok());
  });
  const Verification verification = sample.verify();
  EXPECT_EQ(testing::failed_checks(verification), (std::vector<std::string>{"other"}))
      << testing::all_details(verification);
  {
    Workspace workspace = sample.open();
    const std::vector<DueDate> due = workspace.due(10).value();
    ASSERT_EQ(due.size(), 1u);
    EXPECT_FALSE(workspace.prepare_due(due).value().has_value());
    // Only what is not there loses its date.
    EXPECT_EQ(workspace.drop_due(workspace.due(kLast).value()).value(), 1u);
    EXPECT_EQ(dates_of(workspace), kAll);
    EXPECT_EQ(workspace.info().entries, 1u);
  }
  EXPECT_TRUE(sample.verify().passed);
  // Together with something that is there it goes in the same update.
  sample.edit([&](const Database& database) {
    const Identity identity = read_identity(database).value();
    DueChange change = DueChange::begin(database, identity).value();
    ASSERT_TRUE(change.set("a-ghost", 10).ok());
    ASSERT_TRUE(change.finish(*sample.how.key).ok());
  });
  {
    Workspace workspace = sample.open();
    auto prepared = workspace.prepare_due(workspace.due(100).value()).value();
    ASSERT_TRUE(prepared.has_value());
    EXPECT_EQ(prepared->requests().size(), 1u);
    ASSERT_TRUE(prepared->commit().ok());
    EXPECT_TRUE(workspace.due(100).value().empty());
  }
  EXPECT_TRUE(sample.verify().passed);
}

TEST(WorkspaceExpiry, AMissingDateIsNoticedBeforeAnythingIsForgotten) {
  const SampleWorkspace sample(dated_setup());
  static_cast<void>(sample.create());
  sample.edit("DELETE FROM expiry WHERE slot = 5");
  {
    const Workspace workspace = sample.open();
    EXPECT_EQ(workspace.due(kLast).error().code, ErrorCode::kMalformedInput);
    EXPECT_EQ(workspace.remaining().error().code, ErrorCode::kMalformedInput);
  }
  const Verification verification = sample.verify();
  EXPECT_EQ(testing::failed_checks(verification), (std::vector<std::string>{"other"}));
  // A summary that nobody signed stops a removal, before anything is written.
  sample.edit("UPDATE expiry_summary SET rows = 3");
  Workspace workspace = sample.open();
  const RemovalRequest request = ForgetGraph{2u};
  EXPECT_EQ(workspace.forget(std::span(&request, 1)).error().code, ErrorCode::kMalformedInput);
  EXPECT_EQ(workspace.info().entries, 1u);
  EXPECT_EQ(workspace.info().graphs, 14u);
}

TEST(WorkspaceExpiry, ARowAboutARemovedGraphIsToldByVerify) {
  const SampleWorkspace sample;
  {
    Workspace workspace = sample.create();
    const RemovalRequest request = ForgetGraph{5u};
    ASSERT_TRUE(workspace.forget(std::span(&request, 1)).ok());
  }
  sample.edit([&](const Database& database) {
    const Identity identity = read_identity(database).value();
    DueChange change = DueChange::begin(database, identity).value();
    ASSERT_TRUE(change.set(std::size_t{5}, 10).ok());
    ASSERT_TRUE(change.finish(*sample.how.key).ok());
  });
  EXPECT_EQ(testing::failed_checks(sample.verify()), (std::vector<std::string>{"other"}));
}

TEST(WorkspaceExpiry, EverythingDueIsRefusedAndNothingChanges) {
  WorkspaceSetup setup = testing::sample_setup();
  setup.dataset.due.graphs.assign(setup.dataset.size(), 10);
  const SampleWorkspace sample(std::move(setup));
  Workspace workspace = sample.create();
  const auto prepared = workspace.prepare_due(workspace.due(10).value());
  ASSERT_FALSE(prepared.ok());
  EXPECT_NE(prepared.error().message.find("nothing would be left"), std::string::npos);
  EXPECT_EQ(dates_of(workspace).size(), 14u);
}

}  // namespace
}  // namespace unscatter
