#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <system_error>

#include "base/files.h"
#include "base/utc_time.h"
#include "graph/readers/entry_points.h"
#include "graph/readers/jsonl_line.h"
#include "unscatter/graph/read.h"

namespace unscatter::readers {
namespace {

void append_integer(std::string& out, std::int64_t value) { fmt::format_to(std::back_inserter(out), "{}", value); }

// The shortest text that reads back as the same double.
void append_real(std::string& out, double value) {
  if (value == 0 && std::signbit(value)) {
    out += "-0.0";  // "-0" would be read back as the integer 0
    return;
  }
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  static_cast<void>(error);  // 32 bytes hold every double
  out.append(text, end);
}

// Throws the exception of nlohmann::json if the text is not UTF-8. write_jsonl() catches it.
void append_string(std::string& out, const std::string& text) { out += nlohmann::json(text).dump(); }

// A label that is the usual spelling of an integer is written as an integer.  "007" is not, since it would come back as
// "7".
void append_label(std::string& out, const std::string& label) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), number);
  if (error == std::errc() && end == label.data() + label.size() && std::to_string(number) == label) {
    out += label;
  } else {
    append_string(out, label);
  }
}

// Writes "[a,b,c]", with append(i) for each i below count.
template <typename Append>
void append_list(std::string& out, std::size_t count, Append append) {
  out += '[';
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) out += ',';
    append(i);
  }
  out += ']';
}

void append_edges(std::string& out, const Graph& graph) {
  out += ",\"edges\":[";
  bool first = true;
  for (std::size_t to = 0; to < graph.node_count(); ++to) {
    for (std::size_t k = 0; k < graph.degree(to); ++k) {
      const NodeIndex from = graph.neighbours(to)[k];
      if (!graph.directed() && from > to) break;  // rows ascend, so each undirected edge is written once
      fmt::format_to(std::back_inserter(out), "{}[{},{}", first ? "" : ",", from, to);
      if (graph.has_weights()) {
        out += ',';
        append_real(out, graph.weights(to)[k]);
      }
      out += ']';
      first = false;
    }
  }
  out += ']';
}

void append_graph(std::string& out, const Graph& graph) {
  const std::size_t n = graph.node_count();
  const auto rows = [&](const char* key, auto row_of) {
    out += key;
    append_list(out, n, [&](std::size_t i) {
      const auto row = row_of(i);
      append_list(out, row.size(), [&](std::size_t k) { append_real(out, row[k]); });
    });
  };
  out += ",\"nodes\":";
  if (graph.has_node_ids()) {
    append_list(out, n, [&](std::size_t i) { append_string(out, graph.node_id(i)); });
  } else {
    append_integer(out, static_cast<std::int64_t>(n));
  }
  append_edges(out, graph);
  if (graph.directed()) out += ",\"directed\":true";
  if (graph.attribute_count() > 0) rows(",\"features\":", [&](std::size_t i) { return graph.attributes(i); });
  if (graph.has_positions()) rows(",\"positions\":", [&](std::size_t i) { return graph.position(i); });
  if (graph.has_labels()) {
    out += ",\"node_labels\":";
    append_list(out, n, [&](std::size_t i) { append_integer(out, graph.label(i)); });
  }
  // States are written only if something was removed.  Data without removals keeps the shorter form.
  bool all_present = true;
  for (std::size_t i = 0; i < n; ++i) all_present &= graph.state(i) == NodeState::kPresent;
  if (!all_present) {
    out += ",\"states\":";
    append_list(out, n, [&](std::size_t i) {
      fmt::format_to(std::back_inserter(out), "\"{}\"", node_state_name(graph.state(i)));
    });
  }
}

// Dates of the graph and of its living nodes.  Data without dates keeps the shorter form.
void append_due_dates(std::string& out, const Dataset& dataset, std::size_t g) {
  if (!dataset.due.graphs.empty() && dataset.due.graphs[g]) {
    fmt::format_to(std::back_inserter(out), ",\"expires\":\"{}\"", short_utc_text(*dataset.due.graphs[g]));
  }
  const Graph& graph = dataset.graphs[g];
  if (!graph.has_node_ids() || dataset.due.subjects.empty()) return;
  const auto date_of = [&](std::size_t i) {
    return graph.state(i) == NodeState::kTombstone ? dataset.due.subjects.end()
                                                   : dataset.due.subjects.find(graph.node_id(i));
  };
  bool any = false;
  for (std::size_t i = 0; i < graph.node_count(); ++i) any = any || date_of(i) != dataset.due.subjects.end();
  if (!any) return;
  out += ",\"node_expires\":";
  append_list(out, graph.node_count(), [&](std::size_t i) {
    const auto date = date_of(i);
    out += date == dataset.due.subjects.end() ? "null" : fmt::format("\"{}\"", short_utc_text(date->second));
  });
}

Status write(const Dataset& dataset, const std::filesystem::path& path, const WriteOptions& options) {
  // One line is in memory at a time, and the old file stays until the new one is complete.
  UNSCATTER_TRY(file, ReplacingFile::create(path, options.owner_only ? kOwnerMode : kUsualMode));
  std::string out;
  for (std::size_t g = 0; g < dataset.size(); ++g) {
    out.clear();
    const Graph& graph = dataset.graphs[g];
    try {
      out += '{';
      if (!dataset.graph_ids.empty()) {
        out += "\"id\":";
        append_string(out, dataset.graph_ids[g]);
        out += ',';
      }
      out += "\"label\":";
      append_label(out, dataset.class_names.at(dataset.labels.at(g)));
      append_graph(out, graph);
      append_due_dates(out, dataset, g);
      out += '}';
    } catch (const nlohmann::json::exception&) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("{}: graph {} has an id or label that is not UTF-8 text", path.string(), g)};
    }
    // The reader's limit (jsonl_line.h).  What is written must be readable again.
    if (!graph.has_node_ids() && graph.node_count() > kFreeNodes + out.size()) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("{}: graph {} has {} nodes and hardly an edge; its line would not be read "
                               "back",
                               path.string(), g, graph.node_count())};
    }
    out += '\n';
    UNSCATTER_CHECK_OK(file.write(out));
  }
  return file.commit();
}

}  // namespace
}  // namespace unscatter::readers

namespace unscatter {

Status write_jsonl(const Dataset& dataset, const std::filesystem::path& path, const WriteOptions& options) {
  if (dataset.graphs.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{}: a data set without graphs is not written", path.string())};
  }
  return readers::without_exceptions(path.string(), [&] { return readers::write(dataset, path, options); });
}

}  // namespace unscatter
