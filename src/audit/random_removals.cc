#include "audit/random_removals.h"

#include <span>
#include <utility>

namespace unscatter {
namespace {

constexpr std::size_t kTriesPerRemoval = 200;

// The number of a graph that is left, in requests.
std::size_t random_slot(const Session& session, Sequence& random) {
  for (;;) {
    const std::size_t slot = random.below(session.slots());
    if (session.has_graph(slot)) return slot;
  }
}

RequestCounts count_kinds(const std::vector<RemovalRequest>& requests) {
  RequestCounts counts;
  for (const RemovalRequest& request : requests) {
    counts.features += static_cast<std::size_t>(std::holds_alternative<ForgetFeatures>(request));
    counts.nodes += static_cast<std::size_t>(std::holds_alternative<ForgetNode>(request));
    counts.edges += static_cast<std::size_t>(std::holds_alternative<ForgetEdge>(request));
    counts.graphs += static_cast<std::size_t>(std::holds_alternative<ForgetGraph>(request));
    counts.subjects += static_cast<std::size_t>(std::holds_alternative<ForgetSubject>(request));
  }
  return counts;
}

// An error that another request may not meet.
bool about_the_request(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument || error.code == ErrorCode::kNotFound;
}

// Models of another shape are told apart at a glance: they have another class or another feature.  What a game compares
// are models of one shape.
bool keeps_the_shape(const PreparedRemoval& removal, const Session& session) {
  return removal.weights().rows() == session.weights().rows() && removal.weights().cols() == session.weights().cols();
}

}  // namespace

std::optional<RemovalRequest> random_removal(const Session& session, Sequence& random) {
  const std::size_t slot = random_slot(session, random);
  const SlotSnapshot place = session.slot_snapshot(slot);
  const Graph& graph = *place.graph;
  const auto node = random.below(graph.node_count());
  if (graph.state(node) == NodeState::kTombstone) return std::nullopt;
  // Requests call a node by its number at creation.
  const auto key = [&place](std::size_t i) -> NodeKey {
    return place.node_numbers.empty() ? i : std::size_t{place.node_numbers[i]};
  };
  switch (random.below(5)) {
    case 0: return graph.has_features(node) ? std::optional(ForgetFeatures{place.number, key(node)}) : std::nullopt;
    case 1: return ForgetNode{place.number, key(node)};
    case 2: {
      if (graph.degree(node) == 0) return std::nullopt;
      const NodeIndex neighbour = graph.neighbours(node)[random.below(graph.degree(node))];
      return ForgetEdge{place.number, key(neighbour), key(node)};
    }
    case 3: return ForgetGraph{place.number};
    default: return graph.has_node_ids() ? std::optional(ForgetSubject{graph.node_id(node)}) : std::nullopt;
  }
}

Result<RandomRemovals> remove_at_random(Session& session, std::size_t count, Sequence& random) {
  RandomRemovals removals;
  removals.weights_before = session.weights();
  std::size_t tries = kTriesPerRemoval * count;
  while (removals.requests.size() < count) {
    // Two graphs have to be left before the last removal, which takes one.
    if (tries-- == 0 || session.graph_count() < 3) {
      return Error{ErrorCode::kInvalidArgument, "there is too little data for so many removals"};
    }
    const bool last = removals.requests.size() + 1 == count;
    const std::optional<RemovalRequest> request =
        last ? ForgetGraph{session.slot_snapshot(random_slot(session, random)).number}
             : random_removal(session, random);
    if (!request) continue;
    auto prepared = session.prepare(std::span(&*request, 1));
    if (!prepared.ok() && !about_the_request(prepared.error())) return prepared.error();
    if (!prepared.ok() || !keeps_the_shape(*prepared, session)) continue;
    if (last) removals.weights_before_last = session.weights();
    prepared->commit();
    removals.requests.push_back(*request);
  }
  removals.counts = count_kinds(removals.requests);
  return removals;
}

Result<RemovalRequest> strongest_removal(Session& session, std::size_t tries, Sequence& random) {
  std::optional<RemovalRequest> strongest;
  double largest = -1;
  for (std::size_t i = 0; i < kTriesPerRemoval && tries > 0; ++i) {
    const SlotSnapshot place = session.slot_snapshot(random_slot(session, random));
    RemovalRequest request = ForgetGraph{place.number};
    // Level everyone says what one subject is: a graph, or a node id.
    const SessionOptions& options = session.options();
    const bool everyone = options.protection == Protection::kEveryone;
    const bool by_id = everyone ? options.per_subject > 0 : random.chance(0.5);
    if (place.graph->has_node_ids() && by_id) {
      request = ForgetSubject{place.graph->node_id(random.below(place.graph->node_count()))};
    }
    const auto prepared = session.prepare(std::span(&request, 1));
    if (!prepared.ok() && !about_the_request(prepared.error())) return prepared.error();
    if (!prepared.ok() || !keeps_the_shape(*prepared, session)) continue;
    --tries;
    const double change = (prepared->weights() - session.weights()).norm();
    if (change <= largest) continue;
    largest = change;
    strongest = std::move(request);
  }
  if (!strongest) return Error{ErrorCode::kInvalidArgument, "there is too little data: nobody can leave"};
  return *std::move(strongest);
}

}  // namespace unscatter
