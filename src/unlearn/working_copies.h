// Graphs of a session as the requests of one batch leave them, one after the other.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "unlearn/graph_collection.h"
#include "unscatter/base/result.h"
#include "unscatter/graph/graph_edit.h"
#include "unscatter/unlearn/request.h"

namespace unscatter {

// Copies of the graphs that a batch touches, and the lookups of its requests in them.  The session's own graphs stay as
// they are.
class WorkingCopies {
 public:
  explicit WorkingCopies(const GraphCollection& graphs) : graphs_(graphs) {}

  // The graph as earlier requests of this batch left it; null if they removed it.
  [[nodiscard]] const Graph* current(std::size_t slot) const;
  // The class of the graph, as earlier requests of this batch left it.
  [[nodiscard]] std::uint32_t label(std::size_t slot) const;
  // Slots of the session, before this batch, that have a node of this subject.
  [[nodiscard]] std::span<const std::size_t> slots_of_subject(const std::string& id) const;

  // Errors: kNotFound, kInvalidArgument (removed already).
  [[nodiscard]] Result<std::size_t> find_graph(const GraphKey& key) const;
  // Where the node stands in current(slot).
  [[nodiscard]] Result<NodeIndex> find_node(std::size_t slot, const NodeKey& key) const;

  // The change of a graph.  The caller sets the graph of a new one.
  [[nodiscard]] GraphChange& change_of(std::size_t slot);
  // Puts `graph` in the place of the copy, and overwrites that one.
  void replace(std::size_t slot, Graph&& graph, ChangeKind kind);
  // The graph goes.  A working copy still holds what this batch removes.  So it is overwritten too.
  static void drop(GraphChange& change) noexcept;
  void drop_all() noexcept;

  // One change per touched graph, ascending by slot.  So an update does not depend on the order in which graphs were
  // named.
  [[nodiscard]] std::vector<GraphChange> take_changes();

 private:
  [[nodiscard]] Result<std::size_t> slot_of_number(std::size_t number) const;
  [[nodiscard]] Error removed_already(std::size_t slot, std::size_t number) const;

  const GraphCollection& graphs_;
  std::map<std::size_t, GraphChange> changes_;  // by slot
};

}  // namespace unscatter
