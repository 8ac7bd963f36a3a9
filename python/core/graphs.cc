#include <algorithm>
#include <cstring>

#include "arrays.h"
#include "unscatter/graph/graph_edit.h"

namespace unscatter::python {
namespace {

template <typename Array>
auto values_of(const Array& array) {
  return std::vector<typename Array::value_type>(array.data(), array.data() + array.size());
}

NodeIndex node_index(std::int64_t index) {
  if (index < 0 || index > std::int64_t{0xffffffff}) refuse(std::to_string(index) + " is no node");
  return static_cast<NodeIndex>(index);
}

// One option of Graph.create() after the other.  An optional part that is None is left out.
GraphParts make_parts(std::size_t nodes, bool directed, const std::optional<Doubles>& attributes,
                      const std::optional<Integers>& labels, const std::optional<Doubles>& positions,
                      std::optional<std::vector<std::string>> ids) {
  GraphParts parts;
  parts.node_count = nodes;
  parts.directed = directed;
  if (attributes) {
    if (attributes->ndim() != 2) refuse("attributes are no matrix with one row per node");
    parts.attribute_count = static_cast<std::size_t>(attributes->shape(1));
    parts.attributes = values_of(*attributes);
    if (static_cast<std::size_t>(attributes->shape(0)) != nodes) {
      refuse("attributes have " + std::to_string(attributes->shape(0)) + " rows, and there are " +
             std::to_string(nodes) + " nodes");
    }
  }
  if (labels) parts.labels = values_of(*labels);
  if (positions) parts.positions = values_of(*positions);
  if (ids) parts.node_ids = *std::move(ids);
  return parts;
}

SharedGraph graph_from_edges(std::size_t nodes, const Integers& edges, const std::optional<Doubles>& weights,
                             bool directed, const std::optional<Doubles>& attributes,
                             const std::optional<Integers>& labels, const std::optional<Doubles>& positions,
                             std::optional<std::vector<std::string>> ids, bool drop_self_loops, bool drop_duplicates) {
  GraphParts parts = make_parts(nodes, directed, attributes, labels, positions, std::move(ids));
  if (edges.size() > 0 && (edges.ndim() != 2 || edges.shape(1) != 2)) refuse("edges are no matrix with two columns");
  const auto count = static_cast<std::size_t>(edges.size()) / 2;
  if (weights && static_cast<std::size_t>(weights->size()) != count) {
    refuse(std::to_string(weights->size()) + " weights for " + std::to_string(count) + " edges");
  }
  parts.edges.reserve(count);
  const std::int64_t* ends = edges.data();
  for (std::size_t e = 0; e < count; ++e) {
    const std::int64_t from = ends[2 * e];
    const std::int64_t to = ends[2 * e + 1];
    // The library drops these, as readers do.  Here nobody would notice.
    if (from == to && !drop_self_loops) {
      refuse("edge " + std::to_string(e) + " joins node " + std::to_string(from) +
             " to itself, and graphs here have no loops; drop_self_loops=True leaves such edges out");
    }
    parts.edges.push_back({node_index(from), node_index(to)});
  }
  if (weights) parts.weights = values_of(*weights);
  if (!drop_duplicates) {
    std::vector<Edge> sorted = parts.edges;
    std::erase_if(sorted, [](const Edge& edge) { return edge.from == edge.to; });
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) {
      refuse("the edge from " + std::to_string(twice->from) + " to " + std::to_string(twice->to) +
             " is given twice, and graphs here have no parallel edges; drop_duplicates=True makes them one, whose "
             "weight is the sum");
    }
  }
  return without_lock([&]() -> Result<SharedGraph> {
    UNSCATTER_TRY(graph, Graph::create(std::move(parts)));
    return std::make_shared<Graph>(std::move(graph));
  });
}

SharedGraph graph_from_rows(const Integers& offsets, const Integers& neighbours, const std::optional<Doubles>& weights,
                            bool directed, const std::optional<Doubles>& attributes,
                            const std::optional<Integers>& labels, const std::optional<Doubles>& positions,
                            std::optional<std::vector<std::string>> ids,
                            const std::optional<std::vector<std::uint8_t>>& states) {
  if (offsets.size() == 0) refuse("offsets are empty");
  GraphParts parts =
      make_parts(static_cast<std::size_t>(offsets.size() - 1), directed, attributes, labels, positions, std::move(ids));
  if (weights) parts.weights = values_of(*weights);
  if (states) {
    for (const std::uint8_t state : *states) {
      if (state > 2) refuse("there is no node state " + std::to_string(state));
      parts.states.push_back(static_cast<NodeState>(state));
    }
  }
  std::vector<std::uint32_t> starts;
  starts.reserve(static_cast<std::size_t>(offsets.size()));
  for (py::ssize_t i = 0; i < offsets.size(); ++i) starts.push_back(node_index(offsets.data()[i]));
  std::vector<NodeIndex> ends;
  ends.reserve(static_cast<std::size_t>(neighbours.size()));
  for (py::ssize_t i = 0; i < neighbours.size(); ++i) ends.push_back(node_index(neighbours.data()[i]));
  return std::make_shared<Graph>(
      value_or_raise(Graph::from_rows(std::move(parts), std::move(starts), std::move(ends))));
}

double weight_of(PyObject* weight, PyObject* from, PyObject* to) {
  const double value = PyFloat_AsDouble(weight);
  if (PyErr_Occurred() == nullptr) return value;
  PyErr_Clear();
  const auto text = [](PyObject* object) { return py::repr(py::handle(object)).cast<std::string>(); };
  refuse("the weight of the edge from " + text(from) + " to " + text(to) + " is " + text(weight) +
         ", which is no number");
}

// Reads a dictionary of dictionaries of edge data, as NetworkX keeps one: {u: {v: {"weight": 2.0}}}.  The names of
// edge data other than "weight" are collected, so that the caller can refuse them.
struct Adjacency {
  std::vector<std::int64_t> ends;  // from, to, from, to, ...
  std::vector<double> weights;     // of the edges that have one
  std::size_t without_weight = 0;
  py::set other_names;
};
py::tuple read_adjacency(const py::dict& adjacency, bool directed) {
  Adjacency found;
  const py::str weight_name("weight");
  py::dict places;
  std::int64_t place = 0;
  for (const auto& [node, row] : adjacency) places[node] = py::int_(place++);
  std::int64_t from = 0;
  PyObject *node, *row;
  for (Py_ssize_t at = 0; PyDict_Next(adjacency.ptr(), &at, &node, &row) != 0; ++from) {
    if (!PyDict_Check(row)) refuse("the adjacency is no dictionary of dictionaries");
    PyObject *other, *data;
    for (Py_ssize_t inner = 0; PyDict_Next(row, &inner, &other, &data) != 0;) {
      PyObject* found_place = PyDict_GetItemWithError(places.ptr(), other);
      if (found_place == nullptr) refuse("an edge leads to a node that is not there");
      const std::int64_t to = PyLong_AsLongLong(found_place);
      // An undirected edge stands in both rows.
      if (!directed && to < from) continue;
      found.ends.push_back(from);
      found.ends.push_back(to);
      PyObject* weight = PyDict_Size(data) == 0 ? nullptr : PyDict_GetItemWithError(data, weight_name.ptr());
      if (weight == nullptr) {
        ++found.without_weight;
      } else {
        found.weights.push_back(weight_of(weight, node, other));
      }
      if (PyDict_Size(data) > (weight == nullptr ? 0 : 1)) {
        for (const auto& [name, value] : py::reinterpret_borrow<py::dict>(data)) {
          if (!name.equal(weight_name)) found.other_names.add(name);
        }
      }
    }
  }
  const auto count = static_cast<py::ssize_t>(found.ends.size() / 2);
  py::array_t<std::int64_t> ends = owned(std::move(found.ends));
  return py::make_tuple(ends.reshape({count, py::ssize_t{2}}), owned(std::move(found.weights)), found.without_weight,
                        found.other_names);
}

py::object optional_view(const py::object& self, bool there, std::span<const double> values, py::ssize_t rows,
                         py::ssize_t columns) {
  if (!there) return py::none();
  return view(values, {rows, columns}, self);
}

std::vector<Edge> edges_of(const Graph& graph) {
  std::vector<Edge> edges;
  edges.reserve(graph.edge_count());
  for (std::size_t i = 0; i < graph.node_count(); ++i) {
    for (const NodeIndex j : graph.neighbours(i)) {
      // Row i lists the edges j -> i.  An undirected edge counts once.
      if (graph.directed() || j < i) edges.push_back({j, static_cast<NodeIndex>(i)});
    }
  }
  return edges;
}

py::object node_ids(const Graph& graph) {
  if (!graph.has_node_ids()) return py::none();
  py::list ids;
  for (std::size_t i = 0; i < graph.node_count(); ++i) ids.append(graph.node_id(i));
  return ids;
}

void bind_graph(py::module_& module) {
  const auto rows = [](const Graph& graph) { return static_cast<py::ssize_t>(graph.node_count()); };
  py::class_<Graph, SharedGraph>(module, "Graph", R"(One graph, immutable.

Arrays are read-only views of its memory: nothing is copied.)")
      .def_property_readonly("node_count", &Graph::node_count, "Nodes, isolated ones included.")
      .def_property_readonly("edge_count", &Graph::edge_count, "Undirected edges count once.")
      .def_property_readonly("directed", &Graph::directed, "Whether edges have directions.")
      .def_property_readonly("has_weights", &Graph::has_weights, "Whether edges have weights.")
      .def_property_readonly("attribute_count", &Graph::attribute_count, "Numbers per node.")
      .def_property_readonly(
          "offsets",
          [](const py::object& self) {
            const auto values = self.cast<const Graph&>().offsets();
            return view(values, {static_cast<py::ssize_t>(values.size())}, self);
          },
          "Where the row of each node begins in `neighbours`; one more than nodes.")
      .def_property_readonly(
          "neighbours",
          [](const py::object& self) {
            const auto values = self.cast<const Graph&>().entries();
            return view(values, {static_cast<py::ssize_t>(values.size())}, self);
          },
          "Row i lists the nodes j with an edge j to i.")
      .def_property_readonly(
          "weights",
          [](const py::object& self) -> py::object {
            const auto& graph = self.cast<const Graph&>();
            if (!graph.has_weights()) return py::none();
            const auto values = graph.entry_weights();
            return view(values, {static_cast<py::ssize_t>(values.size())}, self);
          },
          "Of the entries of `neighbours`, or None.")
      .def_property_readonly(
          "attributes",
          [rows](const py::object& self) {
            const auto& graph = self.cast<const Graph&>();
            const std::size_t columns = graph.attribute_count();
            const bool there = columns > 0;
            const std::span<const double> all(there ? graph.attributes(0).data() : nullptr,
                                              graph.node_count() * columns);
            return optional_view(self, there, all, rows(graph), static_cast<py::ssize_t>(columns));
          },
          "One row of numbers per node, or None.")
      .def_property_readonly(
          "positions",
          [rows](const py::object& self) {
            const auto& graph = self.cast<const Graph&>();
            const bool there = graph.has_positions();
            const std::span<const double> all(there ? graph.position(0).data() : nullptr, 2 * graph.node_count());
            return optional_view(self, there, all, rows(graph), 2);
          },
          "Two coordinates per node, or None.")
      .def_property_readonly(
          "labels",
          [](const Graph& graph) -> py::object {
            if (!graph.has_labels()) return py::none();
            std::vector<std::int64_t> labels;
            for (std::size_t i = 0; i < graph.node_count(); ++i) labels.push_back(graph.label(i));
            return owned(std::move(labels));
          },
          "A whole number per node, or None.")
      .def_property_readonly("node_ids", &node_ids, "External ids, one per node, or None.")
      .def_property_readonly(
          "states",
          [](const Graph& graph) {
            std::vector<std::uint8_t> states;
            for (std::size_t i = 0; i < graph.node_count(); ++i)
              states.push_back(static_cast<std::uint8_t>(graph.state(i)));
            return owned(std::move(states));
          },
          "0: as it came; 1: without features; 2: removed, with its place kept.")
      .def(
          "edges",
          [](const Graph& graph) {
            std::vector<std::int64_t> ends;
            for (const Edge& edge : edges_of(graph)) ends.insert(ends.end(), {edge.from, edge.to});
            const auto count = static_cast<py::ssize_t>(ends.size() / 2);
            return owned(std::move(ends)).reshape({count, py::ssize_t{2}});
          },
          "Two columns, from and to.  An undirected edge stands here once.")
      .def(
          "edge_weights",
          [](const Graph& graph) -> py::object {
            if (!graph.has_weights()) return py::none();
            std::vector<double> weights;
            for (std::size_t i = 0; i < graph.node_count(); ++i) {
              for (std::size_t k = 0; k < graph.degree(i); ++k) {
                if (graph.directed() || graph.neighbours(i)[k] < i) weights.push_back(graph.weights(i)[k]);
              }
            }
            return owned(std::move(weights));
          },
          "In the order of `edges()`, or None.")
      .def(
          "digest", [](const Graph& graph) { return content_digest(graph).hex(); },
          "A digest of everything that the graph holds.")
      .def(
          "without_node",
          [](const Graph& graph, std::int64_t node) -> std::optional<SharedGraph> {
            auto left = value_or_raise(apply(graph, RemoveNode{node_index(node)}));
            if (!left) return std::nullopt;
            return std::make_shared<Graph>(*std::move(left));
          },
          py::arg("node"), "A copy without a node, its features and its edges; None if no node is left.")
      .def(
          "without_edge",
          [](const Graph& graph, std::int64_t from, std::int64_t to) {
            auto left = value_or_raise(apply(graph, RemoveEdge{node_index(from), node_index(to)}));
            return std::make_shared<Graph>(*std::move(left));
          },
          py::arg("source"), py::arg("target"), "A copy without an edge.")
      .def(
          "without_features",
          [](const Graph& graph, std::int64_t node) {
            auto left = value_or_raise(apply(graph, RemoveFeatures{node_index(node)}));
            return std::make_shared<Graph>(*std::move(left));
          },
          py::arg("node"), "A copy without the features of a node; its edges stay.")
      .def("__eq__", [](const Graph& one, const py::object& other) {
        return py::isinstance<Graph>(other) && one == other.cast<const Graph&>();
      });
}

}  // namespace

void bind_graphs(py::module_& module) {
  bind_graph(module);
  module.def("graph_from_edges", &graph_from_edges);
  module.def("graph_from_rows", &graph_from_rows);
  module.def("read_adjacency", &read_adjacency);
}

}  // namespace unscatter::python
