// A labelled collection of graphs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"
#include "unscatter/graph/graph.h"

namespace unscatter {

// Seconds since 1970.  From then on the graph, or every node with that external id, must not be kept.
struct DueDates {
  std::vector<std::optional<std::int64_t>> graphs = {};  // empty, or one per graph, in their order
  std::map<std::string, std::int64_t> subjects = {};     // by external id of nodes

  // The next graph, before which there were `earlier` ones.  Until the first date nothing is stored.
  void add_graph(std::size_t earlier, std::optional<std::int64_t> date);
  // The earliest date counts: nobody is kept longer than any line says.
  void add_subject(const std::string& id, std::int64_t date);
  // Gives every one of so many graphs this date.  A graph that has an earlier one keeps it.
  void limit_graphs(std::size_t count, std::int64_t date);
  [[nodiscard]] bool empty() const { return graphs.empty() && subjects.empty(); }
};

// A due date as files and users write it: "2027-03-01", the beginning of that day in UTC, or "2027-03-01T12:00:00Z".
// Errors: kInvalidArgument, a sentence that quotes the text and says what is read.
[[nodiscard]] Result<std::int64_t> parse_due_date(std::string_view text);

// Graph i has the class labels[i], an index into class_names. class_names holds the label values as the file spells
// them, in ascending order: numbers by value, then text. graph_ids is empty or holds one distinct external id per
// graph.
//
// `numbers` is empty if graph i has the number i.  Otherwise it holds, in ascending order, the number that each graph
// had in the data set of which this one is a part.  It is not part of the content.
//
// Due dates are not part of the content either.
struct Dataset {
  std::string name;
  std::vector<Graph> graphs;
  std::vector<std::uint32_t> labels;
  std::vector<std::string> class_names;
  std::vector<std::string> graph_ids;
  std::vector<std::size_t> numbers;
  DueDates due = {};

  // What a reader dropped while reading.
  std::size_t dropped_self_loops = 0;
  std::size_t dropped_duplicate_edges = 0;

  [[nodiscard]] std::size_t size() const noexcept { return graphs.size(); }
};

// Sorts the distinct values of `raw` into class names and maps each value to its index.  Numbers come first, by value.
struct ClassIndex {
  std::vector<std::string> class_names;
  std::vector<std::uint32_t> labels;
};
[[nodiscard]] ClassIndex index_classes(const std::vector<std::string>& raw);

// Makes `names` the classes of the data set, in that order.  Errors: kInvalidArgument for a name that occurs twice or a
// graph whose class is not among them.
[[nodiscard]] Status state_classes(Dataset& dataset, std::vector<std::string> names);

// The classes that some graph has, in the order of the list.
[[nodiscard]] std::vector<std::string> classes_that_occur(const Dataset& dataset);

// The chosen graphs, in that order, with their labels and ids.  All class names are kept, so that labels mean the same.
// The graphs are numbered anew.  Due dates are kept, also those of subjects that are in none of the chosen graphs.  An
// index that does not exist is a broken invariant.
[[nodiscard]] Dataset subset(const Dataset& dataset, std::span<const std::size_t> chosen);

// Rows of numbers that are no graphs: plain data, or the embeddings that a function outside of this library made.
// Nothing is owned.
struct RowTable {
  std::span<const double> values;              // row after row
  std::size_t columns = 0;                     // numbers per row
  std::span<const std::string> labels;         // the class of each row
  std::span<const std::string> row_ids = {};   // empty, or one distinct id per row: by it the row is removed
  std::span<const std::string> subjects = {};  // empty, or per row the id of the person whom it is about
};

// A data set in which row i is graph i: one node without edges, whose attributes are the row.  The id of the row is the
// id of the graph, and the subject is the external id of the node.  So every request, workspace and receipt works for
// rows as it does for graphs.  The transform "rows" gives the rows back as embeddings (transform_spec.h).
//
// Errors: kInvalidArgument for counts that differ, no row, no column, an id that is empty or an id of a row that occurs
// twice; kMalformedInput for a number that is not finite, naming row and column.
[[nodiscard]] Result<Dataset> dataset_from_rows(std::string name, const RowTable& table);

// Counts by which a person sees whether the right data was read.
struct DatasetSummary {
  std::size_t graphs = 0;
  std::vector<std::size_t> class_counts;
  std::size_t nodes = 0;
  std::size_t min_nodes = 0;
  std::size_t max_nodes = 0;
  std::size_t edges = 0;  // undirected edges count once, directed ones as they are
  bool directed = false;  // any graph is
  std::size_t max_degree = 0;
  std::size_t isolated_nodes = 0;
  std::size_t distinct_node_labels = 0;
  std::size_t attributes = 0;
  bool has_positions = false;
  std::size_t distinct_node_ids = 0;
};
[[nodiscard]] DatasetSummary summarise(const Dataset& dataset);

// How many graphs have a part.
struct FormCounts {
  std::size_t graphs = 0;
  std::size_t directed = 0;
  std::size_t weighted = 0;
  std::size_t labelled = 0;
  std::size_t positioned = 0;
  std::size_t with_attributes = 0;
  std::size_t attributes = 0;  // of the graph that has most

  // One more graph, and those that were counted elsewhere.
  void add(const Graph& graph);
  void add(const FormCounts& others);
  friend bool operator==(const FormCounts&, const FormCounts&) = default;
};
[[nodiscard]] FormCounts count_forms(const Dataset& dataset);

// A digest of the content (graphs, features, ids, labels by name).  It does not depend on the format of the file.
[[nodiscard]] Digest content_digest(const Dataset& dataset);
[[nodiscard]] Digest content_digest(const Graph& graph);

}  // namespace unscatter
