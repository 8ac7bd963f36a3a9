// Rows that the ranks of a job share: trainings and removals are those of one process, and messages are those of
// docs/scale.md.
#include "cluster/shared_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/testing/seeded_random.h"
#include "cluster/crew.h"
#include "cluster/worker.h"
#include "comm/threads.h"
#include "linalg/row_products.h"
#include "linalg/row_share.h"
#include "store/shard_files.h"
#include "store/sqlite.h"
#include "support/random_rows.h"
#include "support/shared_rows.h"
#include "support/temporary_folder.h"
#include "unscatter/graph/generate.h"
#include "unscatter/graph/read.h"
#include "unscatter/store/verify.h"
#include "unscatter/store/workspace.h"

namespace unscatter::cluster {
namespace {

namespace fs = std::filesystem;
using testing::SeededRandom;
using testing::TemporaryFolder;

// Everything is worth a message.
constexpr CrewLimits kAlways{.least_cost = 0, .least_values = 0, .least_rows = 0};

Result<std::vector<Traffic>> with_sharing_crew(std::size_t ranks, const std::function<void(Crew&)>& first) {
  return run_ranks(ranks, [&](Communicator& job) {
    if (!job.is_first()) return serve_first_rank(job);
    Crew crew(job, kAlways);
    first(crew);
  });
}

TEST(SharedRows, AreCutWhereLeavesBegin) {
  for (const std::size_t rows : {1U, 127U, 128U, 129U, 1000U, 65'537U}) {
    for (const std::size_t ranks : {1U, 2U, 3U, 7U, 64U}) {
      const std::vector<std::size_t> begins = even_shares(rows, ranks);
      ASSERT_EQ(begins.size(), ranks + 1);
      EXPECT_EQ(begins.front(), 0u);
      EXPECT_EQ(begins.back(), rows);
      const std::size_t leaves = (rows + kLeafRows - 1) / kLeafRows;
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        EXPECT_LE(begins[rank], begins[rank + 1]);
        EXPECT_TRUE(begins[rank] % kLeafRows == 0 || begins[rank] == rows);
        EXPECT_LE(begins[rank + 1] - begins[rank], (leaves / ranks + 1) * kLeafRows);
      }
    }
  }
}

TEST(SharedRows, EveryShardHasOneRank) {
  for (const std::size_t shards : {1U, 2U, 5U, 8U, 256U}) {
    for (const std::size_t ranks : {1U, 2U, 3U, 7U, 64U}) {
      const std::vector<std::size_t> begins = shards_of_ranks(shards, ranks);
      EXPECT_EQ(begins.front(), 0u);
      EXPECT_EQ(begins.back(), shards);
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        EXPECT_LE(begins[rank], begins[rank + 1]);
        EXPECT_LE(begins[rank + 1] - begins[rank], shards / ranks + 1);
      }
    }
  }
}

// The order, the rows of each rank in blocks, what share_rows() asks, and the end of the job.
TEST(SharedRows, MessagesOfSpreadingAreThoseOfTheModel) {
  const testing::LabelledRows all = testing::random_rows(4, {.rows = 700, .columns = 20, .classes = 3});
  std::size_t bytes_of_rows = 0;
  for (const std::size_t ranks : {2U, 3U, 5U}) {
    SCOPED_TRACE(ranks);
    const std::vector<std::size_t> begins = even_shares(700, ranks);
    bytes_of_rows = 0;
    for (std::size_t i = begins[1]; i < 700; ++i) {
      const BlockRow& row = all.rows.row(i);
      bytes_of_rows += 8 + 16 + 8 * row.segments.size() + 8 * row.values.size();
    }
    const auto sent = with_sharing_crew(ranks, [&](Crew& crew) {
      const auto own = crew.spread(all.rows, all.labels, 1);
      ASSERT_TRUE(own.has_value());
      ASSERT_EQ(own->rows.rows(), begins[1]);
      EXPECT_EQ(own->rows.total_rows(), 700u);
      EXPECT_EQ(own->rows.total_stored_values(), all.rows.stored_values());
      for (std::size_t i = 0; i < begins[1]; ++i) {
        EXPECT_EQ(own->rows.row(i), all.rows.row(i));
        EXPECT_EQ(own->labels[i], all.labels[i]);
      }
    });
    ASSERT_TRUE(sent.ok()) << sent.error().message;
    const std::size_t others = ranks - 1;
    // One block each, and the word that there are no more.
    EXPECT_EQ(testing::together(*sent).messages, others * (2 + 3 + 4 + 2));
    EXPECT_EQ(testing::together(*sent).bytes,
              others * (40 + 8 + 8 + 8 + 8 + (8 + 24) + 24 * ranks + 40) + bytes_of_rows);
  }
}

// --- Workspaces ------------------------------------------------------------------------------------------------------

WorkspaceOptions options_with(Crew* crew) {
  static const auto key = [] {
    SeededRandom random(5);
    return std::make_shared<const SigningKey>(SigningKey::generate(random));
  }();
  WorkspaceOptions options;
  options.key = key;
  options.threads = 1;
  options.expected_updates = 1;
  options.crew = crew;
  options.clock = [] { return std::int64_t{1'800'000'000}; };
  options.random = [] { return std::make_unique<SeededRandom>(17); };
  return options;
}

constexpr std::size_t kGroups = 700;

Dataset some_groups() {
  InterestGroupOptions groups;
  groups.groups = kGroups;
  groups.users = 300;
  groups.seed = 3;
  return generate_interest_groups(groups).value();
}

WorkspaceSetup setup_of(Dataset dataset) {
  WorkspaceSetup setup;
  setup.dataset = std::move(dataset);
  setup.features = "log-degree";
  setup.transform.scales = 2;
  setup.transform.moments = 2;
  setup.transform.layers = 2;
  setup.options.regularisation = 1e-4;
  setup.shards.slots_per_shard = 128;
  return setup;
}

// All that a file of a workspace holds about the model.
struct Kept {
  Digest replay;
  Digest data;
  Matrix weights;
  std::vector<std::byte> curvature;
  double residual = 0;

  friend bool operator==(const Kept& one, const Kept& other) {
    return one.replay == other.replay && one.data == other.data && one.weights == other.weights &&
           one.curvature == other.curvature && one.residual == other.residual;
  }
};

std::vector<std::byte> kept_curvature(const fs::path& folder) {
  const Database database =
      Database::open(manifest_path(folder), Database::Mode::kExisting, std::chrono::seconds(1)).value();
  Statement statement = database.prepare("SELECT content FROM curvature ORDER BY piece");
  std::vector<std::byte> all;
  while (statement.step().value()) {
    const std::span<const std::byte> content = statement.blob_view(0).value();
    all.insert(all.end(), content.begin(), content.end());
  }
  return all;
}

Kept kept_in(const fs::path& folder) {
  Kept kept;
  {
    Workspace workspace = Workspace::open(folder, options_with(nullptr)).value();
    kept.weights = workspace.kept_weights();
    kept.residual = workspace.info().certificate.residual_upper_bound;
    kept.replay = workspace.replay_digest().value();
    kept.data = workspace.entry(workspace.info().entries - 1).value().data_after;
  }
  kept.curvature = kept_curvature(folder);
  return kept;
}

// What one process makes, and many, which share rows so many times at least.
template <typename Work>
void expect_equal_on_any_number_of_ranks(const TemporaryFolder& folder, std::size_t shared, const Work& work) {
  work(folder.path() / "alone", nullptr);
  const Kept alone = kept_in(folder.path() / "alone");
  for (const std::size_t ranks : {2U, 3U, 7U}) {
    SCOPED_TRACE(ranks);
    const fs::path path = folder.path() / ("of-" + std::to_string(ranks));
    const auto sent = with_sharing_crew(ranks, [&](Crew& crew) {
      work(path, &crew);
      EXPECT_GE(crew.times_shared(), shared);
    });
    ASSERT_TRUE(sent.ok()) << sent.error().message;
    EXPECT_EQ(kept_in(path), alone);
    EXPECT_TRUE(verify_workspace(path, {}, options_with(nullptr)).value().passed);
  }
}

TEST(SharedRows, TrainingsAreThoseOfOneProcess) {
  for (const Loss& loss : {Loss::logistic(), Loss::squared(), Loss::huber_svm(0.5).value()}) {
    const TemporaryFolder folder;
    expect_equal_on_any_number_of_ranks(folder, 1, [&](const fs::path& path, Crew* crew) {
      WorkspaceSetup setup = setup_of(some_groups());
      setup.options.loss = loss;
      ASSERT_TRUE(Workspace::create(path, std::move(setup), options_with(crew)).ok());
    });
  }
}

TEST(SharedRows, StreamedTrainingsAreThoseOfOneProcess) {
  const TemporaryFolder folder;
  const fs::path data = folder.path() / "groups.jsonl";
  ASSERT_TRUE(write_jsonl(some_groups(), data).ok());
  expect_equal_on_any_number_of_ranks(folder, 1, [&](const fs::path& path, Crew* crew) {
    WorkspaceSetup setup = setup_of({});
    setup.options.crew = crew;
    ASSERT_TRUE(survey(setup, [&] { return GraphStream::open(data); }, {.threads = 1, .crew = crew}).ok());
    ASSERT_TRUE(Workspace::create(path, std::move(setup), options_with(crew)).ok());
  });
}

// Requests that the fast rung serves, and some that need all rows, each by a process of its own.
TEST(SharedRows, RemovalsAreThoseOfOneProcess) {
  const TemporaryFolder folder;
  std::size_t rows_were_needed = 0;
  expect_equal_on_any_number_of_ranks(folder, 1, [&](const fs::path& path, Crew* crew) {
    WorkspaceSetup setup = setup_of(some_groups());
    setup.options.distance_limit = 1e-6;
    ASSERT_TRUE(Workspace::create(path, std::move(setup), options_with(nullptr)).ok());
    for (std::size_t step = 0; step < 6; ++step) {
      SCOPED_TRACE(step);
      Workspace workspace = Workspace::open(path, options_with(crew)).value();
      std::vector<RemovalRequest> requests;
      for (std::size_t i = 0; i <= 2 * step; ++i) requests.emplace_back(ForgetNode{110 * step + i, NodeKey(1U)});
      if (step == 4) requests.emplace_back(ForgetGraph{699UL});
      const Result<Forgotten> forgotten = workspace.forget(requests);
      ASSERT_TRUE(forgotten.ok()) << forgotten.error().message;
      if (forgotten->certificate.rung != Rung::kFast) ++rows_were_needed;
    }
  });
  EXPECT_GT(rows_were_needed, 0u);
}

// A row that is not what was written: this process reads all, notices, and makes the kept state anew.
TEST(SharedRows, ADamagedShardIsNoticed) {
  const TemporaryFolder folder;
  expect_equal_on_any_number_of_ranks(folder, 0, [&](const fs::path& path, Crew* crew) {
    WorkspaceSetup setup = setup_of(some_groups());
    setup.options.fast_rung = false;
    ASSERT_TRUE(Workspace::create(path, std::move(setup), options_with(nullptr)).ok());
    {
      const Database shard =
          Database::open(shard_path(path, 4), Database::Mode::kExisting, std::chrono::seconds(1)).value();
      ASSERT_TRUE(shard.run("UPDATE embeddings SET seal = seal + 1 WHERE slot = 600;").ok());
    }
    Workspace workspace = Workspace::open(path, options_with(crew)).value();
    const std::vector<RemovalRequest> requests = {ForgetNode{5UL, NodeKey(1U)}};
    ASSERT_TRUE(workspace.forget(requests).ok());
  });
}

}  // namespace
}  // namespace unscatter::cluster
