// A session's state as plain data: what has to be kept so that it can go on later, and nothing that can be derived.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "unscatter/graph/graph.h"
#include "unscatter/learn/objective.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"
#include "unscatter/unlearn/certificate.h"

namespace unscatter {

// One graph, or what is left of it: an empty slot has no graph, label 0, no id and no counts.
struct SlotSnapshot {
  std::size_t number = 0;  // what requests call it
  std::optional<Graph> graph;
  std::uint32_t label = 0;
  std::string graph_id;  // empty: the data has none
  std::uint32_t node_count_at_creation = 0;
  std::vector<std::uint32_t> node_numbers;  // the nodes' numbers at creation; empty: 0, 1, 2, ...
};

// A snapshot may hold some of the slots only.  This is what it then says of the others.
struct OtherSlots {
  std::vector<std::size_t> places;    // the slot of each that is in the snapshot; ascending
  std::size_t slots = 0;              // of the session in all
  std::size_t graphs = 0;             // that are there and not in the snapshot
  std::vector<bool> have_class = {};  // by class: one of those graphs is known to have it
  bool show_fit = false;              // one of them shows that no constant can change with those that are here
};

// Models that were published while a session had so many slots, before graphs were added.  Those of earlier trainings
// come first.
struct ModelsBefore {
  std::size_t slots = 0;
  std::size_t models = 0;
};

struct SessionSnapshot {
  std::string name;
  std::vector<std::string> class_names;
  std::string features;             // with all constants, as FeatureMap::describe() gives them
  std::vector<SlotSnapshot> slots;  // numbers ascend

  Matrix weights;                      // width x K
  Vector residuals;                    // per class, an upper bound
  std::optional<Matrix> perturbation;  // objective mechanism
  Certificate certificate;
  RungCounts rungs;  // every update counts once
  std::size_t releases = 0;
  std::optional<OtherSlots> others = {};
  std::vector<ModelsBefore> models_before = {};  // slots ascend
};

// What was derived from a snapshot's graphs earlier, so that it need not be derived again.  Whoever brings it vouches
// for it.
struct KeptState {
  struct Rows {
    SparseBlockRows rows;  // one per slot of the session, with the bias
    std::vector<std::uint32_t> labels;
  };
  std::optional<Rows> rows = {};
  std::optional<KeptCurvature> curvature = {};
};

}  // namespace unscatter
