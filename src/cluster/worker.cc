#include "cluster/worker.h"

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/wipe.h"
#include "cluster/crew.h"
#include "cluster/embed_messages.h"
#include "cluster/file_pieces.h"
#include "cluster/file_survey.h"
#include "cluster/messages.h"
#include "cluster/operation.h"
#include "cluster/piled_rows.h"
#include "cluster/shared_rows.h"
#include "unlearn/learner_mirrors.h"
#include "unscatter/base/invariant.h"

namespace unscatter::cluster {
namespace {

// This rank's share of the rows, until rows of something else take its place.
class HeldRows final : public RowKeeper {
 public:
  HeldRows() = default;
  HeldRows(const HeldRows&) = delete;
  HeldRows& operator=(const HeldRows&) = delete;
  ~HeldRows() override { wipe_rows(); }

  // Rows that are being piled up, or that no mirror has.
  [[nodiscard]] KeptState::Rows& held() {
    invariant(rows_ != nullptr, "a rank is asked for rows that it keeps");
    return *rows_;
  }

  // Before others are read: there is memory for one share.
  void wipe_rows() noexcept {
    if (!rows_) return;
    rows_->rows.set_share(std::nullopt);
    rows_->rows.truncate(0);
    wipe(rows_->labels);
    rows_.reset();
  }
  [[nodiscard]] KeptState::Rows take() override {
    invariant(rows_ != nullptr, "rows come before learners");
    KeptState::Rows rows = std::move(*rows_);
    rows_.reset();
    return rows;
  }
  void give_back(KeptState::Rows rows) override { rows_ = std::make_unique<KeptState::Rows>(std::move(rows)); }

 private:
  std::unique_ptr<KeptState::Rows> rows_;
};

class Worker {
 public:
  explicit Worker(Communicator& job) : job_(job), mirrors_(job, rows_) {}

  void run() {
    std::vector<std::byte> message;
    for (;;) {
      job_.broadcast_any(message);
      if (!message.empty() && message.front() == kLearnerMessage) {
        const bool goes_on = mirrors_.serve(message);
        invariant(goes_on, "the job ends by an order");
        wipe(message);  // rows may be in it
        continue;
      }
      const Order order = order_in(message);
      switch (order.operation) {
        case Operation::kEnd: return;
        case Operation::kEmbedder: learn_embedder(); break;
        case Operation::kEmbed: embed(order.a, order.b); break;
        case Operation::kFile: embed_file(order); break;
        case Operation::kRows:
          begin_sharing(order);
          rows_.give_back(take_spread_rows(job_, order.a));
          break;
        case Operation::kShards:
          begin_sharing(order);
          if (auto rows = read_own_shards(job_)) rows_.give_back(*std::move(rows));
          break;
        case Operation::kPile:
          begin_sharing(order);
          rows_.give_back({SparseBlockRows(0, order.a), {}});
          break;
        case Operation::kPileRows:
          if (order.a == job_.rank()) take_piled(job_, 0, rows_.held().rows);
          break;
        case Operation::kPileShare: share_own_pile(job_, rows_.held()); break;
        case Operation::kPileBlock:
          if (order.a == job_.rank()) send_piled_from(job_, 0, rows_.held().rows, order.b);
          break;
        case Operation::kPileEnd: rows_.wipe_rows(); break;
        case Operation::kSurvey:
          invariant(embedder_ != nullptr, "an embedder comes before a file");
          follow_survey(job_, *embedder_, order.b, rows_.held().rows);
          break;
        default: job_.abort("the first rank asks for something that this rank does not know");
      }
    }
  }

 private:
  void begin_sharing(const Order& order) {
    rows_.wipe_rows();
    mirrors_.set_threads(order.b);
  }

  void learn_embedder() {
    std::vector<std::byte> bytes;
    job_.broadcast_any(bytes);
    auto embedder = read_embedder({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (!embedder.ok()) job_.abort(embedder.error().message);
    embedder_ = std::move(embedder).value();
  }

  void embed(std::uint64_t rounds, std::size_t threads) {
    invariant(embedder_ != nullptr, "an embedder comes before graphs");
    for (std::uint64_t round = 0; round < rounds; ++round) {
      std::vector<std::byte> bytes = receive_any(job_, 0);
      auto graphs = unpack_graphs(bytes);
      wipe(bytes);
      if (!graphs.ok()) job_.abort(graphs.error().message);
      std::vector<const Graph*> pointers;
      for (const std::optional<Graph>& graph : *graphs) pointers.push_back(graph ? &*graph : nullptr);
      std::vector<std::byte> rows = pack_rows(embedder_->embed(pointers, {.threads = threads}));
      send_any(job_, 0, rows);
      wipe(rows);
      for (std::optional<Graph>& graph : *graphs) {
        if (graph) graph->wipe();
      }
    }
  }

  void embed_file(const Order& order) {
    invariant(embedder_ != nullptr, "an embedder comes before a file");
    std::vector<std::byte> bytes;
    job_.broadcast_any(bytes);
    std::filesystem::path path;
    const std::uint64_t sees_it = unpack_file(bytes, path) ? 1 : 0;
    const FileCut cut = cut_file(order.a, job_.size());
    std::optional<FixedScores> scores;
    if ((order.c & 2) != 0) {
      job_.broadcast_any(bytes);
      scores.emplace(unpack_scores(bytes));
    }
    std::optional<FitRule> rule;
    if ((order.c & 4) != 0) {
      job_.broadcast_any(bytes);
      rule.emplace(unpack_rule(bytes));
    }
    const FileWork work{scores ? &*scores : nullptr, (order.c & 1) != 0, rule ? &*rule : nullptr};
    job_.send_numbers(0, std::span(&sees_it, 1));
    for (std::uint64_t piece = job_.rank();; piece += job_.size()) {
      std::uint64_t go_on = 0;
      job_.broadcast_numbers(std::span(&go_on, 1));
      if (go_on == 0) return;
      std::optional<EmbeddedPiece> made;
      if (piece < cut.pieces()) {
        made = embed_piece(path, cut, piece, *embedder_, work, order.b);
      }
      std::vector<std::byte> message = pack_piece(made);
      send_any(job_, 0, message);
      wipe(message);
    }
  }

  Communicator& job_;
  std::shared_ptr<const Embedder> embedder_;
  HeldRows rows_;
  LearnerMirrors mirrors_;
};

}  // namespace

void serve_first_rank(Communicator& job) { Worker(job).run(); }

}  // namespace unscatter::cluster
