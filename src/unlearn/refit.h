// Constants of the kind kPrivateFit: computed from the data, and again from what a removal leaves.
//
// If a removal changes such a constant, all rows are embedded again and the model is trained again.  Then the state is
// that of a training from scratch which includes the fit, so the constants carry nothing of what was removed
// (docs/constants.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "unlearn/graph_collection.h"
#include "unlearn/learner.h"
#include "unscatter/base/random.h"
#include "unscatter/base/result.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/linalg/sparse_block_rows.h"
#include "unscatter/unlearn/session_options.h"

namespace unscatter {

// One per slot; null where a graph was removed.
[[nodiscard]] std::vector<const Graph*> graphs_of(const GraphCollection& graphs);
[[nodiscard]] std::vector<bool> occupied(const std::vector<const Graph*>& graphs);

// The classes that occur, in the order of the old list, and the graphs' labels as places in the new list.
struct ClassFit {
  std::vector<std::string> names;
  std::vector<std::uint32_t> labels;  // one per slot; 0 in an empty slot
};

// The classes that occur and the place of each among them; 0 for one that does not.
struct ClassPlaces {
  std::vector<std::string> names;
  std::vector<std::uint32_t> places;
};
[[nodiscard]] ClassPlaces places_of(const std::vector<std::string>& names, const std::vector<bool>& occurs);

// Nothing if every class has a graph.  `labels` counts where `there` is true.
[[nodiscard]] std::optional<ClassFit> fit_classes(const std::vector<std::string>& names,
                                                  const std::vector<std::uint32_t>& labels,
                                                  const std::vector<bool>& there);

// The origins of all constants of a session: those of the features, the classes, lambda or ridge, each only if
// `options.constants` does not name it already.
[[nodiscard]] std::vector<ConstantOrigin> all_origins(const Embedder& embedder, const SessionOptions& options);

// Errors: kMalformedInput if a private fit on these graphs gives other constants than the session is to go on with.
// Such constants could carry data that is not there.
[[nodiscard]] Status check_fits(const GraphCollection& graphs, const Embedder& embedder, const SessionOptions& options);

// One row per slot, with the bias if the options ask for one.  A null pointer gives a row without values.
[[nodiscard]] Result<SparseBlockRows> embed_slots(const std::vector<const Graph*>& graphs, const Embedder& embedder,
                                                  const SessionOptions& options);
// The second half of that: rows of these graphs as the embedder makes them, with the bias if there is to be one.
[[nodiscard]] SparseBlockRows slots_from_rows(SparseBlockRows rows, std::span<const Graph* const> graphs, bool bias);

// All that changes with the constants.
struct Refit {
  std::shared_ptr<const Embedder> embedder;
  ClassFit classes;
  Learner learner;
};

// What a fit on the graphs that the plan leaves gives, trained.  Nothing if all constants stay.  Errors: those of
// fitting, embedding and training.
[[nodiscard]] Result<std::optional<Refit>> refit_after(const GraphCollection& graphs, const RemovalPlan& plan,
                                                       const std::shared_ptr<const Embedder>& embedder,
                                                       const SessionOptions& options, RandomSource& noise);

}  // namespace unscatter
