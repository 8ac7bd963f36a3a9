// From corrections to corrected graphs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "unlearn/working_copies.h"

namespace unscatter {
namespace {

// Applies corrections one after the other to working copies.
class CorrectionPlanner {
 public:
  CorrectionPlanner(const GraphCollection& graphs, const std::vector<std::string>& class_names)
      : copies_(graphs), class_names_(class_names) {}

  Status operator()(const SetFeatures& correction) {
    UNSCATTER_TRY(slot, copies_.find_graph(correction.graph));
    UNSCATTER_TRY(node, copies_.find_node(slot, correction.node));
    const ReplaceFeatures edit{node, correction.attributes, correction.label};
    UNSCATTER_TRY(corrected, correct(*copies_.current(slot), edit));
    if (corrected == *copies_.current(slot)) return nothing_changes();
    copies_.replace(slot, std::move(corrected), ChangeKind::kFeatures);
    ++requests_.features;
    present_.features_corrected = 1;
    return ok_status();
  }
  Status operator()(const AddEdge& correction) {
    UNSCATTER_TRY(slot, copies_.find_graph(correction.graph));
    UNSCATTER_TRY(from, copies_.find_node(slot, correction.from));
    UNSCATTER_TRY(to, copies_.find_node(slot, correction.to));
    UNSCATTER_TRY(corrected, correct(*copies_.current(slot), InsertEdge{from, to, correction.weight}));
    copies_.replace(slot, std::move(corrected), ChangeKind::kStructure);
    ++requests_.edges;
    present_.edges_added = 1;
    return ok_status();
  }
  Status operator()(const DropEdge& correction) {
    UNSCATTER_TRY(slot, copies_.find_graph(correction.graph));
    UNSCATTER_TRY(from, copies_.find_node(slot, correction.from));
    UNSCATTER_TRY(to, copies_.find_node(slot, correction.to));
    if (!copies_.current(slot)->has_edge(from, to)) {  // in the correction's own numbers, which the edit does not know
      return Error{ErrorCode::kNotFound, "there is no such edge"};
    }
    UNSCATTER_TRY(corrected, apply(*copies_.current(slot), RemoveEdge{from, to}));
    copies_.replace(slot, *std::move(corrected), ChangeKind::kStructure);
    ++requests_.edges;
    present_.edges = 1;
    return ok_status();
  }
  Status operator()(const SetLabel& correction) {
    UNSCATTER_TRY(slot, copies_.find_graph(correction.graph));
    const auto place = std::find(class_names_.begin(), class_names_.end(), correction.class_name);
    if (place == class_names_.end()) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("the model has no class '{}' (it has {}); a model with other classes has to be trained "
                               "anew",
                               correction.class_name, fmt::join(class_names_, ", "))};
    }
    const auto label = static_cast<std::uint32_t>(place - class_names_.begin());
    if (copies_.label(slot) == label) return nothing_changes();
    // The graph stays as it is, and its row with it.  A loss that is not even in the margin gets another curvature.
    copies_.replace(slot, Graph(*copies_.current(slot)), ChangeKind::kStructure);
    copies_.change_of(slot).label = label;
    ++requests_.graphs;
    present_.labels_corrected = 1;
    return ok_status();
  }

  // The first error, with the place of its correction.
  [[nodiscard]] Status apply_all(std::span<const Correction> corrections) {
    for (std::size_t c = 0; c < corrections.size(); ++c) {
      present_ = {};
      const Status status = std::visit(*this, corrections[c]);
      if (!status.ok()) {
        const Error& why = status.error();
        return Error{why.code, fmt::format("{}: {}", describe(corrections[c]), why.message), c};
      }
      present_.graphs_edited = 1;
      edits_.push_back(present_);
    }
    return ok_status();
  }

  [[nodiscard]] RemovalPlan take_plan() {
    RemovalPlan plan{copies_.take_changes(), requests_, {}, std::move(edits_)};
    plan.only_removes = false;
    return plan;
  }

 private:
  // Not a success: somebody would get a receipt for nothing.
  static Error nothing_changes() { return {ErrorCode::kInvalidArgument, "it has this value already"}; }

  WorkingCopies copies_;
  const std::vector<std::string>& class_names_;
  RequestCounts requests_;
  EditCounts present_;  // of the correction that is applied now
  std::vector<EditCounts> edits_;
};

}  // namespace

Result<RemovalPlan> GraphCollection::plan_corrections(std::span<const Correction> corrections) const {
  if (corrections.empty()) {
    return Error{ErrorCode::kInvalidArgument, "there is nothing to correct: the batch is empty"};
  }
  CorrectionPlanner planner(*this, class_names_);
  UNSCATTER_CHECK_OK(planner.apply_all(corrections));
  return planner.take_plan();
}

}  // namespace unscatter
