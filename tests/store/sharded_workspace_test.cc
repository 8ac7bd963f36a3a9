// Sharded workspaces: what they hold, what is refused, and how they become one file and the other way round.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "crash/small_workspace.h"
#include "store/contents.h"
#include "store/member_index.h"
#include "store/shard_files.h"
#include "store/shard_rows.h"
#include "store/stored_graph.h"
#include "store/stored_rows.h"
#include "store/workspace_files.h"
#include "store/workspace_state.h"
#include "support/temporary_folder.h"
#include "unscatter/store/verify.h"

namespace unscatter {
namespace {

namespace fs = std::filesystem;
using testing::carry_out;
using testing::small_options;
using testing::small_steps;
using testing::state_of;

std::string shard_bytes(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return std::move(text).str();
}

std::string sharded_verify_fault(const fs::path& path) { return testing::verification_fault(path); }

// Everything that the tables about slots hold, whatever file they are in.
struct SlotContent {
  std::vector<Digest> leaves;
  std::map<std::size_t, std::vector<std::byte>> rows;
  std::map<std::string, std::vector<std::size_t>> members;
  friend bool operator==(const SlotContent&, const SlotContent&) = default;
};

SlotContent slot_content(const fs::path& path) {
  const WorkspaceFiles files = open_files(path, std::chrono::seconds(1)).value();
  const WorkspaceTables tables = files.tables();
  const Contents contents = read_contents(tables).value();
  SlotContent found;
  EXPECT_TRUE(visit_graphs(tables, [&](std::size_t slot, GraphRow& row) {
                found.leaves.push_back(row.leaf(slot));
                return ok_status();
              }).ok());
  EXPECT_TRUE(visit_row_contents(tables, found.leaves, contents.chain.last.graphs,
                                 [&](std::size_t slot, std::span<const std::byte> content) {
                                   found.rows[slot] = {content.begin(), content.end()};
                                   return ok_status();
                                 })
                  .ok());
  MemberIndex index = MemberIndex::open(tables, contents.identity.list_key).value();
  for (const MemberKind kind : {MemberKind::kSubject, MemberKind::kGraphId}) {
    EXPECT_TRUE(index
                    .visit(tables, kind,
                           [&](const std::string& id, const std::vector<std::size_t>& slots) {
                             auto& all = found.members[(kind == MemberKind::kSubject ? "s:" : "g:") + id];
                             all.insert(all.end(), slots.begin(), slots.end());
                             return ok_status();
                           })
                    .ok());
  }
  return found;
}

class ShardedWorkspace : public ::testing::Test {
 protected:
  ShardedWorkspace() {
    WorkspaceSetup setup = testing::small_setup();
    setup.shards.slots_per_shard = 4;
    static_cast<void>(Workspace::create(folder(), std::move(setup), small_options()).value());
    static_cast<void>(Workspace::create(file(), testing::small_setup(), small_options()).value());
  }
  [[nodiscard]] fs::path folder() const { return temporary_.path() / "w"; }
  [[nodiscard]] fs::path file() const { return temporary_.path() / "w.unscatter"; }
  void do_steps(const fs::path& path, std::size_t first, std::size_t last) const {
    for (std::size_t step = first; step < last; ++step) {
      Workspace workspace = Workspace::open(path, small_options()).value();
      ASSERT_TRUE(carry_out(workspace, small_steps()[step]).ok()) << step;
    }
  }
  [[nodiscard]] std::string refusal() const {
    const Result<Workspace> opened = Workspace::open(folder(), small_options());
    return opened.ok() ? "opened" : opened.error().message;
  }

  testing::TemporaryFolder temporary_;
};

TEST(SlotPartitionOf, SlotsAreCutIntoPartsOfPowersOfTwo) {
  const SlotPartition parts = SlotPartition::at_most(2'000'000, 8);
  EXPECT_EQ(parts.slots_per_part, 262'144u);
  EXPECT_EQ(parts.parts, 8u);
  EXPECT_EQ(SlotPartition::at_most(14, 8), (SlotPartition{1, 128}));
  for (const std::size_t slots : {1U, 127U, 128U, 129U, 1000U, 5000U}) {
    for (const std::size_t most : {1U, 2U, 3U, 7U}) {
      const SlotPartition cut = SlotPartition::at_most(slots, most);
      EXPECT_LE(cut.parts, most);
      EXPECT_LT(cut.first(cut.parts - 1), slots) << "no shard is empty";
      for (std::size_t slot = 0; slot < slots + 300; slot += 64) {
        const std::size_t part = cut.part_of(slot);
        EXPECT_GE(slot, cut.first(part));
        EXPECT_LT(slot, cut.end(part));
      }
    }
  }
}

TEST_F(ShardedWorkspace, HoldsWhatAFileHoldsAfterEveryStep) {
  EXPECT_EQ(slot_content(folder()), slot_content(file()));
  for (std::size_t step = 0; step < small_steps().size(); ++step) {
    SCOPED_TRACE(step);
    do_steps(folder(), step, step + 1);
    do_steps(file(), step, step + 1);
    EXPECT_EQ(slot_content(folder()), slot_content(file()));
    EXPECT_EQ(state_of(folder()).value(), state_of(file()).value());
  }
  EXPECT_EQ(sharded_verify_fault(folder()), "");
  EXPECT_TRUE(check_workspace(folder(), small_options()).value().passed);
}

TEST_F(ShardedWorkspace, QuestionsHaveTheSameAnswers) {
  const Workspace one = Workspace::open(file(), small_options()).value();
  const Workspace other = Workspace::open(folder(), small_options()).value();
  EXPECT_EQ(other.info().shards, 4u);
  EXPECT_EQ(other.info().slots_per_shard, 4u);
  for (const std::string id : {"user-0", "user-12", "user-23", "nobody"}) {
    EXPECT_EQ(other.subject(id).value().graphs.size(), one.subject(id).value().graphs.size());
  }
  EXPECT_EQ(other.subjects().value().subjects, one.subjects().value().subjects);
  EXPECT_EQ(content_digest(other.remaining().value()), content_digest(one.remaining().value()));
}

TEST_F(ShardedWorkspace, BecomesOneFileAndAFolderAgain) {
  do_steps(folder(), 0, 8);
  do_steps(file(), 0, 8);
  const fs::path merged = temporary_.path() / "merged.unscatter";
  const fs::path cut = temporary_.path() / "cut";
  const fs::path merged_again = temporary_.path() / "again.unscatter";
  {
    const Workspace workspace = Workspace::open(folder(), small_options()).value();
    EXPECT_EQ(workspace.convert(merged, {}).value().shards, 0u);
    EXPECT_EQ(workspace.convert(merged, {}).error().code, ErrorCode::kInvalidArgument) << "it is there";
  }
  EXPECT_EQ(Workspace::open(merged, small_options()).value().convert(cut, {.slots_per_shard = 2}).value().shards, 8u);
  ASSERT_TRUE(Workspace::open(cut, small_options()).value().convert(merged_again, {}).ok());
  EXPECT_EQ(shard_bytes(merged), shard_bytes(merged_again));
  for (const fs::path& path : {folder(), merged, cut, merged_again}) {
    SCOPED_TRACE(path);
    EXPECT_EQ(slot_content(path), slot_content(file()));
    EXPECT_EQ(state_of(path).value(), state_of(file()).value());
    EXPECT_EQ(sharded_verify_fault(path), "");
    do_steps(path, 8, small_steps().size());
    EXPECT_EQ(sharded_verify_fault(path), "");
  }
  EXPECT_EQ(slot_content(cut), slot_content(folder()));
  EXPECT_FALSE(fs::exists(cut.string() + ".unfinished"));
}

TEST_F(ShardedWorkspace, ACopyIsAFolderThatPasses) {
  do_steps(folder(), 0, 3);
  const fs::path copy = temporary_.path() / "copy";
  ASSERT_TRUE(Workspace::open(folder(), small_options()).value().backup(copy).ok());
  EXPECT_EQ(slot_content(copy), slot_content(folder()));
  EXPECT_EQ(sharded_verify_fault(copy), "");
  do_steps(folder(), 3, 8);
  const Workspace workspace = Workspace::open(folder(), small_options()).value();
  EXPECT_EQ(workspace.backup(copy).error().code, ErrorCode::kInvalidArgument);
  ASSERT_TRUE(workspace.backup(copy, {.replace = true}).ok());
  EXPECT_EQ(Workspace::open(copy, small_options()).value().info().head, workspace.info().head);
}

TEST_F(ShardedWorkspace, CompactionKeepsEverything) {
  do_steps(folder(), 0, 8);
  const SlotContent before = slot_content(folder());
  ASSERT_TRUE(compact_workspace(folder(), small_options()).ok());
  EXPECT_EQ(slot_content(folder()), before);
  EXPECT_EQ(sharded_verify_fault(folder()), "");
}

TEST_F(ShardedWorkspace, AnOldShardIsRefused) {
  std::map<std::size_t, std::string> old;
  for (std::size_t i = 0; i < 4; ++i) old[i] = shard_bytes(shard_path(folder(), i));
  const std::string old_manifest = shard_bytes(manifest_path(folder()));
  do_steps(folder(), 0, small_steps().size());
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string now = shard_bytes(shard_path(folder(), i));
    std::ofstream(shard_path(folder(), i), std::ios::binary) << old[i];
    EXPECT_NE(refusal().find("is an older copy"), std::string::npos) << refusal();
    EXPECT_FALSE(verify_workspace(folder(), {}, small_options()).value().passed);
    std::ofstream(shard_path(folder(), i), std::ios::binary) << now;
    EXPECT_EQ(refusal(), "opened");
  }
  std::ofstream(manifest_path(folder()), std::ios::binary) << old_manifest;
  EXPECT_NE(refusal().find("newer than the manifest"), std::string::npos) << refusal();
}

// The planted fault of an update that was decided and not finished, with the check of identities passed over: the tree
// of digests, which the ledger signs, still notices.
TEST_F(ShardedWorkspace, AnUpdateThatWasNotFinishedIsNoticedByTheTreeToo) {
  const std::string old = shard_bytes(shard_path(folder(), 0));
  do_steps(folder(), 0, 1);
  std::ofstream(shard_path(folder(), 0), std::ios::binary) << old;
  {
    const Database shard =
        open_database(shard_path(folder(), 0), std::chrono::seconds(1), Access::kAlone, FileKind::kShard).value();
    ShardIdentity forged = read_shard_identity(shard).value();
    EXPECT_EQ(forged.touched, 0u);
    forged.touched = 1;
    ASSERT_TRUE(write_shard_identity(shard, forged).ok());
  }
  EXPECT_EQ(refusal(), "opened");
  const Verification verification = verify_workspace(folder(), {}, small_options()).value();
  EXPECT_FALSE(verification.passed);
  Workspace workspace = Workspace::open(folder(), small_options()).value();
  const std::vector<RemovalRequest> again = {ForgetNode{std::size_t{0}, std::size_t{2}}};
  EXPECT_FALSE(workspace.forget(again).ok());
}

TEST_F(ShardedWorkspace, AShardThatIsMissingOrOfAnotherPlaceIsRefused) {
  const std::string zero = shard_bytes(shard_path(folder(), 0));
  const std::string one = shard_bytes(shard_path(folder(), 1));
  fs::remove(shard_path(folder(), 1));
  EXPECT_NE(refusal().find("is missing"), std::string::npos) << refusal();
  std::ofstream(shard_path(folder(), 1), std::ios::binary) << zero;
  EXPECT_NE(refusal().find("under the name of shard 1"), std::string::npos) << refusal();
  const fs::path other = temporary_.path() / "other";
  WorkspaceSetup setup = testing::small_setup();
  setup.shards.slots_per_shard = 4;
  WorkspaceOptions elsewhere = small_options();
  elsewhere.random = nullptr;
  static_cast<void>(Workspace::create(other, std::move(setup), elsewhere).value());
  fs::copy_file(shard_path(other, 1), shard_path(folder(), 1), fs::copy_options::overwrite_existing);
  EXPECT_NE(refusal().find("is a shard of workspace"), std::string::npos) << refusal();
  std::ofstream(shard_path(folder(), 1), std::ios::binary) << one;
  EXPECT_EQ(refusal(), "opened");
  // A part alone is no workspace.
  EXPECT_NE(Workspace::open(shard_path(folder(), 1), small_options()).error().message.find("give the folder"),
            std::string::npos);
}

TEST_F(ShardedWorkspace, AChangedByteOfAShardIsToldOrHarmless) {
  do_steps(folder(), 0, 4);
  Sequence random(5);
  std::size_t changed = 0;
  std::size_t noticed = 0;
  const auto before = state_of(folder()).value();
  for (std::size_t round = 0; round < 60; ++round) {
    const fs::path path = shard_path(folder(), random.below(4));
    const std::string bytes = shard_bytes(path);
    std::string damaged = bytes;
    // Most of a small shard is room that nothing uses.  The first page has counters that nobody reads.
    std::size_t at = 0;
    do {
      at = 4096 + random.below(damaged.size() - 4096);
    } while (damaged[at] == 0);
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.below(8)));
    std::ofstream(path, std::ios::binary) << damaged;
    const Result<Verification> verification = verify_workspace(folder(), {}, small_options());
    ++changed;
    if (!verification.ok() || !verification->passed) {
      ++noticed;
    } else {
      // Bytes that mean nothing to anybody.
      EXPECT_EQ(state_of(folder()).value(), before) << path << " at " << at;
    }
    for (const char* suffix : {"-wal", "-shm"}) fs::remove(path.string() + suffix);
    std::ofstream(path, std::ios::binary) << bytes;
  }
  EXPECT_GT(noticed, changed * 9 / 10) << "of " << changed;
}

// Names that were forgotten are in no byte of any file.
TEST_F(ShardedWorkspace, NothingOfWhatWasForgottenIsInAnyFile) {
  const auto somewhere = [&](const std::string& text) {
    for (const auto& entry : fs::directory_iterator(folder())) {
      if (shard_bytes(entry.path()).find(text) != std::string::npos) return true;
    }
    return false;
  };
  ASSERT_TRUE(somewhere("user-23"));
  ASSERT_TRUE(somewhere("group-8"));
  {
    Workspace workspace = Workspace::open(folder(), small_options()).value();
    const std::vector<RemovalRequest> requests = {ForgetSubject{"user-23"}, ForgetGraph{"group-8"}};
    ASSERT_TRUE(workspace.forget(requests).ok());
    // Before it is closed: what is acknowledged is erased.
    EXPECT_FALSE(somewhere("user-23"));
    EXPECT_FALSE(somewhere("group-8"));
  }
  EXPECT_FALSE(somewhere("user-23"));
}

// A prepared change is finished where the ledger has its entry, and undone where it has not.
TEST_F(ShardedWorkspace, APreparedChangeFollowsTheLedger) {
  const SlotContent before = slot_content(folder());
  for (const bool decided : {false, true}) {
    {
      const Database shard =
          open_database(shard_path(folder(), 0), std::chrono::seconds(1), Access::kAlone, FileKind::kShard).value();
      const Database manifest =
          open_database(manifest_path(folder()), std::chrono::seconds(1), Access::kAlone, FileKind::kManifest).value();
      PreparedChange change;
      change.sequence = 0;
      if (decided) change.entry = read_entry(manifest, 0).value().hash;
      change.pieces = read_noted_rows(shard, {{"graphs", 0}, {"embeddings", 1}}).value();
      ASSERT_TRUE(write_prepared(shard, change).ok());
    }
    EXPECT_EQ(refusal(), "opened");
    const Database shard =
        open_database(shard_path(folder(), 0), std::chrono::seconds(1), Access::kAlone, FileKind::kShard).value();
    EXPECT_FALSE(read_prepared(shard).value().has_value());
  }
  EXPECT_EQ(slot_content(folder()), before);
}

// A list of a large workspace is honoured without a session of all graphs.
TEST_F(ShardedWorkspace, ALargeOneStaysCold) {
  std::vector<RemovalRequest> list;
  for (std::size_t graph = 0; graph < 5; ++graph) {
    for (std::size_t node = 0; node < 4; ++node) list.emplace_back(ForgetFeatures{graph, node});
  }
  Digest replay;
  for (const bool large : {false, true}) {
    const fs::path path = large ? folder() : file();
    {
      WorkspaceFiles files = open_files(path, std::chrono::seconds(1)).value();
      Contents contents = read_contents(files.tables()).value();
      Workspace::State state(path, std::move(files), std::move(contents), small_options());
      if (large) state.large_workspace = 1;
      EXPECT_EQ(state.worth_staying_cold(list.size()), large);
      EXPECT_EQ(state.worth_staying_cold(1), true);
      state.cold_removals = 100;
      EXPECT_EQ(state.worth_staying_cold(1), large);
    }
    Workspace workspace = Workspace::open(path, small_options()).value();
    ASSERT_TRUE(workspace.forget_list(list, {.batch = 6}).ok());
    const Digest now = workspace.replay_digest().value();
    if (large) {
      EXPECT_EQ(now, replay);
    }
    replay = now;
  }
}

// What a worker of a cluster reads while the coordinator has the workspace open.
TEST_F(ShardedWorkspace, RowsOfOneShardAreReadBesideItsOwner) {
  const WorkspaceFiles files = open_files(folder(), std::chrono::seconds(1)).value();
  const WorkspaceTables tables = files.tables();
  const Contents contents = read_contents(tables).value();
  const std::vector<Digest> leaves = contents.tree.stored_leaves(tables.main()).value();
  const KeptState::Rows all =
      read_rows(tables, leaves, contents.chain.last.graphs, weight_rows(contents), class_count(contents)).value();
  for (std::size_t part = 0; part < tables.parts(); ++part) {
    const std::size_t first = tables.partition().first(part);
    const std::size_t end = std::min(leaves.size(), tables.partition().end(part));
    ShardRowsRequest request{contents.identity.id, part, tables.partition(), leaves.size(), {}, weight_rows(contents),
                             class_count(contents)};
    request.leaves = std::span(leaves).subspan(first, end - first);
    const ReadRows read = read_shard_rows(shard_path(folder(), part), request).value();
    EXPECT_EQ(read.found, end - first);
    for (std::size_t slot = first; slot < end; ++slot) {
      EXPECT_EQ(read.rows.rows.row(slot - first), all.rows.row(slot));
      EXPECT_EQ(read.rows.labels[slot - first], all.labels[slot]);
    }
    // Leaves of another state, and another shard.
    std::vector<Digest> wrong(request.leaves.begin(), request.leaves.end());
    wrong[1] = {};
    request.leaves = wrong;
    EXPECT_FALSE(read_shard_rows(shard_path(folder(), part), request).ok());
    EXPECT_FALSE(read_shard_rows(shard_path(folder(), (part + 1) % tables.parts()), request).ok());
  }
}

}  // namespace
}  // namespace unscatter
