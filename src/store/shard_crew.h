// Other processes that read the shards of a workspace and update its model together with this one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "store/slot_partition.h"
#include "store/stored_rows.h"
#include "store/survey_notes.h"
#include "unlearn/row_crew.h"
#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/graph/read.h"
#include "unscatter/unlearn/snapshot.h"

namespace unscatter {

// The rows of a sharded workspace that this process has open.
struct ShardedRows {
  std::filesystem::path folder;
  std::string workspace;  // its id
  SlotPartition partition;
  std::size_t slots = 0;
  std::size_t graphs = 0;  // slots with a row
  std::size_t width = 0;
  std::size_t classes = 0;
  // Digests of the slots from `first` to before `last`, ends of shards.
  std::function<Result<std::vector<Digest>>(std::size_t first, std::size_t last)> leaves = nullptr;
  // What this process reads of those slots by itself.
  std::function<Result<ReadRows>(std::size_t first, std::size_t last)> read_here = nullptr;
};

// What it takes to survey a part of a file (survey.cc), apart from the embedder.
struct SurveyRules {
  std::string features;  // as FeatureMap::resolve() reads them
  ConstantKind fit = ConstantKind::kStated;
  bool symmetrise = false;  // for the fit, as the transform says
  bool bias = false;
};
// What several processes found in a file, each in its own part.
struct SharedSurvey {
  SurveyNotes notes;
  std::vector<Graph> sample;  // those of FitSample, of all parts; some of them may add nothing to the earlier ones
  // Those that this process keeps.  Nothing: a graph cannot be embedded with these constants.
  std::optional<SparseBlockRows> rows;
  std::vector<std::size_t> rows_of_processes;  // how many every process keeps, this one first
};

class ShardCrew : public RowCrew {
 public:
  // Every process reads a part of the file, and keeps the rows that it makes of it, about: shares end where leaves of
  // the summation tree end.  After begin_pile().  Nothing if the file is too short to be worth it, or others do not see
  // it, or a reader of the whole file might refuse it.
  [[nodiscard]] virtual std::optional<SharedSurvey> survey_file(const GraphStream::Lines& lines,
                                                                const SurveyRules& rules, const Embedder& embedder,
                                                                const EmbedOptions& options) = 0;
  // Every process reads the rows of some shards.  Returns the share of this one, as spread() does.  Nothing if they are
  // too few to be worth it, or if somebody could not read what it should: then this process reads all, and says what is
  // wrong.
  [[nodiscard]] virtual std::optional<KeptState::Rows> read_shards(const ShardedRows& kept, std::size_t threads) = 0;
};

}  // namespace unscatter
