// A survey of a JSONL file (store/survey.cc) in which every rank takes a part of the file and keeps its rows.
//
//   1. The first rank says which file, by which rules; every rank says whether it sees that file.
//   2. In each round every rank reads and embeds one piece of its part, and says whether it could.
//   3. Every rank sends its notes to the first one, which tells all how many rows each has made.
//   4. The rows of a leaf of the summation tree that two ranks have made go to the rank with its first row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "cluster/file_pieces.h"
#include "comm/communicator.h"
#include "embedding/fit_sample.h"
#include "store/shard_crew.h"
#include "store/survey_notes.h"
#include "unscatter/base/progress.h"
#include "unscatter/embedding/embedder.h"

namespace unscatter::cluster {

// Of a file of so many pieces, rank r surveys those from part_begin(pieces, r, ranks) to before that of rank r + 1.
[[nodiscard]] std::uint64_t part_begin(std::uint64_t pieces, std::size_t rank, std::size_t ranks);
// As many as the longest part has.
[[nodiscard]] std::uint64_t rounds_of_survey(std::uint64_t pieces, std::size_t ranks);

// What every rank is told.  With what it takes to make an embedder, it is all that a rank needs.
struct SurveyOrder {
  std::filesystem::path path;
  FileMark mark;
  bool symmetrise = false;  // while reading
  SurveyRules rules;
};
[[nodiscard]] std::vector<std::byte> pack_survey(const SurveyOrder& order);
[[nodiscard]] SurveyOrder unpack_survey(std::span<const std::byte> bytes);

// What a rank found in its part.
struct PartFound {
  SurveyNotes notes;
  std::vector<Graph> sample;
  bool embedded = true;  // all graphs
};
[[nodiscard]] std::vector<std::byte> pack_found(const PartFound& found);
[[nodiscard]] Result<PartFound> unpack_found(std::span<const std::byte> bytes);

class PartSurvey {
 public:
  // `order` and `embedder` outlive this.
  PartSurvey(const SurveyOrder& order, const Embedder& embedder, std::size_t threads, std::size_t rank,
             std::size_t ranks);
  // The next piece of the part, if there is one.  False: a reader of the whole file might refuse it.  The rows go after
  // those that are in `rows`.
  [[nodiscard]] bool take_piece(SparseBlockRows& rows);
  // What was found.  Once.
  [[nodiscard]] PartFound finish();

 private:
  const SurveyOrder& order_;
  const Embedder& embedder_;
  std::size_t threads_;
  FileCut cut_;
  std::uint64_t next_;
  std::uint64_t end_;
  FitSample sample_;
  SurveyNoteTaker notes_;
  bool embedded_ = true;
};

// So many rows every rank keeps, of those that every rank has made: leaves are not cut.
[[nodiscard]] std::vector<std::size_t> kept_of_made(std::span<const std::size_t> made);
// Rows change hands so that every rank has what it keeps.  Called by all ranks.
void hand_over_rows(Communicator& job, SparseBlockRows& own, std::span<const std::size_t> made);

// The first rank's end, after the order was given.  Nothing: some rank does not see the file, or a reader of the whole
// file might refuse it.  `threads`: of this rank.
[[nodiscard]] std::optional<SharedSurvey> lead_survey(Communicator& job, const SurveyOrder& order,
                                                      const Embedder& embedder, std::size_t threads,
                                                      Progress& progress);
// The other ranks' end.  The rows go to `rows`, which has none.
void follow_survey(Communicator& job, const Embedder& embedder, std::size_t threads, SparseBlockRows& rows);

}  // namespace unscatter::cluster
