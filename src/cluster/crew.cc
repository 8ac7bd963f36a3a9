#include "cluster/crew.h"

#include <algorithm>
#include <exception>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "base/wipe.h"
#include "cluster/embed_messages.h"
#include "cluster/file_pieces.h"
#include "cluster/file_survey.h"
#include "cluster/messages.h"
#include "cluster/operation.h"
#include "cluster/piled_rows.h"
#include "cluster/shared_rows.h"
#include "unscatter/base/invariant.h"
#include "unscatter/embedding/transform_spec.h"

namespace unscatter::cluster {
namespace {

std::uint64_t cost_of(const Graph* graph) {
  return graph == nullptr ? 1 : 16 + graph->node_count() + graph->entry_count();
}

// Where `blocks` blocks of about equal cost begin, and at the end the number of graphs.
std::vector<std::size_t> cut(std::span<const Graph* const> graphs, std::uint64_t cost, std::size_t blocks) {
  std::vector<std::size_t> begins{0};
  std::uint64_t so_far = 0;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    so_far += cost_of(graphs[g]);
    while (begins.size() < blocks && so_far * blocks >= cost * begins.size()) begins.push_back(g + 1);
  }
  while (begins.size() <= blocks) begins.push_back(graphs.size());
  begins.back() = graphs.size();
  return begins;
}

}  // namespace

void ShareBalance::note(double together, double alone) {
  kept_ = 0;
  // What is long ago counts less.
  if (together_ > 10 * seconds_to_judge_) {
    together_ /= 2;
    alone_ /= 2;
  }
  together_ += together;
  alone_ += alone;
}

bool ShareBalance::next_is_shared() {
  constexpr std::size_t kTryAgain = 256;
  if (together_ < seconds_to_judge_ || together_ <= alone_) return true;
  return ++kept_ % kTryAgain == 0;
}

Crew::~Crew() { tell_quietly({Operation::kEnd}); }

void Crew::tell_quietly(Order order) noexcept {
  try {
    give_order(job_, order);
  } catch (...) {  // the job is over, and whoever ended it has said why
  }
}

template <typename Work>
auto Crew::together(const Work& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    job_.abort(std::string("the first rank cannot do its part: ") + error.what());
    std::terminate();  // is not reached; GCC does not see that through a virtual function
  }
}

std::unique_lock<std::mutex> Crew::turn() {
  std::unique_lock lock(busy_, std::try_to_lock);
  if (lock.owns_lock() && learning_ != std::thread::id() && learning_ != std::this_thread::get_id()) lock.unlock();
  return lock;
}

bool Crew::announce(const Embedder& embedder) {
  const std::optional<std::string> text = embedder_text(embedder);
  if (!text) return false;
  if (*text == announced_) return true;
  announced_ = *text;
  balance_ = ShareBalance(limits_.seconds_to_judge);
  give_order(job_, {Operation::kEmbedder});
  const std::span<const std::byte> source = std::as_bytes(std::span(*text));
  std::vector<std::byte> bytes(source.begin(), source.end());
  job_.broadcast_any(bytes);
  return true;
}

// Blocks go round the ranks; the first one embeds too.
class Crew::SharedEmbedding final : public UnderWay {
 public:
  // Under `lock`, by which this thread may send orders until the rows are there.
  SharedEmbedding(Crew& crew, std::unique_lock<std::mutex> lock, const Embedder& embedder,
                  std::span<const Graph* const> graphs, std::uint64_t cost, const EmbedOptions& options)
      : crew_(crew),
        lock_(std::move(lock)),
        embedder_(embedder),
        graphs_(graphs),
        options_{options.threads, options.progress, nullptr},
        ranks_(crew.job_.size()),
        rounds_((cost + ranks_ * crew.limits_.block_cost - 1) / (ranks_ * crew.limits_.block_cost)),
        begins_(cut(graphs, cost, ranks_ * rounds_)) {
    const Stopwatch watch;
    crew_.together([this] {
      give_order(crew_.job_, {Operation::kEmbed, rounds_, options_.threads});
      send_round(0);
    });
    together_ = watch.seconds();
  }
  ~SharedEmbedding() override {
    try {
      if (!asked_for_) static_cast<void>(crew_.together([this] { return take_all(); }));
    } catch (...) {  // the job is over, and whoever ended it has said why
    }
  }
  SharedEmbedding(const SharedEmbedding&) = delete;
  SharedEmbedding& operator=(const SharedEmbedding&) = delete;

  [[nodiscard]] Result<SparseBlockRows> rows() override {
    invariant(!asked_for_, "rows are asked for once");
    asked_for_ = true;
    const Stopwatch watch;
    std::optional<SparseBlockRows> made = crew_.together([this] { return take_all(); });
    together_ += watch.seconds();
    crew_.balance_.note(together_, own_ * static_cast<double>(ranks_));
    lock_.unlock();
    if (made) return *std::move(made);
    // The sentence about the first graph that cannot be embedded is made where all graphs are.
    return embedder_.embed(graphs_, options_);
  }

 private:
  [[nodiscard]] std::span<const Graph* const> block(std::size_t number) const {
    return graphs_.subspan(begins_[number], begins_[number + 1] - begins_[number]);
  }

  void send_round(std::size_t round) {
    for (std::size_t rank = 1; rank < ranks_; ++rank) {
      std::vector<std::byte> bytes = pack_graphs(block(round * ranks_ + rank));
      send_any(crew_.job_, rank, bytes);
      wipe(bytes);
    }
  }

  // Nothing: some graph cannot be embedded.
  [[nodiscard]] std::optional<SparseBlockRows> take_all() {
    Progress& progress = options_.progress != nullptr ? *options_.progress : no_progress();
    progress.begin("embedding", graphs_.size());
    SparseBlockRows Z(graphs_.size(), embedder_.width());
    bool all = true;
    for (std::size_t round = 0; round < rounds_; ++round) {
      if (round > 0) send_round(round);
      const std::size_t first = round * ranks_;
      const Stopwatch watch;
      Result<SparseBlockRows> own = embedder_.embed(block(first), {options_.threads, nullptr, nullptr});
      own_ += watch.seconds();  // blocks are of equal cost
      all = all && own.ok();
      for (std::size_t i = 0; own.ok() && i < own->rows(); ++i) {
        BlockRow row;
        own->swap_row(i, row);
        Z.set_row(begins_[first] + i, std::move(row));
      }
      progress.advance(block(first).size());
      for (std::size_t rank = 1; rank < ranks_; ++rank) {
        std::vector<std::byte> bytes = receive_any(crew_.job_, rank);
        all = unpack_rows(bytes, begins_[first + rank], block(first + rank).size(), Z) && all;
        wipe(bytes);
        progress.advance(block(first + rank).size());
      }
    }
    progress.end();
    if (!all) return std::nullopt;
    return Z;
  }

  Crew& crew_;
  std::unique_lock<std::mutex> lock_;
  const Embedder& embedder_;
  std::span<const Graph* const> graphs_;
  EmbedOptions options_;  // without a crew
  std::size_t ranks_;
  std::size_t rounds_;
  std::vector<std::size_t> begins_;
  double together_ = 0;  // seconds of this rank
  double own_ = 0;       // of these, for its own blocks
  bool asked_for_ = false;
};

namespace {

// Too little to share, or not to be shared.
class OwnEmbedding final : public EmbedCrew::UnderWay {
 public:
  OwnEmbedding(const Embedder& embedder, std::span<const Graph* const> graphs, const EmbedOptions& options)
      : embedder_(embedder), graphs_(graphs), options_{options.threads, options.progress, nullptr} {}
  [[nodiscard]] Result<SparseBlockRows> rows() override { return embedder_.embed(graphs_, options_); }

 private:
  const Embedder& embedder_;
  std::span<const Graph* const> graphs_;
  EmbedOptions options_;
};

}  // namespace

std::unique_ptr<EmbedCrew::UnderWay> Crew::begin_embed(const Embedder& embedder, std::span<const Graph* const> graphs,
                                                       const EmbedOptions& options) {
  std::uint64_t cost = 0;
  for (const Graph* graph : graphs) cost += cost_of(graph);
  // Rows that were made outside are only copied.
  const bool copies = embedder.spec() != nullptr && embedder.spec()->family == "rows";
  std::unique_lock lock = turn();
  if (job_.size() == 1 || copies || cost < limits_.least_cost || !lock.owns_lock() || !announce(embedder) ||
      !balance_.next_is_shared()) {
    return std::make_unique<OwnEmbedding>(embedder, graphs, options);
  }
  return std::make_unique<SharedEmbedding>(*this, std::move(lock), embedder, graphs, cost, options);
}

Result<EmbedCrew::Shared> Crew::embed_file(const std::filesystem::path& path, const Embedder& embedder,
                                           const FileWork& work, const EmbedOptions& options,
                                           const std::function<Status(EmbeddedPiece)>& take) {
  const std::optional<FileMark> mark = mark_of(path);
  const FileCut cut = cut_file(mark ? mark->bytes : 0, job_.size());
  const std::unique_lock lock = turn();
  if (!mark || cut.pieces() < 2 || job_.size() == 1 || !lock.owns_lock() || !announce(embedder)) return Shared();
  std::exception_ptr thrown;
  const auto take_or_end = [&](EmbeddedPiece piece) -> Status {
    try {
      return take(std::move(piece));
    } catch (...) {
      // The others are told first that nothing follows.
      thrown = std::current_exception();
      return Error{ErrorCode::kUnavailable, "what takes the pieces has thrown"};
    }
  };
  Result<Shared> shared = together([&] { return embed_pieces(path, *mark, embedder, work, options, take_or_end); });
  if (thrown) std::rethrow_exception(thrown);
  return shared;
}

Result<EmbedCrew::Shared> Crew::embed_pieces(const std::filesystem::path& path, const FileMark& mark,
                                             const Embedder& embedder, const FileWork& work,
                                             const EmbedOptions& options,
                                             const std::function<Status(EmbeddedPiece)>& take) {
  Shared shared;
  const std::size_t ranks = job_.size();
  const FileCut cut = cut_file(mark.bytes, ranks);
  const std::uint64_t how =
      (work.symmetrise ? 1u : 0u) + (work.scored_by != nullptr ? 2u : 0u) + (work.fitted_by != nullptr ? 4u : 0u);
  give_order(job_, {Operation::kFile, cut.file_bytes, options.threads, how});
  std::vector<std::byte> bytes = pack_file(path, mark);
  job_.broadcast_any(bytes);
  if (work.scored_by != nullptr) {
    bytes = pack_scores(*work.scored_by);
    job_.broadcast_any(bytes);
  }
  if (work.fitted_by != nullptr) {
    bytes = pack_rule(*work.fitted_by);
    job_.broadcast_any(bytes);
  }
  bool seen = true;
  for (std::size_t rank = 1; rank < ranks; ++rank) {
    std::uint64_t sees_it = 0;
    job_.receive_numbers(rank, std::span(&sees_it, 1));
    seen = seen && sees_it == 1;
  }
  const auto go_on = [this](bool on) {
    std::uint64_t word = on ? 1 : 0;
    job_.broadcast_numbers(std::span(&word, 1));
  };
  Progress& progress = options.progress != nullptr ? *options.progress : no_progress();
  progress.begin("reading " + path.stem().string(), cut.file_bytes);
  const std::uint64_t rounds = (cut.pieces() + ranks - 1) / ranks;
  Status status = ok_status();
  bool good = seen;
  for (std::uint64_t round = 0; good && status.ok() && round < rounds; ++round) {
    go_on(true);
    // All ranks have sent before anything is done about one of them.
    std::vector<std::optional<EmbeddedPiece>> pieces(ranks);
    pieces[0] = embed_piece(path, cut, round * ranks, embedder, work, options.threads);
    for (std::size_t rank = 1; rank < ranks; ++rank) {
      std::vector<std::byte> message = receive_any(job_, rank);
      pieces[rank] = unpack_piece(message, embedder.width(), work.scored_by == nullptr ? 0 : work.scored_by->classes());
      wipe(message);
    }
    for (std::size_t rank = 0; good && status.ok() && rank < ranks; ++rank) {
      if (round * ranks + rank >= cut.pieces()) break;
      good = pieces[rank].has_value();
      if (!good) break;
      shared.graphs += pieces[rank]->subjects.size();
      status = take(*std::move(pieces[rank]));
      progress.advance(cut.piece_bytes);
    }
  }
  go_on(false);
  progress.end();
  if (!status.ok()) return std::move(status).error();
  // A file without a graph is an error, which its reader words.
  shared.all = good && shared.graphs > 0;
  return shared;
}

std::optional<SharedSurvey> Crew::survey_file(const GraphStream::Lines& lines, const SurveyRules& rules,
                                              const Embedder& embedder, const EmbedOptions& options) {
  const std::optional<FileMark> mark = mark_of(lines.file);
  const FileCut cut = cut_file(mark ? mark->bytes : 0, job_.size());
  const std::unique_lock lock = turn();
  if (!mark || cut.pieces() < 2 || job_.size() == 1 || !lock.owns_lock() || !announce(embedder)) return std::nullopt;
  return together([&] {
    give_order(job_, {Operation::kSurvey, 0, options.threads});
    return lead_survey(job_, {lines.file, *mark, lines.symmetrise, rules}, embedder, options.threads,
                       options.progress != nullptr ? *options.progress : no_progress());
  });
}

std::optional<KeptState::Rows> Crew::spread(const SparseBlockRows& rows, std::span<const std::uint32_t> labels,
                                            std::size_t threads) {
  const std::unique_lock lock = turn();
  if (job_.size() == 1 || rows.stored_values() < limits_.least_values || !lock.owns_lock()) return std::nullopt;
  learning_ = std::this_thread::get_id();
  ++times_shared_;
  return together([&] {
    give_order(job_, {Operation::kRows, rows.columns(), threads});
    return spread_rows(job_, rows, labels);
  });
}

std::optional<KeptState::Rows> Crew::read_shards(const ShardedRows& kept, std::size_t threads) {
  const std::unique_lock lock = turn();
  if (job_.size() == 1 || kept.slots < limits_.least_rows || !lock.owns_lock()) return std::nullopt;
  learning_ = std::this_thread::get_id();
  auto rows = together([&] {
    give_order(job_, {Operation::kShards, 0, threads});
    return read_shared_rows(job_, kept);
  });
  if (rows) ++times_shared_;
  return rows;
}

std::size_t Crew::begin_pile(std::size_t columns, std::size_t threads) {
  const std::unique_lock lock = turn();
  if (job_.size() == 1 || !lock.owns_lock()) return 1;
  learning_ = std::this_thread::get_id();
  pile_columns_ = columns;
  give_order(job_, {Operation::kPile, columns, threads});
  return job_.size();
}

// Other threads send no orders from here on, so these need no lock.

void Crew::add_to_pile(std::size_t process, const SparseBlockRows& rows) {
  together([&] {
    give_order(job_, {Operation::kPileRows, process});
    send_piled(job_, process, rows, rows.rows());
  });
}

void Crew::share_pile(SparseBlockRows& own, std::span<const std::size_t> counts,
                      std::span<const std::uint32_t> labels) {
  together([&] {
    give_order(job_, {Operation::kPileShare});
    share_piled(job_, own, counts, labels);
  });
  ++times_shared_;
}

SparseBlockRows Crew::rows_of_pile(std::size_t process, std::size_t first) {
  return together([&] {
    give_order(job_, {Operation::kPileBlock, process, first});
    SparseBlockRows rows(0, pile_columns_);
    take_piled(job_, process, rows);
    return rows;
  });
}

void Crew::end_pile() { tell_quietly({Operation::kPileEnd}); }

}  // namespace unscatter::cluster
