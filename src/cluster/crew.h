// The other ranks of the job, as the first rank uses them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>

#include "comm/communicator.h"
#include "embedding/embed_crew.h"

namespace unscatter::cluster {

// In nodes and entries of all graphs.
struct CrewLimits {
  std::uint64_t least_cost = std::uint64_t{1} << 15;  // less is not worth a message
  std::uint64_t block_cost = std::uint64_t{1} << 21;  // of one block at most: a message of some ten megabytes
};

// On the first rank, while all others run serve_first_rank() (worker.h).
//
// One call of embed() cuts the graphs into blocks of equal cost.  In each round every rank embeds one block.  With P
// ranks and R rounds that takes (1 + 4 R) (P - 1) messages, and 3 (P - 1) more if the embedder is not the one of the
// call before (docs/scale.md).
class Crew final : public EmbedCrew {
 public:
  explicit Crew(Communicator& job, CrewLimits limits = {}) : job_(job), limits_(limits) {}
  // Tells the others that the job is done.
  ~Crew() override;

  [[nodiscard]] Result<SparseBlockRows> embed(const Embedder& embedder, std::span<const Graph* const> graphs,
                                              const EmbedOptions& options) override;

  // Pieces go round the ranks.  Each rank reads, embeds and sends its own; the first one embeds too.  With P ranks and
  // R rounds that takes (5 + 3 R) (P - 1) messages, and 3 (P - 1) for a new embedder.
  [[nodiscard]] Result<Shared> embed_file(const std::filesystem::path& path, const Embedder& embedder, bool symmetrise,
                                          const EmbedOptions& options,
                                          const std::function<Status(EmbeddedPiece)>& take) override;

 private:
  // The others have this embedder afterwards.  False: it cannot be told to them.
  [[nodiscard]] bool announce(const Embedder& embedder);

  Communicator& job_;
  CrewLimits limits_;
  std::mutex busy_;
  std::string announced_;
};

}  // namespace unscatter::cluster
