// The graphs of a session, under numbers that never change, and what requests do to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "unlearn/row_change.h"
#include "unscatter/base/result.h"
#include "unscatter/graph/dataset.h"
#include "unscatter/graph/graph_edit.h"
#include "unscatter/unlearn/prepared_removal.h"
#include "unscatter/unlearn/request.h"
#include "unscatter/unlearn/snapshot.h"

namespace unscatter {

// What a plan does to one graph.
struct GraphChange {
  std::size_t slot = 0;
  std::optional<Graph> graph;          // nothing: the graph goes
  std::vector<std::uint32_t> numbers;  // the nodes' numbers at creation
  ChangeKind kind = ChangeKind::kFeatures;
  std::optional<std::uint32_t> label;  // the class that it gets; nothing: the class stays
  // Of a graph that comes.
  std::size_t number = 0;
  std::string graph_id = {};
};

// Requests, resolved and applied to copies; one change per touched graph.
struct RemovalPlan {
  std::vector<GraphChange> changes;
  RequestCounts requests;         // those that are honoured
  std::vector<Error> refused;     // the others, each with its place among those given
  std::vector<EditCounts> edits;  // of those that are honoured, each after those before it

  [[nodiscard]] std::size_t graphs_removed() const;
  [[nodiscard]] std::size_t graphs_added() const;
  // Whether data only gets less: nothing comes, and nothing takes the place of something else.
  bool only_removes = true;
};

class GraphCollection {
 public:
  explicit GraphCollection(Dataset dataset);
  // Errors: kMalformedInput where parts do not fit together.
  [[nodiscard]] static Result<GraphCollection> restore(SessionSnapshot& snapshot);
  [[nodiscard]] SlotSnapshot save(std::size_t slot) const;

  [[nodiscard]] std::size_t slots() const noexcept { return graphs_.size(); }
  [[nodiscard]] std::size_t living() const noexcept { return living_; }
  [[nodiscard]] const Graph* graph(std::size_t slot) const;
  [[nodiscard]] const std::vector<std::uint32_t>& labels() const noexcept { return labels_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::vector<std::string>& class_names() const noexcept { return class_names_; }
  // Of the slots that are not here; null if all are here.
  [[nodiscard]] const OtherSlots* others() const noexcept { return others_ ? &*others_ : nullptr; }
  // The slot of the whole session that slot `slot` is.
  [[nodiscard]] std::size_t place(std::size_t slot) const { return others_ ? others_->places.at(slot) : slot; }
  [[nodiscard]] std::size_t all_slots() const noexcept { return others_ ? others_->slots : graphs_.size(); }
  // The nodes' numbers at creation; empty: 0, 1, 2, ...
  [[nodiscard]] std::span<const std::uint32_t> node_numbers(std::size_t slot) const { return numbers_[slot]; }
  [[nodiscard]] std::string_view graph_id(std::size_t slot) const {
    return graph_ids_.empty() ? std::string_view() : std::string_view(graph_ids_[slot]);
  }
  [[nodiscard]] Dataset remaining() const;

  [[nodiscard]] bool has_graph_ids() const noexcept { return !graph_ids_.empty(); }
  [[nodiscard]] bool has_subjects() const noexcept { return !slots_of_subject_.empty(); }
  // Requests that leave every subject in at most `most` graphs.  Which ones it leaves follows from a public hash of the
  // subject's id and of the graph's name (its id, or its number where there is none).  So whether a subject stays in a
  // graph depends on nobody else: what this does to data without a subject is what it does to the rest of the data
  // with it (docs/theory.md, Lemma 12).
  [[nodiscard]] std::vector<RemovalRequest> memberships_beyond(std::size_t most) const;

  // Errors as Session::prepare().  `whole_graphs`: every touched graph goes.
  [[nodiscard]] Result<RemovalPlan> plan(std::span<const RemovalRequest> requests, NodeRemoval style, bool whole_graphs,
                                         OnRefusal on_refusal = OnRefusal::kRefuseBatch) const;
  // Graphs at the end, or corrected ones.  Errors as Session::prepare_addition() and prepare_corrections().
  [[nodiscard]] Result<RemovalPlan> plan_addition(Dataset&& data) const;
  [[nodiscard]] Result<RemovalPlan> plan_corrections(std::span<const Correction> corrections) const;
  // All memory that commit() of a plan with new graphs needs.  Nothing that can be seen changes.
  void make_room(const RemovalPlan& plan);
  // The plan was dropped.
  void drop_room() noexcept;
  // Puts the plan in force and overwrites what it replaces.  The plan must come from this very state, and make_room()
  // must have seen it if it has new graphs.
  void commit(RemovalPlan& plan) noexcept;
  // Other classes for the same graphs, one label per slot.  Overwrites the old names and labels.
  void set_classes(std::vector<std::string>&& names, std::vector<std::uint32_t>&& labels) noexcept;

 private:
  friend class WorkingCopies;

  GraphCollection() = default;
  // What requests call the graph.
  [[nodiscard]] std::size_t number_of(std::size_t slot) const {
    return graph_numbers_.empty() ? slot : graph_numbers_[slot];
  }
  void add_to_index(std::size_t slot);
  void append(GraphChange& change) noexcept;
  // The indexes get what make_room() has made for them.
  void take_room() noexcept;
  // Takes the ids that `after` no longer has out of the index.  `after` is null for a graph that goes.
  void forget_ids(std::size_t slot, const Graph& before, const Graph* after) noexcept;

  std::string name_;
  std::vector<std::optional<Graph>> graphs_;
  std::vector<std::uint32_t> labels_;  // 0 in an empty slot
  std::vector<std::string> class_names_;
  std::vector<std::string> graph_ids_;      // empty, or one per slot
  std::vector<std::size_t> graph_numbers_;  // empty, or one per slot, ascending
  std::size_t living_ = 0;                  // those that are not here included
  std::optional<OtherSlots> others_;

  std::vector<std::uint32_t> node_counts_;           // at creation; 0 in an empty slot
  std::vector<std::vector<std::uint32_t>> numbers_;  // empty: 0, 1, 2, ...
  std::unordered_map<std::string, std::size_t> slot_of_graph_id_;
  std::unordered_map<std::string, std::vector<std::size_t>> slots_of_subject_;
  // Entries of both indexes for graphs that are about to come (make_room()).
  std::unordered_map<std::string, std::size_t> coming_graph_ids_;
  std::unordered_map<std::string, std::vector<std::size_t>> coming_subjects_;
};

}  // namespace unscatter
