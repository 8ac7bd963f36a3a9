#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "base/stopwatch.h"
#include "catalogue.h"
#include "commands.h"
#include "locations.h"
#include "unscatter/graph/dataset.h"
#include "unscatter/graph/read.h"

namespace unscatter::cli {
namespace {

struct Inspected {
  std::filesystem::path path;
  DataFormat format;
  Dataset dataset;
  DatasetSummary summary;
  std::string digest;
  double seconds;

  [[nodiscard]] double per_graph(std::size_t count) const { return ratio(count, summary.graphs); }
  // The entries of all rows: of in-degrees where a graph is directed, of degrees where it is not.  A data set may hold
  // both kinds.
  [[nodiscard]] double mean_degree() const {
    std::size_t entries = 0;
    for (const Graph& graph : dataset.graphs) entries += graph.entry_count();
    return ratio(entries, summary.nodes);
  }
  [[nodiscard]] std::size_t directed_graphs() const {
    return count_graphs([](const Graph& graph) { return graph.directed(); });
  }
  [[nodiscard]] std::size_t graphs_with_attributes() const {
    return count_graphs([](const Graph& graph) { return graph.attribute_count() > 0; });
  }
  [[nodiscard]] std::size_t graphs_with_labels() const {
    return count_graphs([](const Graph& graph) { return graph.has_labels(); });
  }
  [[nodiscard]] std::size_t weighted_graphs() const {
    return count_graphs([](const Graph& graph) { return graph.has_weights(); });
  }

 private:
  template <typename Condition>
  [[nodiscard]] std::size_t count_graphs(Condition condition) const {
    return static_cast<std::size_t>(std::count_if(dataset.graphs.begin(), dataset.graphs.end(), condition));
  }
  static double ratio(std::size_t count, std::size_t of) {
    return of == 0 ? 0 : static_cast<double>(count) / static_cast<double>(of);
  }
};

Json to_json(const Inspected& data) {
  const DatasetSummary& s = data.summary;
  Json classes = Json::array();
  for (std::size_t c = 0; c < s.class_counts.size(); ++c) {
    classes.push_back({{"name", data.dataset.class_names[c]}, {"graphs", s.class_counts[c]}});
  }
  return {{"name", data.dataset.name},
          {"path", data.path.string()},
          {"format", data_format_name(data.format)},
          {"graphs", s.graphs},
          {"classes", std::move(classes)},
          {"nodes", s.nodes},
          {"min_nodes", s.min_nodes},
          {"mean_nodes", data.per_graph(s.nodes)},
          {"max_nodes", s.max_nodes},
          {"isolated_nodes", s.isolated_nodes},
          {"edges", s.edges},
          {"mean_edges", data.per_graph(s.edges)},
          {"directed", s.directed},
          {"directed_graphs", data.directed_graphs()},
          {"weighted_graphs", data.weighted_graphs()},
          {"mean_degree", data.mean_degree()},
          {"max_degree", s.max_degree},
          {"distinct_node_labels", s.distinct_node_labels},
          {"graphs_with_node_labels", data.graphs_with_labels()},
          {"attributes", s.attributes},
          {"graphs_with_attributes", data.graphs_with_attributes()},
          {"has_positions", s.has_positions},
          {"distinct_node_ids", s.distinct_node_ids},
          {"has_graph_ids", !data.dataset.graph_ids.empty()},
          {"dropped_self_loops", data.dataset.dropped_self_loops},
          {"dropped_duplicate_edges", data.dataset.dropped_duplicate_edges},
          {"content_digest", data.digest},
          {"seconds", data.seconds}};
}

std::string count_or_none(std::size_t count, std::string_view what) {
  return count == 0 ? "none" : fmt::format("{} {}", grouped(count), what);
}

// What some graphs lack, no embedding can use for all: people should see it before they train.
std::string only_in(std::size_t graphs, std::size_t of) {
  return graphs == 0 || graphs == of ? "" : fmt::format(", in {} of {} graphs only", grouped(graphs), grouped(of));
}

std::string class_text(const Inspected& data) {
  std::string text = fmt::format("{} (", data.summary.class_counts.size());
  for (std::size_t c = 0; c < data.summary.class_counts.size(); ++c) {
    text +=
        fmt::format("{}{}: {}", c == 0 ? "" : ", ", data.dataset.class_names[c], grouped(data.summary.class_counts[c]));
  }
  return text + ')';
}

std::string to_text(const Inspected& data) {
  const DatasetSummary& s = data.summary;
  Table table({{""}, {""}});
  table.add_row({"data set", data.dataset.name});
  table.add_row({"file", fmt::format("{} ({})", data.path.string(), data_format_name(data.format))});
  table.add_row({"graphs", grouped(s.graphs)});
  table.add_row({"classes", class_text(data)});
  table.add_row({"nodes", fmt::format("{} ({:.2f} per graph, {} to {}; {} without edges)", grouped(s.nodes),
                                      data.per_graph(s.nodes), grouped(s.min_nodes), grouped(s.max_nodes),
                                      grouped(s.isolated_nodes))});
  const std::size_t directed = data.directed_graphs();
  const bool mixed = directed > 0 && directed < s.graphs;
  table.add_row({"edges", fmt::format("{} {} ({:.2f} per graph)", grouped(s.edges),
                                      mixed ? fmt::format("in {} directed and {} undirected graphs", grouped(directed),
                                                          grouped(s.graphs - directed))
                                            : std::string(s.directed ? "directed" : "undirected"),
                                      data.per_graph(s.edges))});
  table.add_row({s.directed && !mixed ? "in-degree" : "degree",
                 fmt::format("{:.2f} on average, at most {}{}", data.mean_degree(), grouped(s.max_degree),
                             mixed ? " (in-degree in directed graphs)" : "")});
  table.add_row(
      {"weights", data.weighted_graphs() == 0
                      ? std::string("none")
                      : fmt::format("in {} of {} graphs", grouped(data.weighted_graphs()), grouped(s.graphs))});
  table.add_row({"node labels",
                 count_or_none(s.distinct_node_labels, "distinct") + only_in(data.graphs_with_labels(), s.graphs)});
  table.add_row(
      {"attributes", count_or_none(s.attributes, "per node") + only_in(data.graphs_with_attributes(), s.graphs)});
  table.add_row({"positions", s.has_positions ? "yes" : "none"});
  table.add_row({"node ids", count_or_none(s.distinct_node_ids, "distinct")});
  table.add_row({"graph ids", data.dataset.graph_ids.empty() ? "none" : "yes"});
  table.add_row({"dropped", fmt::format("{} self-loops, {} duplicate edges", grouped(data.dataset.dropped_self_loops),
                                        grouped(data.dataset.dropped_duplicate_edges))});
  table.add_row({"content digest", data.digest});
  table.add_row({"read in", fmt::format("{:.2f} s", data.seconds)});
  return table.str();
}

Result<Report> inspect(const std::string& path_or_name, Context& context) {
  UNSCATTER_TRY(catalogue, load_catalogue());
  UNSCATTER_TRY(path, resolve_dataset(path_or_name, catalogue));
  UNSCATTER_TRY(format, detect_format(path));
  ReadOptions options;
  options.progress = &context.progress();
  const Stopwatch reading;
  UNSCATTER_TRY(dataset, read_dataset(path, options));
  const double seconds = reading.seconds();
  const DatasetSummary summary = summarise(dataset);
  const std::string digest = content_digest(dataset).hex();
  const Inspected data{std::move(path), format, std::move(dataset), summary, digest, seconds};
  return Report{to_json(data), to_text(data)};
}

}  // namespace

void add_info_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("info", "Read a data set and say what is in it");
  const auto source = std::make_shared<std::string>();
  command.add_option("PATH", *source, "A data set, or the name of one that is here")->required();
  command.footer(
      R"(PATH is a TU folder or zip, the GIN text form (plain or zipped), a superpixel .npz, or JSONL.  The content
digest depends on graphs, features, ids and labels alone: the same data in another format has the same digest.

Examples:
  unscatter datasets info groups.jsonl
  unscatter datasets info IMDB-BINARY
  unscatter datasets info COLLAB.zip --json | jq -r .content_digest)");
  context.add_action(command, [source, &context] { return inspect(*source, context); });
}

}  // namespace unscatter::cli
