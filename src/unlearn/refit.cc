#include "unlearn/refit.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "unlearn/row_crew.h"
#include "unscatter/learn/bias.h"

namespace unscatter {
namespace {

std::vector<const Graph*> without_gaps(const std::vector<const Graph*>& graphs) {
  std::vector<const Graph*> living;
  living.reserve(graphs.size());
  std::copy_if(graphs.begin(), graphs.end(), std::back_inserter(living),
               [](const Graph* graph) { return graph != nullptr; });
  return living;
}

// Most removals leave every constant as it is.  The answer then has to cost next to nothing, because it is asked before
// each of them.
bool features_may_change(const GraphCollection& graphs, const RemovalPlan& plan, const Embedder& embedder) {
  if (!embedder.refits()) return false;
  const bool touched = std::any_of(plan.changes.begin(), plan.changes.end(), [&](const GraphChange& change) {
    if (change.kind == ChangeKind::kAdded) return true;
    const Graph& before = *graphs.graph(change.slot);
    if (!change.graph) return embedder.fit_may_change(before, nullptr);
    // A correction may bring what takes part in the fit as well as take it away.
    return embedder.fit_may_change(before, &*change.graph) ||
           (!plan.only_removes && embedder.fit_may_change(*change.graph, &before));
  });
  if (!touched) return false;
  // What follows holds for removals, which never make a fit larger.  Whatever comes may do so.
  if (!plan.only_removes) return true;
  // One graph that stays as it is may show that the fit stays.  Changes ascend by slot.
  if (graphs.others() != nullptr && graphs.others()->show_fit) return false;
  auto change = plan.changes.begin();
  for (std::size_t slot = 0; slot < graphs.slots(); ++slot) {
    while (change != plan.changes.end() && change->slot < slot) ++change;
    if (change != plan.changes.end() && change->slot == slot) continue;
    const Graph* graph = graphs.graph(slot);
    if (graph != nullptr && embedder.fit_shown_by(*graph)) return false;
  }
  return true;
}

// One per slot after the plan; null where a graph is not there.
std::vector<const Graph*> graphs_after(const GraphCollection& graphs, const RemovalPlan& plan) {
  std::vector<const Graph*> left = graphs_of(graphs);
  left.resize(graphs.slots() + plan.graphs_added());
  for (const GraphChange& change : plan.changes) left[change.slot] = change.graph ? &*change.graph : nullptr;
  return left;
}

std::vector<std::uint32_t> labels_after(const GraphCollection& graphs, const RemovalPlan& plan) {
  std::vector<std::uint32_t> labels = graphs.labels();
  labels.resize(graphs.slots() + plan.graphs_added());
  for (const GraphChange& change : plan.changes) {
    if (change.label) labels[change.slot] = *change.label;
  }
  return labels;
}

bool goes(const RemovalPlan& plan, std::size_t slot) {
  const auto change = std::lower_bound(plan.changes.begin(), plan.changes.end(), slot,
                                       [](const GraphChange& one, std::size_t wanted) { return one.slot < wanted; });
  return change != plan.changes.end() && change->slot == slot && !change->graph;
}

// Does a class lose its last graph?
bool class_leaves(const GraphCollection& graphs, const RemovalPlan& plan) {
  const std::vector<std::uint32_t>& labels = graphs.labels();
  // Corrections move graphs from one class to another, and new graphs have a class too.  Then all are counted.
  if (!plan.only_removes) {
    const std::vector<const Graph*> left = graphs_after(graphs, plan);
    const std::vector<std::uint32_t> labels_left = labels_after(graphs, plan);
    if (graphs.others() == nullptr) {
      return fit_classes(graphs.class_names(), labels_left, occupied(left)).has_value();
    }
    // A part knows of the classes that its graphs had.  The others have not lost any.
    return std::any_of(plan.changes.begin(), plan.changes.end(), [&](const GraphChange& change) {
      if (change.kind == ChangeKind::kAdded || graphs.others()->have_class.at(labels[change.slot])) return false;
      for (std::size_t slot = 0; slot < left.size(); ++slot) {
        if (left[slot] != nullptr && labels_left[slot] == labels[change.slot]) return false;
      }
      return true;
    });
  }
  return std::any_of(plan.changes.begin(), plan.changes.end(), [&](const GraphChange& change) {
    if (change.graph) return false;
    const OtherSlots* others = graphs.others();
    if (others != nullptr && others->have_class.at(labels[change.slot])) return false;
    for (std::size_t slot = 0; slot < labels.size(); ++slot) {
      const bool same_class = labels[slot] == labels[change.slot] && graphs.graph(slot) != nullptr;
      if (same_class && !goes(plan, slot)) return false;
    }
    return true;
  });
}

}  // namespace

std::vector<const Graph*> graphs_of(const GraphCollection& graphs) {
  std::vector<const Graph*> all(graphs.slots());
  for (std::size_t slot = 0; slot < all.size(); ++slot) all[slot] = graphs.graph(slot);
  return all;
}

std::vector<bool> occupied(const std::vector<const Graph*>& graphs) {
  std::vector<bool> there(graphs.size());
  std::transform(graphs.begin(), graphs.end(), there.begin(), [](const Graph* graph) { return graph != nullptr; });
  return there;
}

ClassPlaces places_of(const std::vector<std::string>& names, const std::vector<bool>& occurs) {
  ClassPlaces found{{}, std::vector<std::uint32_t>(names.size())};
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (!occurs[k]) continue;
    found.places[k] = static_cast<std::uint32_t>(found.names.size());
    found.names.push_back(names[k]);
  }
  return found;
}

std::optional<ClassFit> fit_classes(const std::vector<std::string>& names, const std::vector<std::uint32_t>& labels,
                                    const std::vector<bool>& there) {
  std::vector<bool> occurs(names.size());
  for (std::size_t slot = 0; slot < labels.size(); ++slot) {
    if (there[slot]) occurs.at(labels[slot]) = true;
  }
  if (std::find(occurs.begin(), occurs.end(), false) == occurs.end()) return std::nullopt;
  ClassPlaces found = places_of(names, occurs);
  ClassFit fit{std::move(found.names), std::vector<std::uint32_t>(labels.size())};
  for (std::size_t slot = 0; slot < labels.size(); ++slot) {
    fit.labels[slot] = there[slot] ? found.places[labels[slot]] : 0;
  }
  return fit;
}

std::vector<ConstantOrigin> all_origins(const Embedder& embedder, const SessionOptions& options) {
  std::vector<ConstantOrigin> all = embedder.origins();
  all.push_back({"classes", options.classes});
  const SessionOptions built_in;
  const auto chosen = [](bool usual) { return usual ? ConstantKind::kBuiltIn : ConstantKind::kStated; };
  if (options.ridge) {
    all.push_back({"ridge", ConstantKind::kStated});
  } else {
    all.push_back({"lambda", chosen(options.regularisation == built_in.regularisation)});
  }
  // What a caller says about one of these goes before what is read from the value.  That rows were made outside is a
  // fact, which no word of a caller takes away.
  for (const ConstantOrigin& given : options.constants) {
    const auto same = [&](const ConstantOrigin& other) { return other.name == given.name; };
    if (const auto known = std::find_if(all.begin(), all.end(), same); known == all.end()) {
      all.push_back(given);
    } else if (known->kind != ConstantKind::kOutside) {
      known->kind = given.kind;
    }
  }
  return all;
}

Status check_fits(const GraphCollection& graphs, const Embedder& embedder, const SessionOptions& options) {
  // A part cannot tell.
  if (graphs.others() != nullptr) return ok_status();
  const std::vector<const Graph*> all = graphs_of(graphs);
  if (options.classes == ConstantKind::kPrivateFit &&
      fit_classes(graphs.class_names(), graphs.labels(), occupied(all)).has_value()) {
    return Error{ErrorCode::kMalformedInput, "there is a class without a graph, although classes follow the data"};
  }
  if (!embedder.refits()) return ok_status();
  UNSCATTER_TRY(changed, embedder.refitted(without_gaps(all)));
  if (changed == nullptr) return ok_status();
  return Error{ErrorCode::kMalformedInput, "the features are not those that a fit on the graphs gives"};
}

SparseBlockRows slots_from_rows(SparseBlockRows rows, std::span<const Graph* const> graphs, bool bias) {
  if (!bias) return rows;
  SparseBlockRows wider(rows.rows(), rows.columns() + 1);
  for (std::size_t slot = 0; slot < graphs.size(); ++slot) {
    // Not even the constant of the bias: an empty row must add nothing to a gradient.
    if (graphs[slot] == nullptr) continue;
    BlockRow row;
    rows.swap_row(slot, row);
    wider.set_row(slot, with_bias(std::move(row), rows.columns()));
  }
  return wider;
}

Result<SparseBlockRows> embed_slots(const std::vector<const Graph*>& graphs, const Embedder& embedder,
                                    const SessionOptions& options) {
  UNSCATTER_TRY(rows, embedder.embed(graphs, {options.threads, options.progress, options.crew}));
  return slots_from_rows(std::move(rows), graphs, options.bias);
}

Result<std::optional<Refit>> refit_after(const GraphCollection& graphs, const RemovalPlan& plan,
                                         const std::shared_ptr<const Embedder>& embedder, const SessionOptions& options,
                                         RandomSource& noise) {
  const bool classes_change = options.classes == ConstantKind::kPrivateFit && class_leaves(graphs, plan);
  const bool may_change = features_may_change(graphs, plan, *embedder);
  if (!classes_change && !may_change) return std::optional<Refit>();
  if (graphs.others() != nullptr) {
    return Error{ErrorCode::kUnsupported, "all graphs are needed for an update that may change a constant"};
  }

  const std::vector<const Graph*> left = graphs_after(graphs, plan);
  std::optional<ClassFit> classes;
  if (classes_change) classes = fit_classes(graphs.class_names(), labels_after(graphs, plan), occupied(left));
  std::shared_ptr<const Embedder> fitted;
  if (may_change) {
    UNSCATTER_TRY(changed, embedder->refitted(without_gaps(left)));
    fitted = std::move(changed);
  }
  if (!classes && fitted == nullptr) return std::optional<Refit>();

  if (fitted == nullptr) fitted = embedder;
  if (!classes) {
    classes = ClassFit{graphs.class_names(), labels_after(graphs, plan)};
    for (std::size_t slot = 0; slot < left.size(); ++slot) {
      if (left[slot] == nullptr) classes->labels[slot] = 0;
    }
  }
  UNSCATTER_TRY(rows, embed_slots(left, *fitted, options));
  const auto gaps = static_cast<std::size_t>(std::count(left.begin(), left.end(), nullptr));
  UNSCATTER_TRY(learner, Learner::create(std::move(rows), classes->labels, classes->names.size(), options, noise,
                                         left.size() - gaps));
  return std::optional<Refit>(Refit{std::move(fitted), *std::move(classes), std::move(learner)});
}

}  // namespace unscatter
