// From a data set to graphs at the end of a session.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/wipe.h"
#include "unlearn/graph_collection.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

Error not_added(std::string why) { return {ErrorCode::kInvalidArgument, std::move(why)}; }

// How a message names a graph of the data that is to be added.
std::string name_in(const Dataset& data, std::size_t g) {
  if (!data.graph_ids.empty()) return fmt::format("graph '{}'", data.graph_ids[g]);
  return fmt::format("graph {} of the new data", g);
}

// The labels in the order of the session's classes.  A class that no graph of the data has does not matter.
Result<std::vector<std::uint32_t>> labels_among(const Dataset& data, const std::vector<std::string>& class_names) {
  std::vector<std::uint32_t> labels;
  labels.reserve(data.size());
  for (std::size_t g = 0; g < data.size(); ++g) {
    const std::string& name = data.class_names.at(data.labels.at(g));
    const auto place = std::find(class_names.begin(), class_names.end(), name);
    if (place == class_names.end()) {
      return not_added(
          fmt::format("{} has the class '{}', which the model does not have (it has {}); a model with "
                      "other classes has to be trained anew",
                      name_in(data, g), name, fmt::join(class_names, ", ")));
    }
    labels.push_back(static_cast<std::uint32_t>(place - class_names.begin()));
  }
  return labels;
}

// The form that graphs of a session have.  Features were made for it.
struct FormOfModel {
  std::size_t attributes = 0;
  bool labels = false;
};

Status check_form(const Dataset& data, const FormOfModel& form) {
  for (std::size_t g = 0; g < data.size(); ++g) {
    const Graph& graph = data.graphs[g];
    if (graph.attribute_count() != form.attributes) {
      return not_added(fmt::format("{} has {} attributes per node, and the graphs of this model have {}",
                                   name_in(data, g), graph.attribute_count(), form.attributes));
    }
    if (graph.has_labels() && !form.labels) {
      return not_added(fmt::format("{} has node labels, and the features of this model were made for graphs without",
                                   name_in(data, g)));
    }
  }
  return ok_status();
}

// reserve() would free the old list as it is, with ids that may have to be gone later.
template <typename T>
void reserve_and_wipe(std::vector<T>& values, std::size_t count) {
  if (values.capacity() >= count) return;
  std::vector<T> larger;
  larger.reserve(std::max(count, 2 * values.size()));
  larger.insert(larger.end(), values.begin(), values.end());
  wipe(values);
  values = std::move(larger);
}

}  // namespace

Result<RemovalPlan> GraphCollection::plan_addition(Dataset&& data) const {
  if (data.graphs.empty()) return not_added("there is nothing to add: the data has no graph");
  UNSCATTER_TRY(labels, labels_among(data, class_names_));
  FormOfModel form;
  for (const std::optional<Graph>& graph : graphs_) {
    if (!graph) continue;
    form.attributes = std::max(form.attributes, graph->attribute_count());
    form.labels = form.labels || graph->has_labels();
  }
  UNSCATTER_CHECK_OK(check_form(data, form));

  // One living graph decides whether graphs have ids, as it does when a session is restored.
  const bool ids = !graph_ids_.empty();
  if (ids && data.graph_ids.empty()) return not_added("the graphs of this model have ids, and the new ones have none");
  if (!ids && !data.graph_ids.empty()) {
    return not_added("the new graphs have ids, and those of this model have only numbers");
  }
  std::unordered_set<std::string_view> new_ids;
  for (const std::string& id : data.graph_ids) {
    if (id.empty()) return not_added("a new graph has an empty id");
    if (slot_of_graph_id_.contains(id)) return not_added(fmt::format("there is a graph '{}' already", id));
    if (!new_ids.insert(id).second) return not_added(fmt::format("two new graphs have the id '{}'", id));
  }
  // Numbers are never reused and always ascend: requests find them by halving.
  std::size_t next = slots() == 0 ? 0 : number_of(slots() - 1) + 1;
  RemovalPlan plan;
  plan.only_removes = false;
  plan.changes.reserve(data.size());
  for (std::size_t g = 0; g < data.size(); ++g) {
    if (!data.numbers.empty()) {
      if (data.numbers[g] < next) {
        return not_added(
            fmt::format("a new graph has the number {}, and numbers from {} on are free: others are there "
                        "already, or were, and are not used again",
                        data.numbers[g], next));
      }
      next = data.numbers[g];
    }
    GraphChange change;
    change.slot = slots() + g;
    change.kind = ChangeKind::kAdded;
    change.label = labels[g];
    change.number = next++;
    if (ids) change.graph_id = data.graph_ids[g];
    EditCounts counts;
    counts.graphs_added = 1;
    counts.nodes_added = data.graphs[g].living_node_count();
    counts.edges_added = data.graphs[g].edge_count();
    plan.edits.push_back(counts);
    change.graph = std::move(data.graphs[g]);
    plan.changes.push_back(std::move(change));
  }
  plan.requests.graphs = plan.changes.size();
  return plan;
}

void GraphCollection::make_room(const RemovalPlan& plan) {
  drop_room();
  const std::size_t all = slots() + plan.graphs_added();
  // Numbers that are not 0, 1, 2, ... have to be written down, for the graphs that are there too.
  const bool numbered = std::any_of(plan.changes.begin(), plan.changes.end(), [](const GraphChange& change) {
    return change.kind == ChangeKind::kAdded && change.number != change.slot;
  });
  if (numbered && graph_numbers_.empty()) {
    std::vector<std::size_t> numbers;
    numbers.reserve(all);
    for (std::size_t slot = 0; slot < slots(); ++slot) numbers.push_back(slot);
    graph_numbers_ = std::move(numbers);
  }
  if (!graph_numbers_.empty()) reserve_and_wipe(graph_numbers_, all);
  graphs_.reserve(all);  // moves graphs, and copies nothing of them
  reserve_and_wipe(labels_, all);
  if (!graph_ids_.empty()) reserve_and_wipe(graph_ids_, all);
  reserve_and_wipe(node_counts_, all);
  numbers_.reserve(all);
  for (const GraphChange& change : plan.changes) {
    if (change.kind != ChangeKind::kAdded) continue;
    if (!graph_ids_.empty()) coming_graph_ids_[change.graph_id] = change.slot;
    const Graph& graph = *change.graph;
    for (std::size_t i = 0; graph.has_node_ids() && i < graph.node_count(); ++i) {
      if (graph.state(i) == NodeState::kTombstone) continue;
      coming_subjects_[graph.node_id(i)].push_back(change.slot);
    }
  }
  slot_of_graph_id_.reserve(slot_of_graph_id_.size() + coming_graph_ids_.size());
  slots_of_subject_.reserve(slots_of_subject_.size() + coming_subjects_.size());
  for (const auto& [id, coming] : coming_subjects_) {
    const auto known = slots_of_subject_.find(id);
    if (known != slots_of_subject_.end()) known->second.reserve(known->second.size() + coming.size());
  }
}

void GraphCollection::drop_room() noexcept {
  // A map's own clear() would free the ids and leave their bytes in memory.
  while (!coming_graph_ids_.empty()) wipe(coming_graph_ids_.extract(coming_graph_ids_.begin()).key());
  while (!coming_subjects_.empty()) wipe(coming_subjects_.extract(coming_subjects_.begin()).key());
}

void GraphCollection::take_room() noexcept {
  // Nothing here needs memory: entries move from one map to another that has room for them.
  while (!coming_graph_ids_.empty()) slot_of_graph_id_.insert(coming_graph_ids_.extract(coming_graph_ids_.begin()));
  while (!coming_subjects_.empty()) {
    auto entry = coming_subjects_.extract(coming_subjects_.begin());
    const auto known = slots_of_subject_.find(entry.key());
    if (known == slots_of_subject_.end()) {
      slots_of_subject_.insert(std::move(entry));
    } else {
      known->second.insert(known->second.end(), entry.mapped().begin(), entry.mapped().end());
    }
  }
}

void GraphCollection::append(GraphChange& change) noexcept {
  if (!graph_numbers_.empty()) graph_numbers_.push_back(change.number);
  if (!graph_ids_.empty()) graph_ids_.push_back(std::move(change.graph_id));
  node_counts_.push_back(static_cast<std::uint32_t>(change.graph->node_count()));
  numbers_.emplace_back();
  labels_.push_back(*change.label);
  graphs_.push_back(std::move(change.graph));
  ++living_;
}

std::size_t RemovalPlan::graphs_added() const {
  return static_cast<std::size_t>(std::count_if(
      changes.begin(), changes.end(), [](const GraphChange& change) { return change.kind == ChangeKind::kAdded; }));
}

}  // namespace unscatter
