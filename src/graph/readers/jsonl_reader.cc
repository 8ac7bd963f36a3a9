// What a hostile file could do: claim many nodes in few bytes (jsonl_line.h), repeat ids, or never end.  Limits count
// over all lines.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "graph/readers/entry_points.h"
#include "graph/readers/graph_builder.h"
#include "graph/readers/jsonl_line.h"
#include "graph/readers/text_scanner.h"
#include "unscatter/graph/read.h"

namespace unscatter::readers {
namespace {

class JsonlReader {
 public:
  JsonlReader(TextScanner& scanner, const ReadOptions& options) : scanner_(scanner), options_(options) {}

  Result<Dataset> read(std::string name) {
    dataset_.name = std::move(name);
    std::string_view line;
    while (scanner_.next_line(line)) {
      // A graph is built as soon as its line is parsed.  So memory holds one parsed line, not the parsed file.
      Result<JsonlGraph> parsed = parse_jsonl_line(line);
      // The parser knows the byte in the line.  The scanner adds file and line.
      if (!parsed.ok()) return scanner_.error(parsed.error().message, parsed.error().code);
      UNSCATTER_CHECK_OK(add(std::move(parsed).value()));
    }
    UNSCATTER_CHECK_OK(scanner_.status());
    if (dataset_.graphs.empty()) return scanner_.file_error("the file is empty");
    ClassIndex classes = index_classes(raw_labels_);
    dataset_.class_names = std::move(classes.class_names);
    dataset_.labels = std::move(classes.labels);
    return std::move(dataset_);
  }

 private:
  Status add(JsonlGraph parsed) {
    const ReadLimits& limits = options_.limits;
    if (dataset_.size() == limits.max_graphs) return over_limit("graphs", limits.max_graphs);
    // Written as a difference, which cannot overflow: nodes_ never exceeds the limit.
    if (parsed.parts.node_count > limits.max_nodes - nodes_) return over_limit("nodes", limits.max_nodes);
    if (parsed.parts.edges.size() > limits.max_edges - edges_) return over_limit("edges", limits.max_edges);
    nodes_ += parsed.parts.node_count;
    edges_ += parsed.parts.edges.size();

    // A data set whose graphs have ids only in part could not be asked for a graph by its id.
    if (!dataset_.graphs.empty() && parsed.id.has_value() != !dataset_.graph_ids.empty()) {
      return scanner_.error(kIdsForAllOrNone);
    }
    if (parsed.id) {
      // A removal that names a graph by its id must find exactly one.
      if (!seen_ids_.insert(*parsed.id).second)
        return scanner_.error(fmt::format("id {} occurs twice", excerpt(*parsed.id)));
      dataset_.graph_ids.push_back(*std::move(parsed.id));
    }
    if (!parsed.label) return scanner_.error(kLabelMissing);
    raw_labels_.push_back(*std::move(parsed.label));
    add_due_dates(parsed);

    Dropped dropped;
    Result<Graph> graph = build_graph(std::move(parsed.parts), dropped);
    if (!graph.ok()) return scanner_.error(graph.error().message, graph.error().code);
    dataset_.graphs.push_back(options_.symmetrise ? symmetrised(*graph) : std::move(graph).value());
    dataset_.dropped_self_loops += dropped.self_loops;
    dataset_.dropped_duplicate_edges += dropped.duplicate_edges;
    return ok_status();
  }

  void add_due_dates(const JsonlGraph& parsed) {
    dataset_.due.add_graph(dataset_.size(), parsed.expires);
    for (std::size_t i = 0; i < parsed.node_expires.size(); ++i) {
      const bool removed = !parsed.parts.states.empty() && parsed.parts.states[i] == NodeState::kTombstone;
      if (parsed.node_expires[i] && !removed)
        dataset_.due.add_subject(parsed.parts.node_ids[i], *parsed.node_expires[i]);
    }
  }

  [[nodiscard]] Error over_limit(const char* what, std::uint64_t limit) const {
    return scanner_.error(fmt::format("more than the {} {} that the limits allow", limit, what),
                          ErrorCode::kLimitExceeded);
  }

  TextScanner& scanner_;
  const ReadOptions& options_;
  Dataset dataset_;
  std::vector<std::string> raw_labels_;
  std::unordered_set<std::string> seen_ids_;
  std::uint64_t nodes_ = 0;
  std::uint64_t edges_ = 0;
};

}  // namespace

Result<Dataset> read_jsonl(const Input& input, const ReadOptions& options) {
  return without_exceptions(input.name, [&]() -> Result<Dataset> {
    ByteBudget budget(options.limits.max_bytes);
    UNSCATTER_TRY(source, open_plain(input, budget));
    if (options.progress != nullptr) options.progress->begin("reading " + input.stem(), source->claimed_size());
    TextScanner scanner(std::move(source), options.progress);
    Result<Dataset> dataset = JsonlReader(scanner, options).read(input.stem());
    if (options.progress != nullptr) options.progress->end();
    return dataset;
  });
}

}  // namespace unscatter::readers

namespace unscatter {

Result<Dataset> read_jsonl(const std::filesystem::path& path, const ReadOptions& options) {
  return readers::read_jsonl(readers::Input::file(path), options);
}

}  // namespace unscatter
