#include "unscatter/graph/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "base/utc_time.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

// The order of class names: numbers by value, then text.  A data set that comes in another format, or in another order
// of graphs, then has the same classes.
struct ClassOrder {
  static std::tuple<bool, double, std::string_view> key(std::string_view name) {
    double number = 0;
    // from_chars() knows no locale.  Another number parser could read a comma as a point on some machines.
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    // "nan" can be parsed as a number, but it has no place among numbers.
    const bool is_text = error != std::errc() || end != name.data() + name.size() || std::isnan(number);
    // The name decides among equal numbers, so that "1" and "1.0" stay two classes.
    return {is_text, is_text ? 0.0 : number, name};
  }
  bool operator()(std::string_view a, std::string_view b) const { return key(a) < key(b); }
};

}  // namespace

void DueDates::add_graph(std::size_t earlier, std::optional<std::int64_t> date) {
  if (!date && graphs.empty()) return;
  graphs.resize(earlier);
  graphs.push_back(date);
}

void DueDates::add_subject(const std::string& id, std::int64_t date) {
  const auto [entry, is_new] = subjects.emplace(id, date);
  if (!is_new) entry->second = std::min(entry->second, date);
}

void DueDates::limit_graphs(std::size_t count, std::int64_t date) {
  graphs.resize(count);
  for (std::optional<std::int64_t>& one : graphs) one = one ? std::min(*one, date) : date;
}

Result<std::int64_t> parse_due_date(std::string_view text) { return parse_utc(text); }

ClassIndex index_classes(const std::vector<std::string>& raw) {
  std::map<std::string_view, std::uint32_t, ClassOrder> index;
  for (const std::string& name : raw) index.emplace(name, 0);
  ClassIndex result;
  for (auto& [name, position] : index) {
    position = static_cast<std::uint32_t>(result.class_names.size());
    result.class_names.emplace_back(name);
  }
  result.labels.reserve(raw.size());
  for (const std::string& name : raw) result.labels.push_back(index.find(name)->second);
  return result;
}

Status state_classes(Dataset& dataset, std::vector<std::string> names) {
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> place(dataset.class_names.size(), kNone);
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(k), names[k]) !=
        names.begin() + static_cast<std::ptrdiff_t>(k)) {
      return Error{ErrorCode::kInvalidArgument, fmt::format("the class '{}' is listed twice", names[k])};
    }
    const auto known = std::find(dataset.class_names.begin(), dataset.class_names.end(), names[k]);
    if (known != dataset.class_names.end()) {
      place[static_cast<std::size_t>(known - dataset.class_names.begin())] = static_cast<std::uint32_t>(k);
    }
  }
  std::vector<std::uint32_t> labels;
  labels.reserve(dataset.labels.size());
  for (const std::uint32_t label : dataset.labels) {
    if (place.at(label) == kNone) {
      return Error{
          ErrorCode::kInvalidArgument,
          fmt::format("a graph has the class '{}', which is not among those given", dataset.class_names[label])};
    }
    labels.push_back(place[label]);
  }
  dataset.labels = std::move(labels);
  dataset.class_names = std::move(names);
  return ok_status();
}

std::vector<std::string> classes_that_occur(const Dataset& dataset) {
  const std::vector<std::size_t> counts = summarise(dataset).class_counts;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] > 0) names.push_back(dataset.class_names[k]);
  }
  return names;
}

Dataset subset(const Dataset& dataset, std::span<const std::size_t> chosen) {
  Dataset part;
  part.name = dataset.name;
  // All class names, even those without a chosen graph: a label is an index into this list.
  part.class_names = dataset.class_names;
  part.due.subjects = dataset.due.subjects;
  part.graphs.reserve(chosen.size());
  for (const std::size_t i : chosen) {
    invariant(i < dataset.size(), "subset(): no such graph");
    part.graphs.push_back(dataset.graphs[i]);
    part.labels.push_back(dataset.labels[i]);
    if (!dataset.graph_ids.empty()) part.graph_ids.push_back(dataset.graph_ids[i]);
    if (!dataset.due.graphs.empty()) part.due.graphs.push_back(dataset.due.graphs[i]);
  }
  return part;
}

void FormCounts::add(const Graph& graph) {
  ++graphs;
  directed += graph.directed() ? 1u : 0u;
  weighted += graph.has_weights() ? 1u : 0u;
  labelled += graph.has_labels() ? 1u : 0u;
  positioned += graph.has_positions() ? 1u : 0u;
  with_attributes += graph.attribute_count() > 0 ? 1u : 0u;
  attributes = std::max(attributes, graph.attribute_count());
}

void FormCounts::add(const FormCounts& others) {
  graphs += others.graphs;
  directed += others.directed;
  weighted += others.weighted;
  labelled += others.labelled;
  positioned += others.positioned;
  with_attributes += others.with_attributes;
  attributes = std::max(attributes, others.attributes);
}

FormCounts count_forms(const Dataset& dataset) {
  FormCounts counts;
  for (const Graph& graph : dataset.graphs) counts.add(graph);
  return counts;
}

namespace {

// Nodes without an edge in either direction.  The rows of a directed graph list in-neighbours only, so a node that
// others list is not isolated.
std::size_t isolated_nodes_of(const Graph& graph) {
  std::vector<bool> joined(graph.node_count(), false);
  for (std::size_t i = 0; i < graph.node_count(); ++i) {
    if (graph.degree(i) > 0) joined[i] = true;
  }
  for (const NodeIndex neighbour : graph.entries()) joined[neighbour] = true;
  return static_cast<std::size_t>(std::count(joined.begin(), joined.end(), false));
}

}  // namespace

DatasetSummary summarise(const Dataset& dataset) {
  DatasetSummary summary;
  summary.graphs = dataset.size();
  summary.class_counts.resize(dataset.class_names.size());
  for (const std::uint32_t label : dataset.labels) ++summary.class_counts.at(label);
  summary.min_nodes = dataset.graphs.empty() ? 0 : std::numeric_limits<std::size_t>::max();
  std::set<std::int64_t> node_labels;
  std::unordered_set<std::string_view> node_ids;
  for (const Graph& graph : dataset.graphs) {
    summary.nodes += graph.node_count();
    summary.min_nodes = std::min(summary.min_nodes, graph.node_count());
    summary.max_nodes = std::max(summary.max_nodes, graph.node_count());
    summary.edges += graph.edge_count();
    summary.directed |= graph.directed();
    summary.attributes = std::max(summary.attributes, graph.attribute_count());
    summary.has_positions |= graph.has_positions();
    summary.isolated_nodes += isolated_nodes_of(graph);
    for (std::size_t i = 0; i < graph.node_count(); ++i) {
      summary.max_degree = std::max(summary.max_degree, graph.degree(i));
      if (graph.has_labels()) node_labels.insert(graph.label(i));
      if (graph.has_node_ids()) node_ids.insert(graph.node_id(i));
    }
  }
  summary.distinct_node_labels = node_labels.size();
  summary.distinct_node_ids = node_ids.size();
  return summary;
}

namespace {

void add_graph(Hasher& hasher, const Graph& graph) {
  const std::size_t n = graph.node_count();
  // One number says whether the graph is directed and whether weights follow.  Without them the digest is that of a
  // version that knew no weights.
  const std::uint64_t kind = (graph.directed() ? 1U : 0U) + (graph.has_weights() ? 2U : 0U);
  hasher.add(std::uint64_t{n}).add(kind).add(std::uint64_t{graph.entry_count()});
  // Offsets and entries are hashed as they lie in memory: 32 bits, little-endian on every platform that the project
  // builds for.
  hasher.add_bytes(std::as_bytes(graph.offsets())).add_bytes(std::as_bytes(graph.entries()));
  for (const double weight : graph.entry_weights()) hasher.add(weight);
  hasher.add(std::uint64_t{graph.attribute_count()}).add(std::uint64_t{graph.has_labels()});
  hasher.add(std::uint64_t{graph.has_positions()}).add(std::uint64_t{graph.has_node_ids()});
  for (std::size_t i = 0; i < n; ++i) {
    // Optional parts were announced by flags above, so two different graphs cannot feed the same bytes.
    hasher.add(static_cast<std::uint64_t>(graph.state(i)));
    for (const double value : graph.attributes(i)) hasher.add(value);
    if (graph.has_labels()) hasher.add(static_cast<std::uint64_t>(graph.label(i)));
    if (graph.has_positions()) hasher.add(graph.position(i)[0]).add(graph.position(i)[1]);
    if (graph.has_node_ids()) hasher.add(std::string_view(graph.node_id(i)));
  }
}

}  // namespace

Digest content_digest(const Graph& graph) {
  Hasher hasher;
  // The first text keeps digests of different kinds of things apart, and its number is the version of this form.
  hasher.add(std::string_view("unscatter graph 1"));
  add_graph(hasher, graph);
  return hasher.finish();
}

Digest content_digest(const Dataset& dataset) {
  Hasher hasher;
  hasher.add(std::string_view("unscatter dataset 1")).add(std::uint64_t{dataset.size()});
  hasher.add(std::uint64_t{!dataset.graph_ids.empty()});
  for (std::size_t g = 0; g < dataset.size(); ++g) {
    add_graph(hasher, dataset.graphs[g]);
    // The name of the class and not its number.  Numbers depend on which other classes there are.
    hasher.add(std::string_view(dataset.class_names.at(dataset.labels.at(g))));
    if (!dataset.graph_ids.empty()) hasher.add(std::string_view(dataset.graph_ids[g]));
  }
  return hasher.finish();
}

}  // namespace unscatter
