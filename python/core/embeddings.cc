#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

#include "core.h"
#include "unscatter/embedding/embedder.h"
#include "words.h"

namespace unscatter::python {
namespace {

using SharedEmbedder = std::shared_ptr<const Embedder>;

std::vector<const Graph*> pointers_to(const std::vector<SharedGraph>& graphs) {
  std::vector<const Graph*> pointers;
  pointers.reserve(graphs.size());
  for (const SharedGraph& graph : graphs) pointers.push_back(graph.get());
  return pointers;
}

SparseBlockRows embed_graphs(const Embedder& embedder, const std::vector<SharedGraph>& graphs, std::size_t threads,
                             const py::object& report) {
  PythonProgress progress(report);
  const std::vector<const Graph*> pointers = pointers_to(graphs);
  return without_lock(progress, [&] {
    return embedder.embed(std::span<const Graph* const>(pointers), {.threads = threads, .progress = &progress});
  });
}

SparseBlockRows embed_dataset(const Embedder& embedder, const Dataset& dataset, std::size_t threads,
                              const py::object& report) {
  PythonProgress progress(report);
  return without_lock(progress, [&] { return embedder.embed(dataset, {.threads = threads, .progress = &progress}); });
}

py::array_t<double> dense(const SparseBlockRows& rows) {
  py::array_t<double> Z({rows.rows(), rows.columns()});
  double* values = Z.mutable_data();
  const py::gil_scoped_release unlocked;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    rows.copy_row(i, {values + i * rows.columns(), rows.columns()});
  }
  return Z;
}

template <typename Index>
py::tuple compressed_by(const SparseBlockRows& rows) {
  // Memory of NumPy, which nobody fills before it is written.
  py::array_t<double> data(static_cast<py::ssize_t>(rows.stored_values()));
  py::array_t<Index> indices(static_cast<py::ssize_t>(rows.stored_values()));
  py::array_t<Index> offsets(static_cast<py::ssize_t>(rows.rows() + 1));
  double* value = data.mutable_data();
  Index* column = indices.mutable_data();
  Index* offset = offsets.mutable_data();
  const Index* const first = column;
  {
    const py::gil_scoped_release unlocked;
    *offset++ = 0;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const BlockRow& row = rows.row(i);
      value = std::copy(row.values.begin(), row.values.end(), value);
      for (const Segment& segment : row.segments) {
        std::iota(column, column + segment.length, static_cast<Index>(segment.column));
        column += segment.length;
      }
      *offset++ = static_cast<Index>(column - first);
    }
  }
  return py::make_tuple(data, indices, offsets);
}

// data, indices and offsets of compressed sparse rows.  Stored zeros stay: a row has the same columns on every machine.
// SciPy wants short indices where they are enough, and would copy longer ones.
py::tuple compressed(const SparseBlockRows& rows) {
  constexpr std::size_t kShort = std::numeric_limits<std::int32_t>::max();
  const bool is_short = rows.stored_values() <= kShort && rows.columns() <= kShort;
  return is_short ? compressed_by<std::int32_t>(rows) : compressed_by<std::int64_t>(rows);
}

}  // namespace

void bind_embeddings(py::module_& module) {
  py::class_<NamedTransform>(module, "Transform", "A transform with all its constants.")
      .def(py::init(&make_named_transform))
      .def_readonly("built_in", &NamedTransform::built_in)
      .def_property_readonly("family", [](const NamedTransform& transform) { return transform.spec.family; })
      .def_property_readonly("fields", [](const NamedTransform& transform) { return transform_fields(transform.spec); })
      .def_property_readonly("regularisation", [](const NamedTransform& transform) {
        return usual_regularisation(transform.spec, SessionOptions{}.regularisation);
      });
  py::class_<SparseBlockRows>(module, "Rows", "Embeddings, one row per graph.")
      .def("__len__", &SparseBlockRows::rows)
      .def_property_readonly("columns", &SparseBlockRows::columns)
      .def("dense", &dense)
      .def("compressed", &compressed);
  py::class_<Embedder, std::shared_ptr<Embedder>>(module, "CoreEmbedder", "From graphs to rows.")
      .def_property_readonly("width", &Embedder::width)
      .def("describe", &Embedder::describe)
      .def_property_readonly("features",
                             [](const Embedder& embedder) { return embedder.blocks().front().features.describe(); })
      .def("embed_graphs", &embed_graphs)
      .def("embed_dataset", &embed_dataset);
  module.def("make_embedder", [](const NamedTransform& transform, const py::object& features, const Dataset& dataset,
                                 const py::object& fit) {
    const SharedEmbedder made = value_or_raise(
        make_embedder(features_or_usual(features, transform, dataset), transform.spec, dataset, fit_source(fit)));
    return std::const_pointer_cast<Embedder>(made);
  });
  module.def("restore_embedder", [](const NamedTransform& transform, const std::string& features) {
    FeatureMap map = value_or_raise(FeatureMap::parse(features));
    return std::const_pointer_cast<Embedder>(value_or_raise(make_embedder(std::move(map), transform.spec)));
  });
  module.def("recipe_list", [] {
    std::vector<std::string> names;
    for (const std::string_view text : recipe_list()) names.emplace_back(text);
    return names;
  });
  module.def("transform_families", [] {
    std::vector<std::string> names;
    for (const std::string_view text : transform_families()) names.emplace_back(text);
    return names;
  });
}

}  // namespace unscatter::python
