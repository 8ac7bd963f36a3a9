#include "cluster/file_pieces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "cluster/crew.h"
#include "cluster/embed_messages.h"
#include "cluster/operation.h"
#include "cluster/worker.h"
#include "comm/threads.h"
#include "embedding/fit_sample.h"
#include "support/temporary_folder.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/graph/read.h"

namespace unscatter::cluster {
namespace {

// Lines of very different length; every third has no id and no label.
std::string jsonl_of(std::size_t graphs) {
  std::string text;
  for (std::size_t g = 0; g < graphs; ++g) {
    const std::size_t nodes = 2 + (g * 37) % 90;
    text += "{\"nodes\": " + std::to_string(nodes) + ", \"edges\": [[0,1]";
    for (std::size_t i = 2; i < nodes; ++i) text += ",[" + std::to_string(i % 7) + "," + std::to_string(i) + "]";
    text += "]";
    if (g % 3 != 0) text += ", \"id\": \"g" + std::to_string(g) + "\", \"label\": \"c" + std::to_string(g % 2) + "\"";
    text += "}\n";
  }
  return text;
}

std::shared_ptr<const Embedder> small_embedder() {
  return make_embedder("log-degree", default_transform(), {}, {}).value();
}

struct WholeFile {
  std::vector<EmbeddedPiece::Subject> subjects;
  std::vector<BlockRow> rows;
};

WholeFile read_alone(const std::filesystem::path& path, const Embedder& embedder) {
  WholeFile whole;
  GraphStream stream = GraphStream::open(path).value();
  while (auto graph = stream.next().value()) {
    whole.subjects.push_back({graph->id, graph->label});
    whole.rows.push_back(embedder.embed(graph->graph).value());
  }
  return whole;
}

void expect_equal(const std::vector<EmbeddedPiece>& pieces, const WholeFile& whole) {
  std::size_t at = 0;
  for (const EmbeddedPiece& piece : pieces) {
    for (std::size_t i = 0; i < piece.subjects.size(); ++i, ++at) {
      ASSERT_LT(at, whole.rows.size());
      EXPECT_EQ(piece.subjects[i].id, whole.subjects[at].id);
      EXPECT_EQ(piece.subjects[i].label, whole.subjects[at].label);
      EXPECT_EQ(piece.rows.row(i), whole.rows[at]);
    }
  }
  EXPECT_EQ(at, whole.rows.size());
}

// Pieces from shorter than a line to longer than the file, with and without a line end at the end of the file.
TEST(FilePieces, EveryLineBelongsToExactlyOnePiece) {
  const testing::TemporaryFolder folder;
  const auto embedder = small_embedder();
  for (const bool line_end : {true, false}) {
    std::string text = jsonl_of(40);
    if (!line_end) text.pop_back();
    const auto path = folder.write("some.jsonl", text);
    const WholeFile whole = read_alone(path, *embedder);
    for (const std::uint64_t bytes : {7u, 64u, 100u, 1000u, 5000u, 1000000u}) {
      SCOPED_TRACE(bytes);
      const FileCut cut{text.size(), bytes};
      std::vector<EmbeddedPiece> pieces;
      for (std::uint64_t p = 0; p < cut.pieces(); ++p) {
        auto piece = embed_piece(path, cut, p, *embedder, {}, 1);
        ASSERT_TRUE(piece.has_value()) << p;
        const auto again = unpack_piece(pack_piece(piece), embedder->width(), 0);
        ASSERT_TRUE(again.has_value());
        pieces.push_back(*again);
      }
      expect_equal(pieces, whole);
    }
  }
}

TEST(FilePieces, WhatAReaderOfTheFileMightRefuseIsNoPiece) {
  const testing::TemporaryFolder folder;
  const auto embedder = small_embedder();
  const std::string good = jsonl_of(4);
  const auto piece_of = [&](const std::string& text, std::uint64_t pieces, std::uint64_t which) {
    const auto path = folder.write("some.jsonl", text);
    return embed_piece(path, {text.size(), (text.size() + pieces - 1) / pieces}, which, *embedder, {}, 1);
  };
  EXPECT_TRUE(piece_of(good, 1, 0).has_value());
  EXPECT_FALSE(piece_of(good + "no graph\n", 1, 0).has_value());
  EXPECT_FALSE(piece_of(good + "\n" + good, 1, 0).has_value());
  EXPECT_TRUE(piece_of(good + "\n\n", 1, 0).has_value());
  // The same empty lines where something may follow.
  EXPECT_FALSE(piece_of(good + "\n" + good, 2, 0).has_value());
  // A mark that is one at the start of a file only.
  EXPECT_TRUE(piece_of("\xEF\xBB\xBF" + good, 1, 0).has_value());
  const std::string marked = good + "\xEF\xBB\xBF" + good;
  const auto path = folder.write("marked.jsonl", marked);
  EXPECT_FALSE(embed_piece(path, {marked.size(), good.size()}, 1, *embedder, {}, 1).has_value());
  // A file of another length than at the start, and one that is gone.
  EXPECT_FALSE(embed_piece(path, {marked.size() - 1, good.size()}, 0, *embedder, {}, 1).has_value());
  EXPECT_FALSE(embed_piece(folder.path() / "gone.jsonl", {10, 10}, 0, *embedder, {}, 1).has_value());
}

TEST(FilePieces, ManyRanksReadWhatOneReads) {
  const testing::TemporaryFolder folder;
  const auto embedder = small_embedder();
  const std::string text = jsonl_of(2500);
  const auto path = folder.write("some.jsonl", text);
  const WholeFile whole = read_alone(path, *embedder);
  for (const std::size_t ranks : {1u, 2u, 3u, 7u}) {
    SCOPED_TRACE(ranks);
    std::vector<EmbeddedPiece> pieces;
    EmbedCrew::Shared shared;
    const auto sent = run_ranks(ranks, [&](Communicator& job) {
      if (!job.is_first()) return serve_first_rank(job);
      Crew crew(job);
      shared = crew.embed_file(path, *embedder, {}, {.threads = 1},
                               [&](EmbeddedPiece piece) {
                                 pieces.push_back(std::move(piece));
                                 return ok_status();
                               })
                   .value();
    });
    ASSERT_TRUE(sent.ok()) << sent.error().message;
    // One rank has nobody to share with.
    EXPECT_EQ(shared.all, ranks > 1);
    if (ranks == 1) continue;
    EXPECT_EQ(shared.graphs, 2500u);
    expect_equal(pieces, whole);
    // The model of docs/scale.md: the embedder, the file, the rounds, and the end.
    const FileCut cut = cut_file(text.size(), ranks);
    const std::uint64_t rounds = (cut.pieces() + ranks - 1) / ranks;
    std::uint64_t messages = 0;
    for (const Traffic& one : *sent) messages += one.messages;
    EXPECT_EQ(messages, (ranks - 1) * (4 + 6 + 3 * rounds + 2));
  }
}

// With a rule every piece says what its graphs ask of the constants.
TEST(FilePieces, SamplesOfPiecesGiveTheFitOfTheFile) {
  const testing::TemporaryFolder folder;
  std::string text = jsonl_of(2500);
  text += R"({"nodes": 2, "edges": [[0,1]], "node_labels": [4, 9]})"
          "\n";
  const auto path = folder.write("some.jsonl", text);
  const auto embedder = small_embedder();
  const FitRule rule{"all", ConstantKind::kPrivateFit, false};
  FitSample whole(rule.features, FitSource::private_refit(), rule.symmetrise);
  GraphStream stream = GraphStream::open(path).value();
  while (auto graph = stream.next().value()) whole.show(graph->graph);
  const std::string expected = FeatureMap::resolve("all", whole.graphs(), FitSource::private_refit())->describe();
  for (const std::size_t ranks : {2u, 3u}) {
    SCOPED_TRACE(ranks);
    FitSample joined(rule.features, FitSource::private_refit(), rule.symmetrise);
    const auto sent = run_ranks(ranks, [&](Communicator& job) {
      if (!job.is_first()) return serve_first_rank(job);
      Crew crew(job);
      EXPECT_TRUE(crew.embed_file(path, *embedder, {.fitted_by = &rule}, {.threads = 1},
                                  [&](const EmbeddedPiece& piece) {
                                    for (const Graph& graph : piece.sample) joined.show(graph);
                                    return ok_status();
                                  })
                      ->all);
    });
    ASSERT_TRUE(sent.ok()) << sent.error().message;
    EXPECT_EQ(FeatureMap::resolve("all", joined.graphs(), FitSource::private_refit())->describe(), expected);
    EXPECT_EQ(joined.graphs().graphs.size(), whole.graphs().graphs.size());
    const FileCut cut = cut_file(text.size(), ranks);
    const std::uint64_t rounds = (cut.pieces() + ranks - 1) / ranks;
    std::uint64_t messages = 0;
    for (const Traffic& one : *sent) messages += one.messages;
    EXPECT_EQ(messages, (ranks - 1) * (4 + 6 + 2 + 3 * rounds + 2));
  }
}

// A model's scores travel in the place of rows.
TEST(FilePieces, ScoresAreThoseOfOneProcess) {
  const testing::TemporaryFolder folder;
  const auto embedder = small_embedder();
  const auto path = folder.write("some.jsonl", jsonl_of(2500));
  const WholeFile whole = read_alone(path, *embedder);
  for (const bool bias : {false, true}) {
    Matrix weights(static_cast<Eigen::Index>(embedder->width()) + (bias ? 1 : 0), 3);
    for (Eigen::Index i = 0; i < weights.size(); ++i) weights(i) = std::sin(static_cast<double>(i));
    const FixedScores scores(weights, bias);
    std::uint64_t bytes_of_rows = 0;
    for (const bool only_scores : {false, true}) {
      std::vector<EmbeddedPiece> pieces;
      const auto sent = run_ranks(3, [&](Communicator& job) {
        if (!job.is_first()) return serve_first_rank(job);
        Crew crew(job);
        EXPECT_TRUE(crew.embed_file(path, *embedder, {.scored_by = only_scores ? &scores : nullptr}, {.threads = 1},
                                    [&](EmbeddedPiece piece) {
                                      pieces.push_back(std::move(piece));
                                      return ok_status();
                                    })
                        .value()
                        .all);
      });
      ASSERT_TRUE(sent.ok()) << sent.error().message;
      std::uint64_t bytes = 0;
      for (const Traffic& one : *sent) bytes += one.bytes;
      if (!only_scores) {
        bytes_of_rows = bytes;
        continue;
      }
      EXPECT_LT(bytes, bytes_of_rows);
      std::size_t at = 0;
      std::vector<double> expected(3);
      for (const EmbeddedPiece& piece : pieces) {
        ASSERT_EQ(piece.scores.size(), 3 * piece.subjects.size());
        for (std::size_t i = 0; i < piece.subjects.size(); ++i, ++at) {
          scores.of(whole.rows.at(at), expected);
          EXPECT_TRUE(
              std::equal(expected.begin(), expected.end(), piece.scores.begin() + static_cast<std::ptrdiff_t>(3 * i)));
        }
      }
      EXPECT_EQ(at, whole.rows.size());
    }
  }
}

// The caller goes on where the crew stopped, and the crew can be used again.
TEST(FilePieces, AStrangeLineStopsTheSharingThere) {
  const testing::TemporaryFolder folder;
  const auto embedder = small_embedder();
  std::string text = jsonl_of(2500);
  text.insert(text.find('\n', text.size() / 2) + 1, "no graph\n");
  const auto path = folder.write("some.jsonl", text);
  const auto sent = run_ranks(3, [&](Communicator& job) {
    if (!job.is_first()) return serve_first_rank(job);
    Crew crew(job);
    for (int again = 0; again < 2; ++again) {
      std::size_t taken = 0;
      const auto shared = crew.embed_file(path, *embedder, {}, {.threads = 1},
                                          [&](const EmbeddedPiece& piece) {
                                            taken += piece.subjects.size();
                                            return ok_status();
                                          })
                              .value();
      EXPECT_FALSE(shared.all);
      EXPECT_EQ(shared.graphs, taken);
      EXPECT_GT(taken, 0u);
      EXPECT_LT(taken, 1300u);
    }
    const auto refused = crew.embed_file(path, *embedder, {}, {.threads = 1}, [](const EmbeddedPiece&) {
      return Status(Error{ErrorCode::kIo, "full"});
    });
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().message, "full");
  });
  ASSERT_TRUE(sent.ok()) << sent.error().message;
}

// What the caller's own function throws is passed on when the others know that nothing follows.
TEST(FilePieces, AnExceptionOfTheCallerIsPassedOn) {
  const testing::TemporaryFolder folder;
  const auto embedder = small_embedder();
  const auto path = folder.write("some.jsonl", jsonl_of(2500));
  const auto sent = run_ranks(3, [&](Communicator& job) {
    if (!job.is_first()) return serve_first_rank(job);
    Crew crew(job);
    for (int again = 0; again < 2; ++again) {
      EXPECT_THROW(static_cast<void>(
                       crew.embed_file(path, *embedder, {}, {.threads = 1},
                                       [](const EmbeddedPiece&) -> Status { throw std::runtime_error("no room"); })),
                   std::runtime_error);
    }
    const auto shared =
        crew.embed_file(path, *embedder, {}, {.threads = 1}, [](const EmbeddedPiece&) { return ok_status(); });
    EXPECT_EQ(shared.value().graphs, 2500U);
  });
  EXPECT_TRUE(sent.ok()) << sent.error().message;
}

// Another machine may have another file of that name and length.
TEST(FilePieces, AFileThatWasWrittenAtAnotherTimeIsAnother) {
  const testing::TemporaryFolder folder;
  const auto embedder = small_embedder();
  const auto path = folder.write("some.jsonl", jsonl_of(10));
  const FileMark right = mark_of(path).value();
  EXPECT_FALSE(mark_of(folder.path()).has_value());
  EXPECT_FALSE(mark_of(folder.path() / "nowhere").has_value());
  const auto sent = run_ranks(2, [&](Communicator& job) {
    if (!job.is_first()) return serve_first_rank(job);
    give_order(job, {Operation::kEmbedder});
    const std::string text = embedder_text(*embedder).value();
    const auto words = std::as_bytes(std::span(text));
    std::vector<std::byte> bytes(words.begin(), words.end());
    job.broadcast_any(bytes);
    for (const std::int64_t later : {0, 1}) {
      give_order(job, {Operation::kFile, right.bytes, 1, 0});
      bytes = pack_file(path, {right.bytes, right.written + later});
      job.broadcast_any(bytes);
      std::uint64_t sees_it = 2;
      job.receive_numbers(1, std::span(&sees_it, 1));
      EXPECT_EQ(sees_it, later == 0 ? 1U : 0U);
      std::uint64_t go_on = 0;
      job.broadcast_numbers(std::span(&go_on, 1));
    }
    give_order(job, {Operation::kEnd});
  });
  EXPECT_TRUE(sent.ok()) << sent.error().message;
}

}  // namespace
}  // namespace unscatter::cluster
