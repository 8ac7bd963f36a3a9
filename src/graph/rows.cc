// Rows of numbers as graphs of one node.
#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "unscatter/graph/dataset.h"

namespace unscatter {
namespace {

Error wrong_table(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

Status check_count(std::string_view what, std::size_t count, std::size_t rows) {
  if (count == rows) return ok_status();
  return wrong_table(fmt::format("{} {} for {} rows", count, what, rows));
}

// Two rows of one id could not be told apart by a request.
Status check_row_ids(std::span<const std::string> ids) {
  std::unordered_set<std::string_view> seen;
  seen.reserve(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i].empty()) return wrong_table(fmt::format("row {} has an empty id", i));
    if (!seen.insert(ids[i]).second) return wrong_table(fmt::format("the row id '{}' occurs twice", ids[i]));
  }
  return ok_status();
}

Result<std::size_t> check_table(const RowTable& table) {
  if (table.columns == 0) return wrong_table("rows without columns");
  if (table.values.size() % table.columns != 0) {
    return wrong_table(fmt::format("{} numbers are no rows of {} columns", table.values.size(), table.columns));
  }
  const std::size_t rows = table.values.size() / table.columns;
  if (rows == 0) return wrong_table("there is no row");
  UNSCATTER_CHECK_OK(check_count("labels", table.labels.size(), rows));
  if (!table.row_ids.empty()) UNSCATTER_CHECK_OK(check_count("row ids", table.row_ids.size(), rows));
  if (!table.subjects.empty()) UNSCATTER_CHECK_OK(check_count("subjects", table.subjects.size(), rows));
  UNSCATTER_CHECK_OK(check_row_ids(table.row_ids));
  return rows;
}

Result<Graph> graph_of(const RowTable& table, std::size_t row) {
  const std::span<const double> values = table.values.subspan(row * table.columns, table.columns);
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!std::isfinite(values[k])) {
      return Error{ErrorCode::kMalformedInput, fmt::format("row {}, column {}: {} is not finite", row, k, values[k])};
    }
  }
  if (!table.subjects.empty() && table.subjects[row].empty()) {
    return wrong_table(fmt::format("row {} has an empty subject", row));
  }
  GraphParts parts;
  parts.node_count = 1;
  parts.attribute_count = table.columns;
  parts.attributes.assign(values.begin(), values.end());
  if (!table.subjects.empty()) parts.node_ids = {table.subjects[row]};
  return Graph::create(std::move(parts));
}

}  // namespace

Result<Dataset> dataset_from_rows(std::string name, const RowTable& table) {
  UNSCATTER_TRY(rows, check_table(table));
  Dataset dataset;
  dataset.name = std::move(name);
  ClassIndex classes = index_classes({table.labels.begin(), table.labels.end()});
  dataset.class_names = std::move(classes.class_names);
  dataset.labels = std::move(classes.labels);
  dataset.graph_ids.assign(table.row_ids.begin(), table.row_ids.end());
  dataset.graphs.reserve(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    UNSCATTER_TRY(graph, graph_of(table, i));
    dataset.graphs.push_back(std::move(graph));
  }
  return dataset;
}

}  // namespace unscatter
