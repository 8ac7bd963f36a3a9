#include <map>

#include "arrays.h"
#include "unscatter/graph/generate.h"
#include "unscatter/graph/read.h"
#include "unscatter/graph/split.h"

namespace unscatter::python {
namespace {

std::size_t place_in(std::size_t size, py::ssize_t index, const char* what) {
  const auto count = static_cast<py::ssize_t>(size);
  if (index < 0) index += count;
  if (index < 0 || index >= count) throw py::index_error(std::string("there is no such ") + what);
  return static_cast<std::size_t>(index);
}

void bind_collection(py::module_& module) {
  py::class_<Dataset, SharedDataset>(module, "Dataset", "A labelled collection of graphs.")
      .def_readonly("name", &Dataset::name)
      .def_readonly("class_names", &Dataset::class_names)
      .def_readonly("graph_ids", &Dataset::graph_ids)
      .def_readonly("numbers", &Dataset::numbers)
      .def_readonly("dropped_self_loops", &Dataset::dropped_self_loops)
      .def_readonly("dropped_duplicate_edges", &Dataset::dropped_duplicate_edges)
      .def("__len__", &Dataset::size)
      .def("graph",
           [](const SharedDataset& dataset, py::ssize_t index) {
             return SharedGraph(dataset, &dataset->graphs[place_in(dataset->size(), index, "graph")]);
           })
      .def("label",
           [](const Dataset& dataset, py::ssize_t index) {
             return dataset.class_names[dataset.labels[place_in(dataset.size(), index, "graph")]];
           })
      .def_property_readonly("labels",
                             [](const py::object& self) {
                               const std::span<const std::uint32_t> labels = self.cast<const Dataset&>().labels;
                               return view(labels, {static_cast<py::ssize_t>(labels.size())}, self);
                             })
      .def("subset",
           [](const Dataset& dataset, const std::vector<std::size_t>& chosen) {
             for (const std::size_t i : chosen) {
               if (i >= dataset.size()) throw py::index_error("there is no graph " + std::to_string(i));
             }
             return std::make_shared<Dataset>(subset(dataset, chosen));
           })
      .def("with_classes",
           [](const Dataset& dataset, std::vector<std::string> names) {
             auto stated = std::make_shared<Dataset>(dataset);
             value_or_raise(state_classes(*stated, std::move(names)));
             return stated;
           })
      .def("with_due_dates",
           [](const Dataset& dataset, std::vector<std::optional<std::int64_t>> graphs,
              std::map<std::string, std::int64_t> subjects) {
             auto dated = std::make_shared<Dataset>(dataset);
             if (!graphs.empty() && graphs.size() != dataset.size()) {
               refuse(std::to_string(graphs.size()) + " due dates for " + std::to_string(dataset.size()) + " graphs");
             }
             dated->due = {std::move(graphs), std::move(subjects)};
             return dated;
           })
      .def_property_readonly(
          "due_dates", [](const Dataset& dataset) { return py::make_tuple(dataset.due.graphs, dataset.due.subjects); })
      .def("classes_that_occur", &classes_that_occur)
      .def("digest", [](const Dataset& dataset) { return content_digest(dataset).hex(); })
      .def("write_jsonl",
           [](const Dataset& dataset, const std::filesystem::path& path) {
             without_lock([&] { return write_jsonl(dataset, path); });
           })
      .def("summary", [](const Dataset& dataset) {
        const DatasetSummary found = summarise(dataset);
        py::dict counts;
        counts["graphs"] = found.graphs;
        counts["class_counts"] = found.class_counts;
        counts["nodes"] = found.nodes;
        counts["min_nodes"] = found.min_nodes;
        counts["max_nodes"] = found.max_nodes;
        counts["edges"] = found.edges;
        counts["directed"] = found.directed;
        counts["max_degree"] = found.max_degree;
        counts["isolated_nodes"] = found.isolated_nodes;
        counts["distinct_node_labels"] = found.distinct_node_labels;
        counts["attributes"] = found.attributes;
        counts["has_positions"] = found.has_positions;
        counts["distinct_node_ids"] = found.distinct_node_ids;
        return counts;
      });
}

SharedDataset make_dataset(std::string name, const std::vector<SharedGraph>& graphs,
                           const std::vector<std::string>& labels, std::vector<std::string> ids) {
  if (labels.size() != graphs.size()) {
    refuse(std::to_string(labels.size()) + " labels for " + std::to_string(graphs.size()) + " graphs");
  }
  if (!ids.empty() && ids.size() != graphs.size()) {
    refuse(std::to_string(ids.size()) + " ids for " + std::to_string(graphs.size()) + " graphs");
  }
  auto dataset = std::make_shared<Dataset>();
  const py::gil_scoped_release unlocked;
  dataset->name = std::move(name);
  dataset->graphs.reserve(graphs.size());
  for (const SharedGraph& graph : graphs) dataset->graphs.push_back(*graph);
  ClassIndex classes = index_classes(labels);
  dataset->class_names = std::move(classes.class_names);
  dataset->labels = std::move(classes.labels);
  dataset->graph_ids = std::move(ids);
  return dataset;
}

SharedDataset rows_dataset(std::string name, const Doubles& rows, const std::vector<std::string>& labels,
                           const std::vector<std::string>& ids, const std::vector<std::string>& subjects) {
  if (rows.ndim() != 2) refuse("rows are no matrix");
  RowTable table;
  table.values = {rows.data(), static_cast<std::size_t>(rows.size())};
  table.columns = static_cast<std::size_t>(rows.shape(1));
  table.labels = labels;
  table.row_ids = ids;
  table.subjects = subjects;
  return without_lock([&]() -> Result<SharedDataset> {
    UNSCATTER_TRY(dataset, dataset_from_rows(std::move(name), table));
    return std::make_shared<Dataset>(std::move(dataset));
  });
}

}  // namespace

void bind_datasets(py::module_& module) {
  bind_collection(module);
  module.def("make_dataset", &make_dataset);
  module.def("rows_dataset", &rows_dataset);
  module.def("find_dataset", [](const std::string& name) { return value_or_raise(find_dataset(name)); });
  module.def("read_dataset", [](const std::filesystem::path& path, bool symmetrise, std::size_t threads,
                                const py::object& report) {
    PythonProgress progress(report);
    const ReadOptions options{.limits = {}, .symmetrise = symmetrise, .threads = threads, .progress = &progress};
    return without_lock(progress, [&]() -> Result<SharedDataset> {
      UNSCATTER_TRY(dataset, read_dataset(path, options));
      return std::make_shared<Dataset>(std::move(dataset));
    });
  });
  module.def("random_split", [](std::size_t count, std::optional<double> train, std::optional<double> validation,
                                std::optional<double> test, std::uint64_t seed) {
    SplitShares shares;
    if (train) shares.train = *train;
    if (validation) shares.validation = *validation;
    if (test) shares.test = *test;
    Split split = value_or_raise(random_split(count, shares, seed));
    return py::make_tuple(std::move(split.train), std::move(split.validation), std::move(split.test));
  });
  module.def("interest_groups", [](std::optional<std::size_t> groups, std::optional<std::size_t> users,
                                   std::optional<double> noise, std::optional<std::uint64_t> seed) {
    InterestGroupOptions options;
    if (groups) options.groups = *groups;
    if (users) options.users = *users;
    if (noise) options.noise = *noise;
    if (seed) options.seed = *seed;
    return std::make_shared<Dataset>(value_or_raise(generate_interest_groups(options)));
  });
}

}  // namespace unscatter::python
