// A training whose file every rank reads a part of: what is found and what is written is what one process finds and
// writes, and messages are those of docs/scale.md.
#include "cluster/file_survey.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "cluster/crew.h"
#include "cluster/embed_messages.h"
#include "cluster/worker.h"
#include "comm/threads.h"
#include "linalg/row_products.h"
#include "store/streamed_data.h"
#include "support/shared_rows.h"
#include "support/temporary_folder.h"
#include "unlearn/row_pile.h"
#include "unscatter/base/random.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/graph/read.h"
#include "unscatter/store/workspace.h"

namespace unscatter::cluster {
namespace {

namespace fs = std::filesystem;
using testing::file_data;
using testing::FileForm;
using testing::quick_setup;

// Several times the shortest piece for each of seven ranks.
constexpr std::size_t kGraphs = 4000;

Result<std::vector<Traffic>> with_surveying_crew(std::size_t ranks, const std::function<void(Crew&)>& first) {
  return run_ranks(ranks, [&](Communicator& job) {
    if (!job.is_first()) return serve_first_rank(job);
    // No graph is sent: what the others embed they have read.
    Crew crew(job, {.seconds_to_judge = 0});
    first(crew);
  });
}

std::function<Result<GraphStream>()> opener(const fs::path& path) {
  return [path] { return GraphStream::open(path); };
}

// What a survey says, with all rows.
struct Found {
  std::vector<std::uint32_t> labels;
  std::vector<std::string> classes;
  std::string features;
  bool ids = false;
  std::size_t subjects = 0;
  std::size_t graphs = 0;
  std::vector<std::optional<std::int64_t>> graph_dates;
  std::map<std::string, std::int64_t> subject_dates;
  FormCounts form;
  std::vector<Digest> sample;
  std::vector<BlockRow> rows;

  friend bool operator==(const Found&, const Found&) = default;
};

Found found_in(WorkspaceSetup setup) {
  StreamedData& stream = *setup.stream;
  Found found{stream.labels,
              setup.dataset.class_names,
              stream.features,
              stream.has_graph_ids,
              stream.subjects,
              stream.rows->rows(),
              stream.due.graphs,
              stream.due.subjects,
              stream.form,
              {},
              {}};
  for (const Graph& graph : setup.dataset.graphs) found.sample.push_back(content_digest(graph));
  {
    KeptState::Rows own = stream.rows->share(stream.labels);
    for (std::size_t i = 0; i < own.rows.rows(); ++i) found.rows.push_back(own.rows.row(i));
  }
  for (std::size_t i = found.rows.size(); i < found.graphs; ++i) found.rows.push_back(stream.rows->row_elsewhere(i));
  return found;
}

TEST(FileSurvey, EveryPieceHasOneRank) {
  for (const std::uint64_t pieces : {2U, 5U, 64U, 1000U}) {
    for (const std::size_t ranks : {1U, 2U, 3U, 7U, 64U}) {
      EXPECT_EQ(part_begin(pieces, 0, ranks), 0u);
      EXPECT_EQ(part_begin(pieces, ranks, ranks), pieces);
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        const std::uint64_t begin = part_begin(pieces, rank, ranks);
        const std::uint64_t end = part_begin(pieces, rank + 1, ranks);
        EXPECT_LE(begin, end);
        EXPECT_LE(end - begin, rounds_of_survey(pieces, ranks));
      }
    }
  }
}

// Whatever the ranks have made, with ranks that have made nothing or less than a leaf.
TEST(FileSurvey, SharesEndWhereLeavesEnd) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Sequence random(seed);
    std::vector<std::size_t> made(1 + random.below(9));
    for (std::size_t& count : made) {
      const std::size_t most = random.below(2) == 0 ? 40 : 1000;
      count = random.below(3) == 0 ? 0 : random.below(most);
    }
    const std::vector<std::size_t> kept = kept_of_made(made);
    const std::size_t all = std::accumulate(made.begin(), made.end(), std::size_t{0});
    EXPECT_EQ(std::accumulate(kept.begin(), kept.end(), std::size_t{0}), all);
    std::size_t made_before = 0;
    std::size_t kept_before = 0;
    for (std::size_t rank = 0; rank < made.size(); ++rank) {
      EXPECT_TRUE(kept[rank] == 0 || kept_before % kLeafRows == 0) << rank;
      made_before += made[rank];
      kept_before += kept[rank];
      // A rank keeps what it has made, but for a part of a leaf at either end.
      EXPECT_LT(kept_before < made_before ? made_before - kept_before : kept_before - made_before, kLeafRows);
    }
    // The rows themselves.
    const auto sent = run_ranks(made.size(), [&](Communicator& job) {
      std::size_t number = 0;
      for (std::size_t rank = 0; rank < job.rank(); ++rank) number += made[rank];
      SparseBlockRows own(0, 1);
      for (std::size_t i = 0; i < made[job.rank()]; ++i) {
        own.append_row({{{0, 1}}, {static_cast<double>(number + i)}});
      }
      hand_over_rows(job, own, made);
      ASSERT_EQ(own.rows(), kept[job.rank()]);
      number = 0;
      for (std::size_t rank = 0; rank < job.rank(); ++rank) number += kept[rank];
      for (std::size_t i = 0; i < own.rows(); ++i) {
        ASSERT_EQ(own.row(i).values.at(0), static_cast<double>(number + i));
        ASSERT_EQ(own.row_norm(i), static_cast<double>(number + i));
      }
    });
    ASSERT_TRUE(sent.ok()) << sent.error().message;
  }
}

struct Case {
  std::string name;
  FileForm form;
  std::string features;
  bool bias = false;
  bool symmetrise = false;
};

TEST(FileSurvey, FindsWhatOneProcessFinds) {
  const std::vector<Case> cases = {
      {"plain", {}, "log-degree"},
      {"without ids", {.ids = false}, "log-degree", true},
      {"everything", {.directed = true, .weights = true, .attributes = 2, .labels = true, .dates = true}, "all", true},
      {"symmetrised", {.directed = true}, "degree-onehot", false, true},
      {"constants that change late", {.labels = true, .late = 3900}, "labels"},
      {"constants that change in the middle", {.attributes = 1, .late = 2000}, "all"}};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const testing::TemporaryFolder folder;
    const fs::path path = folder.path() / "data.jsonl";
    ASSERT_TRUE(write_jsonl(file_data(kGraphs, one.form), path).ok());
    const auto setup_of = [&] {
      SessionOptions options;
      options.bias = one.bias;
      WorkspaceSetup setup = quick_setup(one.features, options);
      setup.transform.symmetrise = one.symmetrise;
      setup.fit = FitSource::private_refit();
      return setup;
    };
    WorkspaceSetup alone = setup_of();
    ASSERT_TRUE(survey(alone, opener(path), {.threads = 1}).ok());
    const Found expected = found_in(std::move(alone));
    ASSERT_EQ(expected.graphs, kGraphs);
    for (const std::size_t ranks : {2U, 3U, 7U, 64U}) {
      SCOPED_TRACE(ranks);
      const auto sent = with_surveying_crew(ranks, [&](Crew& crew) {
        WorkspaceSetup setup = setup_of();
        ASSERT_TRUE(survey(setup, opener(path), {.threads = 1, .crew = &crew}).ok());
        EXPECT_GT(setup.stream->content.size(), 1u) << "one process has read all";
        EXPECT_TRUE(found_in(std::move(setup)) == expected);
      });
      ASSERT_TRUE(sent.ok()) << sent.error().message;
    }
  }
}

TEST(FileSurvey, WorkspacesAreEqualToTheLastByte) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder.path() / "data.jsonl";
  ASSERT_TRUE(write_jsonl(file_data(kGraphs, {.attributes = 2, .labels = true, .dates = true}), path).ok());
  const auto make = [&](const fs::path& target, Crew* crew) {
    WorkspaceSetup setup = quick_setup("all");
    setup.dataset.name = "data";
    setup.fit = FitSource::private_refit();
    setup.options.crew = crew;
    ASSERT_TRUE(survey(setup, opener(path), {.threads = 1, .crew = crew}).ok());
    WorkspaceOptions how = testing::same_chance(1);
    how.crew = crew;
    const Result<Workspace> made = Workspace::create(target, std::move(setup), how);
    ASSERT_TRUE(made.ok()) << made.error().message;
  };
  make(folder.path() / "alone", nullptr);
  const std::string expected = testing::all_rows(folder.path() / "alone");
  for (const std::size_t ranks : {2U, 3U, 7U}) {
    SCOPED_TRACE(ranks);
    const fs::path target = folder.path() / std::to_string(ranks);
    const auto sent = with_surveying_crew(ranks, [&](Crew& crew) { make(target, &crew); });
    ASSERT_TRUE(sent.ok()) << sent.error().message;
    EXPECT_EQ(testing::all_rows(target), expected);
  }
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Wherever the fault is, the words are those of one process, and the crew goes on.
TEST(FileSurvey, RefusesInTheWordsOfOneProcess) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder.path() / "data.jsonl";
  ASSERT_TRUE(write_jsonl(file_data(kGraphs, {}), path).ok());
  const std::string good = read_text(path);
  const std::size_t middle = good.find('\n', good.size() / 2) + 1;
  const std::vector<std::string> faults = {"no graph\n", "\n",
                                           R"({"label":1,"nodes":2,"edges":[[0,1]]})"
                                           "\n",
                                           R"({"id":"x","nodes":2,"edges":[[0,1]]})"
                                           "\n",
                                           R"({"id":"g0","label":"2","nodes":2,"edges":[[0,1]]})"
                                           "\n"};
  for (const std::string& fault : faults) {
    for (const std::size_t where : {std::size_t{0}, middle, good.size()}) {
      if (fault == "\n" && where == good.size()) continue;  // nothing is wrong with that
      SCOPED_TRACE(fault + " at " + std::to_string(where));
      std::ofstream(path, std::ios::binary) << good.substr(0, where) << fault << good.substr(where);
      WorkspaceSetup alone = quick_setup("log-degree");
      const Status refused = survey(alone, opener(path), {.threads = 1});
      ASSERT_FALSE(refused.ok());
      const auto sent = with_surveying_crew(3, [&](Crew& crew) {
        for (int time = 0; time < 2; ++time) {
          WorkspaceSetup setup = quick_setup("log-degree");
          const Status together = survey(setup, opener(path), {.threads = 1, .crew = &crew});
          ASSERT_FALSE(together.ok());
          EXPECT_EQ(together.error().message, refused.error().message);
          EXPECT_EQ(together.error().code, refused.error().code);
        }
        // The next one is not disturbed.
        std::ofstream(path, std::ios::binary) << good;
        WorkspaceSetup setup = quick_setup("log-degree");
        ASSERT_TRUE(survey(setup, opener(path), {.threads = 1, .crew = &crew}).ok());
        EXPECT_GT(setup.stream->content.size(), 1u);
      });
      ASSERT_TRUE(sent.ok()) << sent.error().message;
    }
  }
}

// The second pass is one process's.  It sees a change in any part.
TEST(FileSurvey, AFileThatChangesAfterTheSurveyIsRefused) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder.path() / "data.jsonl";
  const Dataset data = file_data(kGraphs, {});
  for (const std::size_t changed : {0UL, kGraphs / 2, kGraphs - 1}) {
    SCOPED_TRACE(changed);
    ASSERT_TRUE(write_jsonl(data, path).ok());
    const auto sent = with_surveying_crew(3, [&](Crew& crew) {
      WorkspaceSetup setup = quick_setup("log-degree");
      setup.options.crew = &crew;
      ASSERT_TRUE(survey(setup, opener(path), {.threads = 1, .crew = &crew}).ok());
      EXPECT_GT(setup.stream->content.size(), 1u);
      Dataset other = data;
      other.labels[changed] = 1 - std::min(other.labels[changed], 1U);
      ASSERT_TRUE(write_jsonl(other, path).ok());
      WorkspaceOptions how = testing::same_chance(1);
      how.crew = &crew;
      const Result<Workspace> made = Workspace::create(folder.path() / "made", std::move(setup), how);
      ASSERT_FALSE(made.ok());
      EXPECT_NE(made.error().message.find("changed while it was read"), std::string::npos) << made.error().message;
    });
    ASSERT_TRUE(sent.ok()) << sent.error().message;
  }
}

TEST(FileSurvey, MessagesAreThoseOfTheModel) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder.path() / "data.jsonl";
  ASSERT_TRUE(write_jsonl(file_data(kGraphs, {}), path).ok());
  for (const std::size_t ranks : {2U, 3U, 5U}) {
    SCOPED_TRACE(ranks);
    std::vector<std::size_t> graphs;  // of every rank's part
    const auto sent = with_surveying_crew(ranks, [&](Crew& crew) {
      WorkspaceSetup setup = quick_setup("log-degree");
      ASSERT_TRUE(survey(setup, opener(path), {.threads = 1, .crew = &crew}).ok());
      for (const StreamedData::Part& part : setup.stream->content) graphs.push_back(part.graphs);
      ASSERT_EQ(found_in(std::move(setup)).rows.size(), kGraphs);
    });
    ASSERT_TRUE(sent.ok()) << sent.error().message;
    ASSERT_EQ(graphs.size(), ranks);
    const FileCut cut = cut_file(fs::file_size(path), ranks);
    const std::uint64_t rounds = rounds_of_survey(cut.pieces(), ranks);
    std::size_t given = 0;  // ranks that hand rows over
    std::size_t number = 0;
    for (const std::size_t count : graphs) {
      if (number % kLeafRows != 0) ++given;
      number += count;
    }
    const std::size_t others = ranks - 1;
    // The embedder, a pile that is begun and ended, shared and fetched in one block from every rank; the survey.
    const std::size_t fetched = others;
    const std::size_t pile = 2 * (2 + fetched) * others + (2 + 2 + 4) * others + 2 * fetched;
    const std::size_t survey_alone = (9 + 2 * rounds) * others + 2 * given;
    EXPECT_EQ(testing::together(*sent).messages, 4 * others + pile + survey_alone + 2 * others);
  }
}

// The survey alone: order, file and rules, words, notes, numbers of rows, and rows that change hands.
TEST(FileSurvey, BytesAreThoseOfTheModel) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder.path() / "data.jsonl";
  ASSERT_TRUE(write_jsonl(file_data(kGraphs, {.dates = true}), path).ok());
  const SurveyRules rules{"log-degree", ConstantKind::kStated, false, false};
  const SurveyOrder order{path, *mark_of(path), false, rules};
  const auto embedder = make_embedder("log-degree", quick_setup("log-degree").transform, {}, {}).value();
  for (const std::size_t ranks : {2U, 3U, 5U}) {
    SCOPED_TRACE(ranks);
    const FileCut cut = cut_file(order.mark.bytes, ranks);
    const std::uint64_t rounds = rounds_of_survey(cut.pieces(), ranks);
    std::size_t expected = (40 + 8 + pack_survey(order).size() + 8 + 16 * rounds + 8 + 8 * ranks) * (ranks - 1);
    std::size_t number = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      PartSurvey part(order, *embedder, 1, rank, ranks);
      SparseBlockRows rows(0, embedder->width());
      for (std::uint64_t round = 0; round < rounds; ++round) ASSERT_TRUE(part.take_piece(rows));
      if (rank > 0) expected += 8 + pack_found(part.finish()).size();
      const std::size_t given = std::min((kLeafRows - number % kLeafRows) % kLeafRows, rows.rows());
      if (given > 0) expected += 8 + 8;
      for (std::size_t i = 0; i < given; ++i) expected += row_bytes(rows.row(i));
      number += rows.rows();
    }
    const auto survey_of = [&](bool surveys) {
      const auto sent = with_surveying_crew(ranks, [&](Crew& crew) {
        const RowPile pile(embedder->width(), &crew, 1);
        if (!surveys) return;
        ASSERT_TRUE(crew.survey_file({path, false}, rules, *embedder, {.threads = 1}).has_value());
      });
      return testing::together(sent.value()).bytes;
    };
    const std::size_t announced = (40 + 8 + embedder_text(*embedder)->size()) * (ranks - 1);
    EXPECT_EQ(survey_of(true) - survey_of(false), expected + announced);
  }
}

}  // namespace
}  // namespace unscatter::cluster
