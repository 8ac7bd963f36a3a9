#include <cstdint>

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

// data, indices and offsets of compressed sparse rows.  Stored zeros stay: a row has the same columns on every machine.
py::tuple compressed(const SparseBlockRows& rows) {
  std::vector<double> data;
  std::vector<std::int64_t> indices;
  std::vector<std::int64_t> offsets{0};
  {
    const py::gil_scoped_release unlocked;
    data.reserve(rows.stored_values());
    indices.reserve(rows.stored_values());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const BlockRow& row = rows.row(i);
      data.insert(data.end(), row.values.begin(), row.values.end());
      for (const Segment& segment : row.segments) {
        for (std::uint32_t k = 0; k < segment.length; ++k) indices.push_back(segment.column + k);
      }
      offsets.push_back(static_cast<std::int64_t>(data.size()));
    }
  }
  return py::make_tuple(owned(std::move(data)), owned(std::move(indices)), owned(std::move(offsets)));
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
