// Graphs as features and transforms see them: as they are, or without directions.
#pragma once

#include <list>
#include <span>
#include <vector>

#include "unscatter/graph/graph.h"

namespace unscatter {

// The graphs themselves, with undirected copies in place of directed ones if `symmetrise` says so.  Copies are
// overwritten at the end: a graph may be about to leave, and must not live on in memory that nobody owns.
class SeenGraphs {
 public:
  SeenGraphs(std::span<const Graph* const> graphs, bool symmetrise) : seen_(graphs.begin(), graphs.end()) {
    if (!symmetrise) return;
    for (const Graph*& graph : seen_) {
      if (graph == nullptr || !graph->directed()) continue;
      copies_.push_back(symmetrised(*graph));
      graph = &copies_.back();
    }
  }
  SeenGraphs(const SeenGraphs&) = delete;
  SeenGraphs& operator=(const SeenGraphs&) = delete;
  ~SeenGraphs() {
    for (Graph& copy : copies_) copy.wipe();
  }

  [[nodiscard]] std::span<const Graph* const> graphs() const { return seen_; }

 private:
  std::list<Graph> copies_;  // a list: pointers into it stay
  std::vector<const Graph*> seen_;
};

}  // namespace unscatter
