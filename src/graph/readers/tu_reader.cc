#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/readers/entry_points.h"
#include "graph/readers/graph_builder.h"
#include "graph/readers/text_scanner.h"
#include "graph/readers/tu_files.h"
#include "unscatter/graph/read.h"

namespace unscatter::readers {
namespace {

// Every file about nodes and graphs is read before the edges, so that the graph of an edge is known at once.
class TuReader {
 public:
  TuReader(const Input& input, const ReadOptions& options)
      : input_(input), options_(options), budget_(options.limits.max_bytes) {}

  Result<Dataset> read() {
    UNSCATTER_TRY(files, find_tu_files(input_));
    Dataset dataset;
    dataset.name = files.dataset_name;
    UNSCATTER_CHECK_OK(read_indicator(files.graph_indicator));
    UNSCATTER_CHECK_OK(read_graph_labels(files.graph_labels, dataset));
    if (files.node_labels) UNSCATTER_CHECK_OK(read_node_labels(*files.node_labels));
    if (files.node_attributes) UNSCATTER_CHECK_OK(read_node_attributes(*files.node_attributes));
    UNSCATTER_CHECK_OK(read_edges(files.edges));
    UNSCATTER_CHECK_OK(build_graphs(graph_count(), options_, dataset,
                                    [this](std::size_t g, Dropped& dropped) { return build(g, dropped); }));
    return dataset;
  }

 private:
  [[nodiscard]] std::size_t graph_count() const { return first_node_.size() - 1; }
  [[nodiscard]] std::size_t node_count() const { return graph_of_.size(); }

  // Calls body(scanner) on the text of `file`, as one stage of progress.
  template <typename Body>
  Status scan(const std::string& file, Body body) {
    UNSCATTER_TRY(source, open_tu_file(input_, file, budget_));
    if (options_.progress != nullptr) options_.progress->begin("reading " + file, source->claimed_size());
    TextScanner scanner(maybe_ahead(std::move(source), options_), options_.progress);
    Status status = body(scanner);
    if (options_.progress != nullptr) options_.progress->end();
    return status;
  }

  Status read_indicator(const std::string& file) {
    return scan(file, [this](TextScanner& scanner) -> Status {
      std::string_view line;
      std::int64_t graph = 0;
      while (scanner.next_line(line)) {
        UNSCATTER_TRY(number, only_integer(scanner, line, "graph number"));
        if (number < 1) return scanner.error(fmt::format("graph number {} is below 1", number));
        // Nodes of one graph are consecutive in this format. first_node_ relies on that.
        if (number < graph)
          return scanner.error(fmt::format("graph number {} after {}: they must not descend", number, graph));
        if (number > graph + 1) return scanner.error(fmt::format("graph {} has no nodes", graph + 1));
        if (number > graph) {
          if (graph_count() == options_.limits.max_graphs)
            return over_limit(scanner, "graphs", options_.limits.max_graphs);
          // Graphs are numbered without gaps, so a new number starts the next graph.
          first_node_.push_back(0);  // the end of this graph, set below
        }
        if (node_count() == options_.limits.max_nodes) return over_limit(scanner, "nodes", options_.limits.max_nodes);
        graph = number;
        graph_of_.push_back(static_cast<std::uint32_t>(graph - 1));
        first_node_.back() = node_count();
      }
      UNSCATTER_CHECK_OK(scanner.status());
      if (node_count() == 0) return scanner.file_error("the file is empty");
      return ok_status();
    });
  }

  Status read_graph_labels(const std::string& file, Dataset& dataset) {
    return scan(file, [&](TextScanner& scanner) -> Status {
      std::vector<std::string> raw;
      std::string_view line;
      while (scanner.next_line(line)) {
        if (raw.size() == graph_count()) return too_many(scanner, "graph labels", graph_count(), "graphs");
        UNSCATTER_TRY(label, only_integer(scanner, line, "graph label"));
        raw.push_back(std::to_string(label));
      }
      UNSCATTER_CHECK_OK(scanner.status());
      // Labels are matched with graphs by line number.  A line that is missing shifts all that follow.
      if (raw.size() < graph_count()) return too_few(scanner, raw.size(), "graph labels", graph_count(), "graphs");
      ClassIndex classes = index_classes(raw);
      dataset.class_names = std::move(classes.class_names);
      dataset.labels = std::move(classes.labels);
      return ok_status();
    });
  }

  Status read_node_labels(const std::string& file) {
    return scan(file, [this](TextScanner& scanner) -> Status {
      std::string_view line;
      while (scanner.next_line(line)) {
        if (node_labels_.size() == node_count()) return too_many(scanner, "node labels", node_count(), "nodes");
        UNSCATTER_TRY(label, only_integer(scanner, line, "node label"));
        node_labels_.push_back(label);
      }
      UNSCATTER_CHECK_OK(scanner.status());
      if (node_labels_.size() < node_count()) {
        return too_few(scanner, node_labels_.size(), "node labels", node_count(), "nodes");
      }
      return ok_status();
    });
  }

  Status read_node_attributes(const std::string& file) {
    return scan(file, [this](TextScanner& scanner) -> Status {
      std::string_view line;
      std::size_t rows = 0;
      for (; scanner.next_line(line); ++rows) {
        if (rows == node_count()) return too_many(scanner, "attribute rows", node_count(), "nodes");
        std::size_t columns = 0;
        for (Fields fields(line); !fields.done(); ++columns) {
          double value = 0;
          const std::string_view token = fields.token();
          if (!fields.next(value)) return scanner.error(fmt::format("attribute {} is not a number", excerpt(token)));
          // Graph refuses it too, but only here the line is known.
          if (!std::isfinite(value)) return scanner.error(fmt::format("attribute {} is not finite", excerpt(token)));
          attributes_.push_back(value);
        }
        if (rows == 0) attribute_count_ = columns;
        if (columns != attribute_count_) {
          return scanner.error(fmt::format("{} attributes where the rows before have {}", columns, attribute_count_));
        }
      }
      UNSCATTER_CHECK_OK(scanner.status());
      if (rows < node_count()) return too_few(scanner, rows, "attribute rows", node_count(), "nodes");
      return ok_status();
    });
  }

  Status read_edges(const std::string& file) {
    edges_.resize(graph_count());
    return scan(file, [this](TextScanner& scanner) -> Status {
      std::string_view line;
      std::uint64_t rows = 0;
      while (scanner.next_line(line)) {
        // Rows are counted, repeated ones included: each takes memory until its graph is built.
        if (rows++ == options_.limits.max_edges) return over_limit(scanner, "edges", options_.limits.max_edges);
        std::uint64_t i = 0;
        std::uint64_t j = 0;
        Fields fields(line);
        if (!fields.next(i) || !fields.next(j) || !fields.done()) return bad_edge(scanner, line);
        // Numbers start at 1 in the file.  They are unsigned, so a 0 becomes a very large number and is out of range.
        if (--i >= node_count() || --j >= node_count()) return bad_edge(scanner, line);
        const std::uint32_t graph = graph_of_[i];
        if (graph_of_[j] != graph) {
          return scanner.error(
              fmt::format("edge {}, {} joins graph {} and graph {}", i + 1, j + 1, graph + 1, graph_of_[j] + 1));
        }
        // Node numbers run over the whole data set in the file, and from 0 on inside a Graph.
        const std::size_t first = first_node_[graph];
        edges_[graph].push_back({static_cast<NodeIndex>(i - first), static_cast<NodeIndex>(j - first)});
      }
      return scanner.status();
    });
  }

  // Says what is wrong with a line that read_edges() refused.  It parses the line again, so that the usual case stays
  // fast.
  [[nodiscard]] Error bad_edge(const TextScanner& scanner, std::string_view line) const {
    Fields fields(line);
    for (int end = 0; end < 2; ++end) {
      std::int64_t node = 0;
      if (fields.done()) return scanner.error(fmt::format("{} is not an edge 'i, j'", excerpt(line)));
      const std::string_view token = fields.token();
      if (!fields.next(node)) return scanner.error(fmt::format("{} is not a node number", excerpt(token)));
      if (node < 1 || static_cast<std::uint64_t>(node) > node_count()) {
        return scanner.error(fmt::format("node {} is not among the nodes 1 to {}", node, node_count()));
      }
    }
    return scanner.error(fmt::format("an edge is followed by {}", excerpt(fields.token())));
  }

  [[nodiscard]] static Error over_limit(const TextScanner& scanner, const char* what, std::uint64_t limit) {
    return scanner.error(fmt::format("more than the {} {} that the limits allow", limit, what),
                         ErrorCode::kLimitExceeded);
  }
  [[nodiscard]] static Error too_many(const TextScanner& scanner, const char* what, std::size_t expected,
                                      const char* of) {
    return scanner.error(fmt::format("more {} than the {} {}", what, expected, of));
  }
  [[nodiscard]] static Error too_few(const TextScanner& scanner, std::size_t count, const char* what,
                                     std::size_t expected, const char* of) {
    return scanner.file_error(fmt::format("{} {} for {} {}", count, what, expected, of));
  }

  Result<Graph> build(std::size_t g, Dropped& dropped) {
    const auto first = static_cast<std::ptrdiff_t>(first_node_[g]);
    const auto last = static_cast<std::ptrdiff_t>(first_node_[g + 1]);
    GraphParts parts;
    parts.node_count = static_cast<std::size_t>(last - first);
    // Moved, so that edge lists are freed while graphs are built.
    parts.edges = std::move(edges_[g]);
    if (!node_labels_.empty()) parts.labels.assign(node_labels_.begin() + first, node_labels_.begin() + last);
    if (attribute_count_ > 0) {
      const auto width = static_cast<std::ptrdiff_t>(attribute_count_);
      parts.attribute_count = attribute_count_;
      parts.attributes.assign(attributes_.begin() + first * width, attributes_.begin() + last * width);
    }
    return build_graph(std::move(parts), dropped);
  }

  const Input& input_;
  const ReadOptions& options_;
  ByteBudget budget_;

  std::vector<std::uint32_t> graph_of_;     // of every node, 0-based
  std::vector<std::size_t> first_node_{0};  // of every graph, and one behind the last
  std::vector<std::int64_t> node_labels_;
  std::size_t attribute_count_ = 0;
  std::vector<double> attributes_;
  std::vector<std::vector<Edge>> edges_;  // of every graph, node numbers counted inside it
};

}  // namespace

Result<Dataset> read_tu(const Input& input, const ReadOptions& options) {
  return without_exceptions(input.name, [&] { return TuReader(input, options).read(); });
}

}  // namespace unscatter::readers

namespace unscatter {

Result<Dataset> read_tu(const std::filesystem::path& path, const ReadOptions& options) {
  return readers::read_tu(readers::Input::file(path), options);
}

}  // namespace unscatter
