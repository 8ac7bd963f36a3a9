// Removals through the file: what is recorded, what is refused, what is destroyed.
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "store/sample_workspace.h"
#include "store/tables.h"
#include "unscatter/base/invariant.h"
#include "unscatter/store/request_text.h"
#include "unscatter/store/workspace.h"

namespace unscatter {
namespace {

using testing::SampleWorkspace;

Result<Forgotten> forget_one(Workspace& workspace, const RemovalRequest& request, const ForgetOptions& options = {}) {
  return workspace.forget(std::span(&request, 1), options);
}

// A request of each kind that the sample allows one after the other.
std::vector<RemovalRequest> one_of_each(const Dataset& data) {
  NodeIndex from = 0;
  while (data.graphs[2].degree(from) == 0) ++from;
  const NodeIndex to = data.graphs[2].neighbours(from)[0];
  return {ForgetFeatures{0u, 1u}, ForgetNode{1u, data.graphs[1].node_id(0)},
          ForgetEdge{2u, std::size_t{from}, data.graphs[2].node_id(to)}, ForgetGraph{3u},
          ForgetSubject{data.graphs[4].node_id(1)}};
}

TEST(WorkspaceForget, EveryKindIsRecordedByCountAndCommitment) {
  const SampleWorkspace sample;
  const auto requests = one_of_each(sample.original());
  static_cast<void>(sample.create());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    SCOPED_TRACE(describe(requests[i]));
    Workspace workspace = sample.open();
    const Result<Forgotten> done = forget_one(workspace, requests[i]);
    ASSERT_TRUE(done.ok()) << done.error().message;
    const LedgerRecord record = workspace.entry(i + 1).value();
    const RequestCounts expected{i == 0, i == 1, i == 2, i == 3, i == 4};
    EXPECT_EQ(record.requests, expected);
    EXPECT_EQ(record.kind, EntryKind::kForgotten);
    EXPECT_EQ(record.graphs, workspace.session().value()->graph_count());
    EXPECT_EQ(record.graphs_removed, i == 3 ? 1u : 0u);
    EXPECT_NE(record.data_before, record.data_after);
    ASSERT_EQ(record.commitments.size(), 1u);
    EXPECT_EQ(record.commitments[0], commitment(requests[i], done->salts.at(0)));
    EXPECT_EQ(ledger_text(done->entry), ledger_text(record));
    EXPECT_EQ(request_text(done->requests.at(0)), request_text(requests[i]));
  }
  EXPECT_TRUE(sample.verify().passed);
}

TEST(WorkspaceForget, TheReceiptInTheFileIsTheOneReturned) {
  const SampleWorkspace sample;
  const auto requests = one_of_each(sample.original());
  Receipt returned;
  std::vector<Salt> salts;
  {
    Workspace workspace = sample.create();
    const Forgotten done = workspace.forget(requests).value();
    returned = done.receipt;
    salts = done.salts;
    EXPECT_EQ(workspace.info().head, returned.entry);
  }
  Workspace workspace = sample.open();
  const Receipt stored = workspace.receipt(1).value();
  EXPECT_EQ(receipt_text(stored), receipt_text(returned));
  EXPECT_TRUE(check_signature(stored, sample.how.key->public_key()).ok());
  EXPECT_FALSE(check_signature(stored, testing::sample_key(2)->public_key()).ok());
  EXPECT_EQ(stored.entry, workspace.hash_of_entry(1).value());
  EXPECT_EQ(stored.previous, workspace.hash_of_entry(0).value());
  EXPECT_EQ(stored.workspace, workspace.info().id);
  EXPECT_EQ(stored.requests.total(), requests.size());
  ASSERT_EQ(salts.size(), requests.size());
  ASSERT_EQ(stored.commitments.size(), requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(commitment(requests[i], salts[i]), stored.commitments[i]);
    EXPECT_NE(commitment(requests[(i + 1) % requests.size()], salts[i]), stored.commitments[i]);
  }
  const Check found = find_receipt(stored, workspace).value();
  EXPECT_TRUE(found.passed) << found.detail;
  Receipt other = stored;
  other.entry = workspace.hash_of_entry(0).value();
  EXPECT_FALSE(find_receipt(other, workspace).value().passed);
  other = stored;
  other.sequence = 99;
  EXPECT_FALSE(find_receipt(other, workspace).value().passed);
  other.workspace = std::string(32, '0');
  EXPECT_NE(find_receipt(other, workspace).value().detail.find("belongs to workspace"), std::string::npos);
}

// Everything that a refused request could have touched.
struct StoreState {
  explicit StoreState(const SampleWorkspace& sample, Workspace& workspace)
      : info(workspace.info()),
        session(workspace.session().value()->snapshot()),
        replay(workspace.replay_digest().value()),
        state(workspace.state_digest().value()),
        bytes(sample.bytes()) {}

  WorkspaceInfo info;
  SessionSnapshot session;
  Digest replay;
  Digest state;
  std::string bytes;
};

void expect_same(const StoreState& now, const StoreState& before) {
  EXPECT_EQ(testing::difference(now.info, before.info), "");
  EXPECT_EQ(testing::difference(now.session, before.session), "");
  EXPECT_EQ(now.replay, before.replay);
  EXPECT_EQ(now.state, before.state);
  EXPECT_EQ(now.bytes, before.bytes);
}

TEST(WorkspaceForget, ARefusedRequestChangesNothing) {
  const SampleWorkspace sample;
  sample.fill();
  Workspace workspace = sample.open();
  const StoreState before(sample, workspace);
  const std::vector<std::vector<RemovalRequest>> refused = {
      {},
      {ForgetGraph{99u}},
      {ForgetGraph{3u}},
      {ForgetNode{5u, 0u}, ForgetNode{5u, 0u}},
      {ForgetNode{5u, 0u}, ForgetSubject{"nobody"}},
  };
  for (const auto& requests : refused) {
    const Result<Forgotten> result = workspace.forget(requests);
    ASSERT_FALSE(result.ok());
    const Result<Certificate> previewed = workspace.preview(requests);
    ASSERT_FALSE(previewed.ok());
    EXPECT_EQ(previewed.error().message, result.error().message);
    expect_same(StoreState(sample, workspace), before);
  }
  EXPECT_EQ(workspace.forget(refused.back()).error().request, 1u);
  EXPECT_FALSE(workspace.forget({}).error().request.has_value());  // about no request
  // And it goes on working.
  ASSERT_TRUE(forget_one(workspace, ForgetNode{5u, 0u}).ok());
  EXPECT_EQ(workspace.info().entries, before.info.entries + 1);
  { const Workspace closed = std::move(workspace); }
  EXPECT_TRUE(sample.verify().passed);
}

TEST(WorkspaceForget, APreviewChangesNothingAndSaysWhatWillBe) {
  const SampleWorkspace sample;
  sample.fill();
  Workspace workspace = sample.open();
  const StoreState before(sample, workspace);
  const std::vector<RemovalRequest> requests = {ForgetNode{5u, 0u}, ForgetGraph{6u}};
  const Certificate previewed = workspace.preview(requests).value();
  expect_same(StoreState(sample, workspace), before);
  const Certificate done = workspace.forget(requests).value().certificate;
  EXPECT_EQ(previewed.graphs, done.graphs);
  EXPECT_EQ(previewed.rung, done.rung);
  EXPECT_EQ(previewed.residual_upper_bound, done.residual_upper_bound);
}

// Prepared, written and put in force in two steps: the same as in one.
TEST(WorkspaceForget, APreparedRemovalIsDroppedOrCommitted) {
  const SampleWorkspace sample;
  sample.fill();
  Workspace workspace = sample.open();
  const StoreState before(sample, workspace);
  const std::vector<RemovalRequest> requests = {ForgetNode{5u, 0u}, ForgetGraph{6u}};
  const RowMatrix embeddings = workspace.session().value()->embeddings().to_dense();
  {
    const Workspace::Removal dropped = workspace.prepare(requests).value();
    EXPECT_TRUE(dropped.certificate().satisfied);
    EXPECT_EQ(testing::difference(workspace.info(), before.info), "");
    EXPECT_EQ(sample.bytes(), before.bytes);
    EXPECT_THROW(static_cast<void>(workspace.preview(requests)), InvariantViolation);
  }
  expect_same(StoreState(sample, workspace), before);
  EXPECT_EQ(workspace.session().value()->embeddings().to_dense(), embeddings);

  Workspace::Removal removal = workspace.prepare(requests).value();
  const double residual = removal.certificate().residual_upper_bound;
  const Forgotten done = removal.commit().value();
  EXPECT_THROW(static_cast<void>(removal.commit()), InvariantViolation);
  EXPECT_EQ(done.certificate.residual_upper_bound, residual);
  EXPECT_EQ(done.requests.size(), 2u);
  EXPECT_EQ(done.entry.sequence, before.info.entries);
  EXPECT_EQ(workspace.info().head, done.receipt.entry);
  EXPECT_EQ(workspace.info().updates, before.info.updates + 1);
  EXPECT_EQ(workspace.info().graphs, before.info.graphs - 1);
  { const Workspace closed = std::move(workspace); }
  EXPECT_TRUE(sample.verify().passed);
}

TEST(WorkspaceForget, NeedsTheKeyItWasMadeWith) {
  SampleWorkspace sample;
  sample.fill();
  for (const bool other : {false, true}) {
    WorkspaceOptions how = sample.how;
    how.key = other ? testing::sample_key(2) : nullptr;
    Workspace workspace = Workspace::open(sample.path(), how).value();
    const StoreState before(sample, workspace);
    const std::vector<RemovalRequest> requests = {ForgetNode{5u, 0u}};
    const Error errors[] = {workspace.forget(requests).error(), workspace.release(true).error(),
                            workspace.forget_list(requests, {}).error()};
    for (const Error& error : errors) {
      EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
      EXPECT_NE(error.message.find("key"), std::string::npos) << error.message;
    }
    EXPECT_EQ(workspace.prepare(requests).value().commit().error().message, errors[0].message);
    // What publishes nothing new needs none.
    EXPECT_TRUE(workspace.preview(requests).ok());
    EXPECT_TRUE(workspace.release().ok());
    expect_same(StoreState(sample, workspace), before);
  }
}

std::size_t salts_in(const SampleWorkspace& sample) {
  std::size_t kept = 0;
  sample.edit([&](const Database& database) {
    const Status visited = visit_salts(database, [&](std::size_t, std::vector<Salt>& salts) -> Status {
      for (const Salt& salt : salts) kept += salt == Salt{} ? 0u : 1u;
      return ok_status();
    });
    EXPECT_TRUE(visited.ok());
  });
  return kept;
}

bool file_holds(const SampleWorkspace& sample, const Salt& salt) {
  const std::string text(reinterpret_cast<const char*>(salt.bytes.data()), salt.bytes.size());
  return sample.bytes().find(text) != std::string::npos;
}

TEST(WorkspaceForget, AShreddedRemovalKeepsNoSalt) {
  const SampleWorkspace sample;
  Salt kept;
  {
    Workspace workspace = sample.create();
    const Forgotten shredded = forget_one(workspace, ForgetNode{5u, 0u}, {.shred = true}).value();
    EXPECT_TRUE(shredded.salts.empty());
    EXPECT_EQ(shredded.receipt.commitments.size(), 1u);
    kept = forget_one(workspace, ForgetNode{6u, 0u}, {.keep_salts = true}).value().salts.at(0);
  }
  EXPECT_EQ(salts_in(sample), 1u);
  EXPECT_TRUE(file_holds(sample, kept));
  EXPECT_TRUE(sample.verify().passed);
}

// By default a salt is handed out and is nowhere in the file.
TEST(WorkspaceForget, SaltsAreHandedOutAndNotKept) {
  const SampleWorkspace sample;
  Salt salt;
  Digest committed;
  {
    Workspace workspace = sample.create();
    const Forgotten done = forget_one(workspace, ForgetNode{5u, 0u}).value();
    salt = done.salts.at(0);
    committed = done.entry.commitments.at(0);
    EXPECT_TRUE(workspace.salts(1).value().empty());
    EXPECT_EQ(workspace.shred(ForgetNode{5u, 0u}).value(), 0u);
  }
  EXPECT_EQ(commitment(ForgetNode{5u, 0u}, salt), committed);
  EXPECT_FALSE(file_holds(sample, salt));
  EXPECT_EQ(salts_in(sample), 0u);
}

// Salts that are kept nowhere else leave before the removal is written.  What cannot be handed out does not happen.
TEST(WorkspaceForget, SaltsAreHandedOutBeforeAnythingIsWritten) {
  const SampleWorkspace sample;
  Workspace workspace = sample.create();
  std::size_t asked = 0;
  ForgetOptions options;
  options.hand_out = [&](const Forgotten& outcome) -> Status {
    EXPECT_EQ(outcome.entry.sequence, 1u);
    EXPECT_EQ(commitment(outcome.requests.at(0), outcome.salts.at(0)), outcome.entry.commitments.at(0));
    if (++asked == 1) return Error{ErrorCode::kIo, "the disk is full"};
    return ok_status();
  };
  const Result<Forgotten> refused = forget_one(workspace, ForgetNode{5u, 0u}, options);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "the disk is full");
  EXPECT_EQ(workspace.info().entries, 1u);
  EXPECT_TRUE(forget_one(workspace, ForgetNode{5u, 0u}, options).ok());
  EXPECT_EQ(asked, 2u);
  // Nothing leaves if nothing is to be kept anywhere.
  options.shred = true;
  EXPECT_TRUE(forget_one(workspace, ForgetNode{6u, 0u}, options).ok());
  EXPECT_EQ(asked, 2u);
}

TEST(WorkspaceForget, ShreddingDestroysTheSaltsOfEqualRequestsOnly) {
  const SampleWorkspace sample;
  const std::string subject = sample.original().graphs[4].node_id(1);
  std::vector<Salt> first;
  std::vector<Salt> second;
  {
    Workspace workspace = sample.create();
    const std::vector<RemovalRequest> batch = {ForgetNode{5u, 0u}, ForgetSubject{subject}, ForgetGraph{6u}};
    first = workspace.forget(batch, {.keep_salts = true}).value().salts;
    second = forget_one(workspace, ForgetFeatures{7u, 0u}, {.keep_salts = true}).value().salts;
    EXPECT_EQ(workspace.shred(ForgetNode{5u, 1u}).value(), 0u);
    EXPECT_EQ(workspace.shred(ForgetSubject{subject}).value(), 1u);
    EXPECT_EQ(workspace.shred(ForgetSubject{subject}).value(), 0u);
    EXPECT_EQ(workspace.shred(ForgetFeatures{7u, 0u}).value(), 1u);
  }
  EXPECT_TRUE(file_holds(sample, first[0]));
  EXPECT_FALSE(file_holds(sample, first[1]));
  EXPECT_TRUE(file_holds(sample, first[2]));
  EXPECT_FALSE(file_holds(sample, second[0]));
  EXPECT_EQ(salts_in(sample), 2u);
  const Verification verification = sample.verify();
  EXPECT_TRUE(verification.passed) << testing::all_details(verification);
}

// The salt of a request lives where the record of a list would otherwise stand in for it.
TEST(WorkspaceForget, ShreddingForgetsHowFarListsCame) {
  const SampleWorkspace sample;
  Workspace workspace = sample.create();
  const std::vector<RemovalRequest> list = {ForgetNode{5u, 0u}};
  ASSERT_EQ(workspace.forget_list(list, {.keep_salts = true}).value().honoured, 1u);
  EXPECT_EQ(workspace.forget_list(list, {}).value().done_before, 1u);
  EXPECT_EQ(workspace.shred(list[0]).value(), 1u);
  const Result<Workspace::ListOutcome> again = workspace.forget_list(list, {});
  ASSERT_FALSE(again.ok());
  EXPECT_NE(again.error().message.find("removed already"), std::string::npos);
}

TEST(WorkspaceForget, TimesAddUp) {
  const SampleWorkspace sample;
  Workspace workspace = sample.create();
  EXPECT_EQ(workspace.stage_times().update, 0);
  ASSERT_TRUE(forget_one(workspace, ForgetNode{5u, 0u}).ok());
  const StageTimes once = workspace.stage_times();
  for (const double seconds : {once.update, once.record, once.write, once.commit, once.checkpoint})
    EXPECT_GT(seconds, 0);
  ASSERT_TRUE(forget_one(workspace, ForgetNode{6u, 0u}).ok());
  EXPECT_GT(workspace.stage_times().update, once.update);
}

// The number is told and nowhere kept: neither its name nor its value, in any spelling that the store uses.
TEST(WorkspaceForget, ExposureIsToldAndNotKept) {
  const SampleWorkspace sample;
  const RemovalRequest request = ForgetGraph{3u};
  Exposure previewed;
  Forgotten done;
  {
    Workspace workspace = sample.create();
    ASSERT_TRUE(workspace.release().ok());
    ASSERT_TRUE(workspace.preview(std::span(&request, 1), &previewed).ok());
    done = forget_one(workspace, request).value();
    ASSERT_TRUE(workspace.release().ok());
  }
  EXPECT_EQ(done.exposure.models, 1u);
  EXPECT_EQ(done.exposure.shift, previewed.shift);
  EXPECT_GT(done.exposure.shift, 0);
  const double values[] = {done.exposure.shift, best_guess(done.exposure),
                           done.exposure.shift * done.certificate.promise.noise_stddev};
  for (const std::string& place : {sample.bytes(), ledger_text(done.entry), receipt_text(done.receipt)}) {
    EXPECT_EQ(place.find("exposure"), std::string::npos);
    for (const double value : values) {
      if (value == 1) continue;  // a certain guess; ones are everywhere
      std::string raw(sizeof value, '\0');
      std::memcpy(raw.data(), &value, sizeof value);
      EXPECT_EQ(place.find(raw), std::string::npos);
      EXPECT_EQ(place.find(nlohmann::json(value).dump()), std::string::npos);
    }
  }
  // The search finds a number that is there.
  const double kept = done.certificate.promise.shift_limit;
  EXPECT_NE(receipt_text(done.receipt).find(nlohmann::json(kept).dump()), std::string::npos);
}

// A workspace whose models protect everyone: created, opened, verified against a retraining, and with derived noise.
TEST(WorkspaceForget, LevelEveryoneIsKeptInTheFile) {
  testing::SampleChoice choice;
  choice.name = "everyone";
  choice.options.protection = Protection::kEveryone;
  choice.options.classes = ConstantKind::kStated;
  choice.options.per_subject = 2;
  choice.options.ridge = 0.5;
  choice.options.releases = 3;
  const SampleWorkspace sample(testing::sample_setup(1, choice));
  double noise = 0;
  {
    Workspace workspace = sample.create();
    noise = workspace.info().options.noise_stddev;
    EXPECT_GT(noise, 1);
    EXPECT_EQ(workspace.info().certificate.promise.protection, Protection::kEveryone);
  }
  {
    Workspace workspace = sample.open();
    EXPECT_EQ(workspace.info().options.noise_stddev, noise);
    EXPECT_EQ(workspace.session().value()->options().noise_stddev, noise);
    const Forgotten done = forget_one(workspace, ForgetGraph{2u}).value();
    EXPECT_EQ(done.receipt.promise.protection, Protection::kEveryone);
    EXPECT_EQ(done.receipt.promise.per_subject, 2u);
    EXPECT_EQ(done.entry.promise.sensitivity, done.certificate.promise.sensitivity);
    const PublishedModel model = workspace.release().value();
    EXPECT_EQ(model.promise.protection, Protection::kEveryone);
    EXPECT_EQ(model.weights.col(1), -model.weights.col(0));
  }
  const Verification verification = sample.verify({.retrain = true});
  EXPECT_TRUE(verification.passed) << testing::all_details(verification);
}

}  // namespace
}  // namespace unscatter
