#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "graph/readers/archive.h"
#include "graph/readers/entry_points.h"
#include "graph/readers/graph_builder.h"
#include "graph/readers/text_scanner.h"
#include "unscatter/graph/read.h"

namespace unscatter::readers {
namespace {

bool starts_like_zip(const Input& input) {
  ByteBudget budget(2);
  Result<std::unique_ptr<ByteSource>> source = open_plain(input, budget);
  char magic[2] = {};
  return source.ok() && (*source)->read(magic).ok() && magic[0] == 'P' && magic[1] == 'K';
}

// The GIN text form (docs/data-formats.md):
//
//   N                  number of graphs
//   n l                per graph: number of nodes, class
//   tag m v1 ... vm    per node: tag, number of neighbours, the neighbours counted from 0 inside the graph
//
// Counts in this format are claims.  Memory grows with the lines that follow them, and never with the counts.  One
// thread parses the text, because a line can only be found after the line before.  All threads then build the graphs.
class GinReader {
 public:
  GinReader(TextScanner& scanner, const ReadOptions& options) : scanner_(scanner), options_(options) {}

  Status scan() {
    std::string_view line;
    if (!scanner_.next_line(line)) return end_of_text("the file is empty");
    UNSCATTER_TRY(claimed, only_integer(scanner_, line, "number of graphs"));
    if (claimed < 1) return scanner_.error(fmt::format("number of graphs {} is below 1", claimed));
    const auto count = static_cast<std::uint64_t>(claimed);
    // The count is refused early, before a long file is read in vain.  Nothing is reserved for it.
    if (count > options_.limits.max_graphs) return over_limit("graphs", options_.limits.max_graphs);
    for (std::uint64_t g = 0; g < count; ++g) {
      if (!scanner_.next_line(line)) return end_of_text(fmt::format("ends after {} of {} graphs", g, count));
      UNSCATTER_CHECK_OK(scan_graph(line));
    }
    // Text behind the last graph means that the count is wrong, or that two files were joined.
    if (scanner_.next_line(line))
      return scanner_.error(fmt::format("{} after the last of {} graphs", excerpt(line), count));
    return scanner_.status();
  }

  Result<Dataset> build(std::string name) {
    Dataset dataset;
    dataset.name = std::move(name);
    ClassIndex classes = index_classes(raw_labels_);
    dataset.class_names = std::move(classes.class_names);
    dataset.labels = std::move(classes.labels);
    UNSCATTER_CHECK_OK(build_graphs(graphs_.size(), options_, dataset, [this](std::size_t g, Dropped& dropped) {
      GraphParts& parts = graphs_[g];
      // Data sets without node labels have the same tag everywhere.  It tells nothing and is dropped.
      if (!tags_differ_) std::vector<std::int64_t>().swap(parts.labels);
      return build_graph(std::move(parts), dropped);
    }));
    return dataset;
  }

 private:
  Status scan_graph(std::string_view line) {
    Fields fields(line);
    std::uint64_t n = 0;
    std::int64_t label = 0;
    std::string_view token = fields.token();
    if (!fields.next(n)) return scanner_.error(fmt::format("number of nodes {} is not a count", excerpt(token)));
    // An embedding of no nodes does not exist.
    if (n == 0) return scanner_.error("graph without nodes");
    // A difference, which cannot overflow: nodes_ never exceeds the limit.
    if (n > options_.limits.max_nodes - nodes_) return over_limit("nodes", options_.limits.max_nodes);
    if (fields.done()) return scanner_.error("the class label is missing");
    token = fields.token();
    if (!fields.next(label)) return scanner_.error(fmt::format("class label {} is not an integer", excerpt(token)));
    if (!fields.done()) return scanner_.error(fmt::format("'n l' is followed by {}", excerpt(fields.token())));
    raw_labels_.push_back(std::to_string(label));
    nodes_ += n;

    GraphParts& parts = graphs_.emplace_back();
    parts.node_count = n;
    for (std::uint64_t i = 0; i < n; ++i) {
      if (!scanner_.next_line(line)) {
        return end_of_text(fmt::format("ends after {} of {} nodes of graph {}", i, n, graphs_.size() - 1));
      }
      UNSCATTER_CHECK_OK(scan_node(line, static_cast<NodeIndex>(i), parts));
    }
    return ok_status();
  }

  Status scan_node(std::string_view line, NodeIndex i, GraphParts& parts) {
    Fields fields(line);
    std::int64_t tag = 0;
    std::uint64_t claimed = 0;
    std::string_view token = fields.token();
    if (!fields.next(tag)) return scanner_.error(fmt::format("node tag {} is not an integer", excerpt(token)));
    token = fields.token();
    if (!fields.next(claimed))
      return scanner_.error(fmt::format("number of neighbours {} is not a count", excerpt(token)));
    std::uint64_t seen = 0;
    // The neighbours are read to the end of the line.  Trusting the count would let a line claim more than it holds.
    for (; !fields.done(); ++seen) {
      std::uint64_t neighbour = 0;
      if (!fields.next(neighbour)) {
        return scanner_.error(fmt::format("neighbour {} is not a node number", excerpt(fields.token())));
      }
      // Checked here, where the line is known.  The builder uses it as an index without another look.
      if (neighbour >= parts.node_count) {
        return scanner_.error(fmt::format("neighbour {} in a graph of {} nodes", neighbour, parts.node_count));
      }
      if (edges_++ == options_.limits.max_edges) return over_limit("edges", options_.limits.max_edges);
      parts.edges.push_back({i, static_cast<NodeIndex>(neighbour)});
    }
    // The count repeats what the line shows.  If the two differ, the file is damaged or has attribute columns, which
    // are not read.
    if (seen != claimed) return scanner_.error(fmt::format("{} neighbours where {} are announced", seen, claimed));
    parts.labels.push_back(tag);
    if (!any_tag_) first_tag_ = tag;
    any_tag_ = true;
    tags_differ_ = tags_differ_ || tag != first_tag_;
    return ok_status();
  }

  // The error for a text that has ended: that of the source if there is one, otherwise that it ended too early.
  [[nodiscard]] Error end_of_text(const std::string& message) const {
    if (!scanner_.status().ok()) return scanner_.status().error();
    return scanner_.file_error(message);
  }
  [[nodiscard]] Error over_limit(const char* what, std::uint64_t limit) const {
    return scanner_.error(fmt::format("more than the {} {} that the limits allow", limit, what),
                          ErrorCode::kLimitExceeded);
  }

  TextScanner& scanner_;
  const ReadOptions& options_;
  std::vector<GraphParts> graphs_;
  std::vector<std::string> raw_labels_;
  std::uint64_t nodes_ = 0;
  std::uint64_t edges_ = 0;
  std::int64_t first_tag_ = 0;
  bool any_tag_ = false;
  bool tags_differ_ = false;
};

struct NamedSource {
  std::string dataset_name;
  std::unique_ptr<ByteSource> source;
};

Result<NamedSource> open_gin(const Input& input, ByteBudget& budget) {
  if (!starts_like_zip(input)) {
    UNSCATTER_TRY(source, open_plain(input, budget));
    return NamedSource{input.stem(), std::move(source)};
  }
  UNSCATTER_TRY(members, list_members(input));
  // With two members it would be a guess which one is the data set.
  if (members.size() != 1) {
    return Error{ErrorCode::kMalformedInput,
                 fmt::format("{}: {} members where a GIN archive has exactly one", input.name, members.size())};
  }
  UNSCATTER_TRY(source, open_member(input, members.front(), budget));
  return NamedSource{std::filesystem::path(members.front()).stem().string(), std::move(source)};
}

}  // namespace

Result<Dataset> read_gin(const Input& input, const ReadOptions& options) {
  return without_exceptions(input.name, [&]() -> Result<Dataset> {
    ByteBudget budget(options.limits.max_bytes);
    UNSCATTER_TRY(opened, open_gin(input, budget));
    if (options.progress != nullptr)
      options.progress->begin("reading " + opened.dataset_name, opened.source->claimed_size());
    TextScanner scanner(maybe_ahead(std::move(opened.source), options), options.progress);
    GinReader reader(scanner, options);
    const Status status = reader.scan();
    if (options.progress != nullptr) options.progress->end();
    UNSCATTER_CHECK_OK(status);
    return reader.build(std::move(opened.dataset_name));
  });
}

}  // namespace unscatter::readers

namespace unscatter {

Result<Dataset> read_gin(const std::filesystem::path& path, const ReadOptions& options) {
  return readers::read_gin(readers::Input::file(path), options);
}

}  // namespace unscatter
