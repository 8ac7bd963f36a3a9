// The first rank and its workers as threads: the same rows, and as many messages and bytes as docs/scale.md says.
#include "cluster/crew.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

#include "cluster/embed_messages.h"
#include "cluster/operation.h"
#include "cluster/worker.h"
#include "comm/threads.h"
#include "support/random_graph.h"
#include "unscatter/embedding/make_embedder.h"

namespace unscatter::cluster {
namespace {

using testing::random_graph;

constexpr double kNever = std::numeric_limits<double>::infinity();

// Some slots are empty.
struct CrewGraphs {
  explicit CrewGraphs(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      testing::RandomGraphOptions options = testing::kRichGraph;
      options.nodes = 3 + (i * 7) % 40;
      graphs.push_back(random_graph(i, options));
    }
    for (std::size_t i = 0; i < count; ++i) pointers.push_back(i % 10 == 3 ? nullptr : &graphs[i]);
  }
  std::vector<Graph> graphs;
  std::vector<const Graph*> pointers;
};

std::shared_ptr<const Embedder> usual_embedder() {
  Dataset shape;
  shape.graphs.push_back(random_graph(1, testing::kRichGraph));
  shape.labels = {0};
  shape.class_names = {"any"};
  return make_embedder(kDefaultFeatures, default_transform(), shape, {}).value();
}

bool equal_rows(const SparseBlockRows& one, const SparseBlockRows& other) {
  if (one.rows() != other.rows() || one.columns() != other.columns()) return false;
  for (std::size_t i = 0; i < one.rows(); ++i) {
    if (!(one.row(i) == other.row(i)) || one.row_norm(i) != other.row_norm(i)) return false;
  }
  return true;
}

// Runs `first` on the first rank, with a crew.
Result<std::vector<Traffic>> with_crew(std::size_t ranks, const std::function<void(Crew&)>& first) {
  return run_ranks(ranks, [&](Communicator& job) {
    if (!job.is_first()) return serve_first_rank(job);
    Crew crew(job, {.least_cost = 0, .seconds_to_judge = kNever});
    first(crew);
  });
}

Traffic sum_of(const std::vector<Traffic>& all) {
  return std::accumulate(all.begin(), all.end(), Traffic{}, [](Traffic sum, const Traffic& one) {
    return Traffic{sum.messages + one.messages, sum.bytes + one.bytes};
  });
}

TEST(Crew, RowsAreThoseOfOneProcess) {
  const CrewGraphs some(100);
  const auto embedder = usual_embedder();
  const SparseBlockRows expected = embedder->embed(some.pointers).value();
  for (const std::size_t ranks : {1u, 2u, 3u, 4u, 7u, 64u}) {
    SCOPED_TRACE(ranks);
    const auto sent = with_crew(ranks, [&](Crew& crew) {
      const auto rows = embedder->embed(some.pointers, {.threads = 1, .progress = nullptr, .crew = &crew});
      ASSERT_TRUE(rows.ok());
      EXPECT_TRUE(equal_rows(*rows, expected));
    });
    ASSERT_TRUE(sent.ok()) << sent.error().message;
  }
}

TEST(Crew, MessagesAndBytesAreThoseOfTheModel) {
  const CrewGraphs some(60);
  const auto embedder = usual_embedder();
  const std::size_t text = embedder_text(*embedder).value().size();
  for (const std::size_t ranks : {1u, 2u, 5u, 64u}) {
    SCOPED_TRACE(ranks);
    constexpr std::size_t kCalls = 3;
    const auto sent = with_crew(ranks, [&](Crew& crew) {
      for (std::size_t call = 0; call < kCalls; ++call) {
        ASSERT_TRUE(embedder->embed(some.pointers, {.threads = 1, .progress = nullptr, .crew = &crew}).ok());
      }
    });
    ASSERT_TRUE(sent.ok());
    const std::size_t others = ranks - 1;
    // One round per call; a new embedder once; the end.
    EXPECT_EQ(sum_of(*sent).messages, others * ((2 + 4) * kCalls + 4 + 2));
    // Bytes beside graphs and rows: orders of 40, lengths of 8, and the embedder once.
    const std::size_t overhead = others * (kCalls * (40 + 16) + 40 + 8 + text + 40);
    EXPECT_GE(sum_of(*sent).bytes, overhead);
    // Graphs and rows of all ranks but the first, whose share is the same in each call.
    EXPECT_EQ((sum_of(*sent).bytes - overhead) % kCalls, 0u);
    // All graphs and all rows are an upper bound, with one flag or count per block.
    const auto rows = embedder->embed(some.pointers);
    const std::size_t all = pack_graphs(some.pointers).size() + pack_rows(rows).size() + 16 * ranks;
    EXPECT_LE((sum_of(*sent).bytes - overhead) / kCalls, all);
    if (ranks == 5) {
      EXPECT_GE(10 * (sum_of(*sent).bytes - overhead) / kCalls, 7 * all);
    }
  }
}

TEST(Crew, MuchWorkIsDoneInRounds) {
  const CrewGraphs some(100);
  const auto embedder = usual_embedder();
  std::uint64_t cost = 0;
  for (const Graph* graph : some.pointers) {
    cost += graph == nullptr ? 1 : 16 + graph->node_count() + graph->entry_count();
  }
  const std::uint64_t block = cost / 7;
  const auto sent = run_ranks(2, [&](Communicator& job) {
    if (!job.is_first()) return serve_first_rank(job);
    Crew crew(job, {.least_cost = 0, .block_cost = block, .seconds_to_judge = kNever});
    const auto rows = embedder->embed(some.pointers, {.threads = 1, .progress = nullptr, .crew = &crew});
    ASSERT_TRUE(rows.ok());
    EXPECT_TRUE(equal_rows(*rows, embedder->embed(some.pointers).value()));
  });
  ASSERT_TRUE(sent.ok()) << sent.error().message;
  const std::uint64_t rounds = (cost + 2 * block - 1) / (2 * block);
  ASSERT_GT(rounds, 3u);
  EXPECT_EQ(sum_of(*sent).messages, 2 + 4 * rounds + 4 + 2);
}

// Attributes are missing in one graph, whichever rank gets it.
TEST(Crew, TheErrorIsThatOfOneProcess) {
  for (const std::size_t wrong : {0u, 17u, 59u}) {
    SCOPED_TRACE(wrong);
    CrewGraphs some(60);
    some.graphs[wrong] = random_graph(5, {});
    some.pointers[wrong] = &some.graphs[wrong];
    const auto embedder = make_embedder("attributes:2", default_transform(), {}, {}).value();
    const auto alone = embedder->embed(some.pointers);
    ASSERT_FALSE(alone.ok());
    const auto sent = with_crew(3, [&](Crew& crew) {
      const auto rows = embedder->embed(some.pointers, {.threads = 1, .progress = nullptr, .crew = &crew});
      ASSERT_FALSE(rows.ok());
      EXPECT_EQ(rows.error().message, alone.error().message);
      EXPECT_EQ(rows.error().code, alone.error().code);
      // The crew goes on.
      const CrewGraphs good(40);
      EXPECT_TRUE(embedder->embed(good.pointers, {.threads = 1, .progress = nullptr, .crew = &crew}).ok());
    });
    ASSERT_TRUE(sent.ok()) << sent.error().message;
  }
}

// The others embed while this rank does something else.  Whoever does not want the rows any more leaves nothing behind.
TEST(Crew, RowsThatWereBegunAreTakenLaterOrNotAtAll) {
  const CrewGraphs some(100);
  const CrewGraphs more(40);
  const auto embedder = usual_embedder();
  for (const std::size_t ranks : {1u, 2u, 5u}) {
    SCOPED_TRACE(ranks);
    const auto sent = with_crew(ranks, [&](Crew& crew) {
      const EmbedOptions options{.threads = 1};
      auto first = crew.begin_embed(*embedder, some.pointers, options);
      const SparseBlockRows alone = embedder->embed(more.pointers).value();
      EXPECT_TRUE(equal_rows(first->rows().value(), embedder->embed(some.pointers).value()));
      first.reset();
      static_cast<void>(crew.begin_embed(*embedder, some.pointers, options));
      EXPECT_TRUE(equal_rows(crew.embed(*embedder, more.pointers, options).value(), alone));
    });
    ASSERT_TRUE(sent.ok()) << sent.error().message;
  }
}

TEST(ShareBalance, WhatDoesNotPayIsKeptHereAndTriedAgainLater) {
  ShareBalance balance(1.0);
  const auto shared_of = [&](int calls) {
    int shared = 0;
    for (int i = 0; i < calls; ++i) shared += balance.next_is_shared() ? 1 : 0;
    return shared;
  };
  balance.note(0.9, 0.1);
  EXPECT_EQ(shared_of(1000), 1000) << "too little was seen";
  balance.note(0.9, 0.1);
  EXPECT_EQ(shared_of(1000), 3) << "every 256th time";
  for (int i = 0; i < 40; ++i) balance.note(1, 2);
  EXPECT_EQ(shared_of(1000), 1000) << "it pays again";
  for (int i = 0; i < 40; ++i) balance.note(2, 1);
  EXPECT_EQ(shared_of(255), 0) << "and not any more";
}

// The clock decides which of these are shared.  The rows do not show it.
TEST(Crew, RowsDoNotDependOnWhoMakesThem) {
  const CrewGraphs some(100);
  const auto embedder = usual_embedder();
  const SparseBlockRows expected = embedder->embed(some.pointers).value();
  const auto sent = run_ranks(2, [&](Communicator& job) {
    if (!job.is_first()) return serve_first_rank(job);
    Crew crew(job, {.least_cost = 0, .seconds_to_judge = 1e-9});
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(equal_rows(crew.embed(*embedder, some.pointers, {.threads = 1}).value(), expected));
    }
  });
  ASSERT_TRUE(sent.ok()) << sent.error().message;
}

class ThrowingProgress final : public Progress {
 public:
  void advance(std::size_t) override { throw std::runtime_error("out of memory"); }
};

// The others wait for what this rank would have sent.
TEST(Crew, AnExceptionOnTheFirstRankEndsTheJob) {
  const CrewGraphs some(60);
  const auto embedder = usual_embedder();
  for (const std::size_t ranks : {2u, 5u}) {
    const auto sent = with_crew(ranks, [&](Crew& crew) {
      ThrowingProgress progress;
      static_cast<void>(embedder->embed(some.pointers, {.threads = 1, .progress = &progress, .crew = &crew}));
      ADD_FAILURE() << "the job is over";
    });
    ASSERT_FALSE(sent.ok());
    EXPECT_EQ(sent.error().message, "rank 0: the first rank cannot do its part: out of memory");
  }
}

TEST(Crew, LittleWorkIsNotWorthAMessage) {
  const CrewGraphs some(5);
  const auto embedder = usual_embedder();
  const auto sent = run_ranks(3, [&](Communicator& job) {
    if (!job.is_first()) return serve_first_rank(job);
    Crew crew(job);
    EXPECT_TRUE(embedder->embed(some.pointers, {.threads = 1, .progress = nullptr, .crew = &crew}).ok());
  });
  ASSERT_TRUE(sent.ok());
  EXPECT_EQ(sum_of(*sent), (Traffic{4, 80}));  // the end
}

TEST(Worker, AnUnknownOrderEndsTheJob) {
  const auto sent = run_ranks(2, [](Communicator& job) {
    if (!job.is_first()) return serve_first_rank(job);
    give_order(job, {static_cast<Operation>(99)});
    job.barrier();
  });
  ASSERT_FALSE(sent.ok());
  EXPECT_EQ(sent.error().message, "rank 1: the first rank asks for something that this rank does not know");
}

}  // namespace
}  // namespace unscatter::cluster
