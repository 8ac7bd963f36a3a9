// The other ranks of the job, as the first rank uses them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "cluster/file_pieces.h"
#include "cluster/operation.h"
#include "comm/communicator.h"
#include "store/shard_crew.h"

namespace unscatter::cluster {

// What is less is not worth a message.
struct CrewLimits {
  // In nodes and entries of all graphs.
  std::uint64_t least_cost = std::uint64_t{1} << 15;
  std::uint64_t block_cost = std::uint64_t{1} << 21;  // of one block at most: a message of some ten megabytes
  // Numbers in rows, where rows are shared for a training; rows, where they are shared for an update.
  std::uint64_t least_values = std::uint64_t{1} << 17;
  std::uint64_t least_rows = std::uint64_t{1} << 11;
  // Graphs whose embedding is cheaper than their messages stay here, once that was seen.  Seconds of work with the
  // others before it is believed; infinite: never.
  double seconds_to_judge = 0.1;
};

// Is it worth it to share embeddings?  Messages cost something too, and walks on small graphs next to nothing.
class ShareBalance {
 public:
  explicit ShareBalance(double seconds_to_judge) : seconds_to_judge_(seconds_to_judge) {}
  // Of one embedding: how long it took here with the others, and about how long it would have taken without them.
  void note(double together, double alone);
  // False: the next embedding is to stay here.  Sometimes it is true all the same, to see whether things have changed.
  [[nodiscard]] bool next_is_shared();

 private:
  double seconds_to_judge_;
  double together_ = 0;
  double alone_ = 0;
  std::size_t kept_ = 0;  // embeddings since the last one that was shared
};

// On the first rank, while all others run serve_first_rank() (worker.h).
//
// An embedding cuts the graphs into blocks of equal cost.  In each round every rank embeds one block.  With P ranks
// and R rounds that takes (2 + 4 R) (P - 1) messages, and 4 (P - 1) more if the embedder is not the one of the
// call before (docs/scale.md).
//
// Where this rank throws while the others wait for what it would have sent, the job ends with a sentence on all ranks.
// What a caller's own function throws is passed on, and the crew goes on.
//
// Piles, and learners of rows that spread(), share_pile() or read_shards() returned, belong to the thread that called
// it, and their messages to the others are not under this object's lock.  From then on graphs of other threads stay in
// this process.
class Crew final : public ShardCrew {
 public:
  explicit Crew(Communicator& job, CrewLimits limits = {}) : job_(job), limits_(limits) {}
  // Tells the others that the job is done.
  ~Crew() override;

  [[nodiscard]] std::unique_ptr<UnderWay> begin_embed(const Embedder& embedder, std::span<const Graph* const> graphs,
                                                      const EmbedOptions& options) override;

  // Pieces go round the ranks.  Each rank reads, embeds and sends its own; the first one embeds too.  With P ranks and
  // R rounds that takes (6 + 3 R) (P - 1) messages, 4 (P - 1) for a new embedder, and 2 (P - 1) each for a model and
  // for a rule.
  [[nodiscard]] Result<Shared> embed_file(const std::filesystem::path& path, const Embedder& embedder,
                                          const FileWork& work, const EmbedOptions& options,
                                          const std::function<Status(EmbeddedPiece)>& take) override;

  // With P ranks and R rounds: docs/scale.md, "survey of a file".
  [[nodiscard]] std::optional<SharedSurvey> survey_file(const GraphStream::Lines& lines, const SurveyRules& rules,
                                                        const Embedder& embedder, const EmbedOptions& options) override;

  [[nodiscard]] std::optional<KeptState::Rows> spread(const SparseBlockRows& rows,
                                                      std::span<const std::uint32_t> labels,
                                                      std::size_t threads) override;
  [[nodiscard]] std::optional<KeptState::Rows> read_shards(const ShardedRows& kept, std::size_t threads) override;
  [[nodiscard]] std::size_t begin_pile(std::size_t columns, std::size_t threads) override;
  void add_to_pile(std::size_t process, const SparseBlockRows& rows) override;
  void share_pile(SparseBlockRows& own, std::span<const std::size_t> counts,
                  std::span<const std::uint32_t> labels) override;
  [[nodiscard]] SparseBlockRows rows_of_pile(std::size_t process, std::size_t first) override;
  void end_pile() override;
  // How often rows were shared.  For tests.
  [[nodiscard]] std::size_t times_shared() const noexcept { return times_shared_; }

 private:
  class SharedEmbedding;

  // Locked if this thread may send orders now.
  [[nodiscard]] std::unique_lock<std::mutex> turn();
  // The others have this embedder afterwards.  False: it cannot be told to them.
  [[nodiscard]] bool announce(const Embedder& embedder);

  // Work that the others take part in.  They could not go on without this rank, so an exception ends the job.
  template <typename Work>
  auto together(const Work& work);
  // For what cannot fail.
  void tell_quietly(Order order) noexcept;
  [[nodiscard]] Result<Shared> embed_pieces(const std::filesystem::path& path, const FileMark& mark,
                                            const Embedder& embedder, const FileWork& work, const EmbedOptions& options,
                                            const std::function<Status(EmbeddedPiece)>& take);

  Communicator& job_;
  CrewLimits limits_;
  std::mutex busy_;
  std::string announced_;
  ShareBalance balance_{limits_.seconds_to_judge};  // of the embedder that was announced last
  std::size_t times_shared_ = 0;
  std::size_t pile_columns_ = 0;
  std::thread::id learning_;  // the thread that has learners of shared rows; under the lock
};

}  // namespace unscatter::cluster
