// What a removal takes out of graphs, and which published models still know what it removes, in words and as JSON. Both
// are computed from private data: for whoever runs the workspace, never for a receipt.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "output.h"
#include "unscatter/base/result.h"
#include "unscatter/store/workspace.h"
#include "unscatter/unlearn/prepared_removal.h"

namespace unscatter::cli {

// "2 nodes and 5 edges, in 2 graphs; 1 graph goes whole"
[[nodiscard]] std::string edits_words(const EditCounts& edits);
[[nodiscard]] Json edits_json(const EditCounts& edits);

// Models that were published before a removal: all of them had learned from what it removes.
class KnowingModels {
 public:
  explicit KnowingModels(std::vector<PublishedEntry> told) : told_(std::move(told)) {}
  // Null or a list of {"model", "entry", "time", "shift", "best_guess"}: `exposure` is that of all of them together,
  // and each has its part of it.  Models that the ledger of this file does not tell of are counted.
  [[nodiscard]] Json json(const Exposure& exposure) const;
  // Nothing if nobody has seen a model.
  void add_rows(Table& table, const Exposure& exposure, const Promise& promise) const;

 private:
  [[nodiscard]] std::size_t first_told(const Exposure& exposure) const;
  [[nodiscard]] std::size_t untold(const Exposure& exposure) const;

  std::vector<PublishedEntry> told_;  // all that the ledger tells of, the last one last
};
// Of the present state, before or after a removal: a removal publishes nothing.
[[nodiscard]] Result<KnowingModels> knowing_models(const Workspace& workspace);

}  // namespace unscatter::cli
