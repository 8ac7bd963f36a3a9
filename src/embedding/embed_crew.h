// Other processes that embed graphs together with this one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "embedding/fit_sample.h"
#include "unscatter/base/result.h"
#include "unscatter/embedding/embedder.h"

namespace unscatter {

class FixedScores;

// Neighbouring graphs of a file, embedded.
struct EmbeddedPiece {
  struct Subject {
    std::optional<std::string> id;
    std::optional<std::string> label;
  };
  std::vector<Subject> subjects;
  SparseBlockRows rows;        // one per subject, unless only scores were asked for
  std::vector<double> scores;  // for each subject one per class, if they were asked for
  std::vector<Graph> sample;   // those of these graphs that FitSample keeps, if a rule was given
};

// What is to be made of a file's graphs.
struct FileWork {
  const FixedScores* scored_by = nullptr;  // scores are all that is wanted of the rows; null: the rows themselves
  bool symmetrise = false;                 // while reading
  const FitRule* fitted_by = nullptr;      // null: nobody asks whether the constants fit these graphs
};

class EmbedCrew {
 public:
  EmbedCrew() = default;
  EmbedCrew(const EmbedCrew&) = delete;
  EmbedCrew& operator=(const EmbedCrew&) = delete;
  virtual ~EmbedCrew() = default;

  // Rows that are being made.  An object that goes waits for them.
  class UnderWay {
   public:
    UnderWay() = default;
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;
    virtual ~UnderWay() = default;
    // What embedder.embed(graphs, options) gives without a crew, bit for bit, errors included.  To be called once.
    [[nodiscard]] virtual Result<SparseBlockRows> rows() = 0;
  };
  // The others have their graphs when this returns, and embed them while the caller does something else that asks
  // nothing of this crew.  Embedder and graphs stay until the rows are there.  Any thread may call it.
  [[nodiscard]] virtual std::unique_ptr<UnderWay> begin_embed(const Embedder& embedder,
                                                              std::span<const Graph* const> graphs,
                                                              const EmbedOptions& options) = 0;
  [[nodiscard]] Result<SparseBlockRows> embed(const Embedder& embedder, std::span<const Graph* const> graphs,
                                              const EmbedOptions& options) {
    return begin_embed(embedder, graphs, options)->rows();
  }

  // Embeds the graphs of a JSONL file, of which every process reads its own parts, and gives them to `take` in the
  // order of the file.  Returns how many were taken if that were all.  Otherwise the rest is the caller's: it begins
  // with a part that is not as it should be, or the file is too short to share, or others do not see it.
  struct Shared {
    std::size_t graphs = 0;
    bool all = false;
  };
  // Errors: those of `take`.
  [[nodiscard]] virtual Result<Shared> embed_file(const std::filesystem::path& path, const Embedder& embedder,
                                                  const FileWork& work, const EmbedOptions& options,
                                                  const std::function<Status(EmbeddedPiece)>& take) = 0;
};

}  // namespace unscatter
