#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "commands.h"
#include "files.h"
#include "graph_picture.h"
#include "key_options.h"
#include "locations.h"
#include "request_options.h"
#include "unscatter/graph/read.h"
#include "workspace_options.h"

namespace unscatter::cli {
namespace {

struct GraphsArguments {
  WorkspaceArguments workspace;
  std::string data;
  std::string class_name;
  std::string subject;
  std::string id;
  std::size_t limit = 50;
  std::size_t offset = 0;
  std::string graph;
  bool dot = false;
  bool svg = false;
  std::string out;
  bool force = false;
};

// Graphs of a workspace or of a data set, one at a time: a workspace can be larger than memory should be.
class GraphSource {
 public:
  // From a data set.
  explicit GraphSource(Dataset dataset)
      : slots_(dataset.size()), class_names_(dataset.class_names), dataset_(std::move(dataset)) {}
  explicit GraphSource(Workspace workspace)
      : slots_(workspace.info().slots), class_names_(workspace.info().class_names), workspace_(std::move(workspace)) {}

  [[nodiscard]] std::size_t slots() const { return slots_; }
  [[nodiscard]] const std::string& class_name(const SlotSnapshot& slot) const { return class_names_.at(slot.label); }
  [[nodiscard]] Result<SlotSnapshot> slot(std::size_t slot) const {
    if (workspace_) return workspace_->slot(slot);
    SlotSnapshot found;
    found.number = slot;
    found.graph = dataset_->graphs[slot];
    found.label = dataset_->labels[slot];
    if (!dataset_->graph_ids.empty()) found.graph_id = dataset_->graph_ids[slot];
    found.node_count_at_creation = static_cast<std::uint32_t>(found.graph->node_count());
    return found;
  }

 private:
  std::size_t slots_;
  std::vector<std::string> class_names_;
  std::optional<Dataset> dataset_;
  std::optional<Workspace> workspace_;
};

Result<GraphSource> open_source(const GraphsArguments& arguments, Context& context) {
  if (!arguments.data.empty()) {
    UNSCATTER_TRY(catalogue, load_catalogue());
    UNSCATTER_TRY(path, resolve_dataset(arguments.data, catalogue));
    UNSCATTER_TRY(dataset,
                  read_dataset(path, {.threads = arguments.workspace.threads, .progress = &context.progress()}));
    return GraphSource(std::move(dataset));
  }
  UNSCATTER_TRY(workspace, arguments.workspace.open_to_read(context, KeyArguments::usual_record()));
  return GraphSource(std::move(workspace));
}

// An id may hold anything.  A line end in it must not make a line of the table.
std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', '?');
  return text;
}

// Did a removal take a node or features?  An edge that is gone leaves no trace.
bool is_edited(const SlotSnapshot& slot) {
  const Graph& graph = *slot.graph;
  if (graph.node_count() != slot.node_count_at_creation) return true;
  for (std::size_t i = 0; i < graph.node_count(); ++i) {
    if (graph.state(i) != NodeState::kPresent) return true;
  }
  return false;
}

std::vector<std::string> flags_of(const SlotSnapshot& slot) {
  const Graph& graph = *slot.graph;
  std::vector<std::string> flags;
  const auto add = [&flags](bool holds, std::string flag) {
    if (holds) flags.push_back(std::move(flag));
  };
  add(graph.directed(), "directed");
  add(graph.has_weights(), "weights");
  add(is_edited(slot), "edited");
  add(graph.has_node_ids(), "ids");
  add(graph.has_labels(), "labels");
  add(graph.attribute_count() > 0, fmt::format("{} attributes", graph.attribute_count()));
  add(graph.has_positions(), "positions");
  return flags;
}

bool has_subject(const Graph& graph, const std::string& id) {
  for (std::size_t i = 0; graph.has_node_ids() && i < graph.node_count(); ++i) {
    if (graph.node_id(i) == id && graph.state(i) != NodeState::kTombstone) return true;
  }
  return false;
}

// A beginning, or a pattern with * and ?.
bool id_fits(const std::string& pattern, const std::string& id) {
  if (pattern.find_first_of("*?[") == std::string::npos) return id.starts_with(pattern);
  return ::fnmatch(pattern.c_str(), id.c_str(), 0) == 0;
}

bool is_wanted(const GraphsArguments& arguments, const GraphSource& source, const SlotSnapshot& slot) {
  if (!arguments.class_name.empty() && source.class_name(slot) != arguments.class_name) return false;
  if (!arguments.id.empty() && !id_fits(arguments.id, slot.graph_id)) return false;
  return arguments.subject.empty() || has_subject(*slot.graph, arguments.subject);
}

std::string count_words(const SlotSnapshot& slot) {
  const std::size_t living = slot.graph->living_node_count();
  if (living == slot.node_count_at_creation) return grouped(living);
  return fmt::format("{} of {}", grouped(living), grouped(slot.node_count_at_creation));
}

Json graph_json(const SlotSnapshot& slot, const std::string& class_name) {
  return {{"number", slot.number},
          {"id", slot.graph_id.empty() ? Json(nullptr) : Json(slot.graph_id)},
          {"class", class_name},
          {"nodes", slot.graph->living_node_count()},
          {"nodes_at_creation", slot.node_count_at_creation},
          {"edges", slot.graph->edge_count()},
          {"flags", flags_of(slot)}};
}

Result<Report> list_graphs(const GraphsArguments& arguments, const GraphSource& source) {
  Table table({{"number", Table::Align::kRight},
               {"id"},
               {"class"},
               {"nodes", Table::Align::kRight},
               {"edges", Table::Align::kRight},
               {"has"}});
  Json graphs = Json::array();
  std::size_t left = 0;
  std::size_t found = 0;
  for (std::size_t i = 0; i < source.slots(); ++i) {
    UNSCATTER_TRY(slot, source.slot(i));
    if (!slot.graph) continue;
    ++left;
    if (!is_wanted(arguments, source, slot)) continue;
    const std::size_t place = found++;
    if (place < arguments.offset || (arguments.limit > 0 && place - arguments.offset >= arguments.limit)) continue;
    graphs.push_back(graph_json(slot, source.class_name(slot)));
    table.add_row({std::to_string(slot.number), one_line(slot.graph_id), one_line(source.class_name(slot)),
                   count_words(slot), grouped(slot.graph->edge_count()),
                   fmt::format("{}", fmt::join(flags_of(slot), ", "))});
  }
  const std::size_t shown = graphs.size();
  Report report;
  report.json = {{"graphs", std::move(graphs)}, {"found", found}, {"left", left}, {"offset", arguments.offset}};
  if (shown > 0) report.text = table.str();
  report.text += fmt::format("{} of {}", grouped(found), counted(left, "graph", "graphs"));
  if (shown < found) {
    report.text += shown == 0 ? std::string("; --offset is beyond them")
                              : fmt::format("; shown are {} to {} (--offset, --limit)", grouped(arguments.offset + 1),
                                            grouped(arguments.offset + shown));
  }
  report.text += "\n";
  return report;
}

Result<SlotSnapshot> find_slot(const std::string& text, const GraphSource& source) {
  UNSCATTER_TRY(key, parse_key(text));
  for (std::size_t i = 0; i < source.slots(); ++i) {
    UNSCATTER_TRY(slot, source.slot(i));
    const auto* id = std::get_if<std::string>(&key);
    const bool same = id != nullptr ? slot.graph && slot.graph_id == *id : slot.number == std::get<std::size_t>(key);
    if (!same) continue;
    if (slot.graph) return slot;
    return Error{ErrorCode::kNotFound, fmt::format("graph {} was removed", slot.number)};
  }
  return Error{
      ErrorCode::kNotFound,
      fmt::format("there is no graph '{}'; without --graph, 'unscatter graphs' lists those that are there", text)};
}

std::string_view state_word(NodeState state) {
  switch (state) {
    case NodeState::kPresent: return "";
    case NodeState::kFeatureless: return "features removed";
    case NodeState::kTombstone: return "removed";
  }
  return "";
}

std::string numbers_words(std::span<const double> numbers) {
  std::string words;
  for (const double number : numbers) words += fmt::format("{}{:.6g}", words.empty() ? "" : " ", number);
  return words;
}

Json node_json(const SlotSnapshot& slot, std::size_t i) {
  const Graph& graph = *slot.graph;
  Json node = {{"number", slot.node_numbers.empty() ? i : slot.node_numbers[i]}};
  if (graph.has_node_ids()) node["id"] = graph.node_id(i);
  if (graph.state(i) != NodeState::kPresent) node["state"] = state_word(graph.state(i));
  if (graph.has_labels()) node["label"] = graph.label(i);
  if (graph.attribute_count() > 0) {
    node["attributes"] = std::vector<double>(graph.attributes(i).begin(), graph.attributes(i).end());
  }
  if (graph.has_positions()) node["position"] = {graph.position(i)[0], graph.position(i)[1]};
  return node;
}

std::string nodes_table(const SlotSnapshot& slot) {
  const Graph& graph = *slot.graph;
  Table table({{"node", Table::Align::kRight},
               {"id"},
               {"degree", Table::Align::kRight},
               {graph.has_labels() ? "label" : "", Table::Align::kRight},
               {graph.attribute_count() > 0 ? "attributes" : ""},
               {graph.has_positions() ? "position" : ""},
               {""}});
  for (std::size_t i = 0; i < graph.node_count(); ++i) {
    table.add_row({std::to_string(slot.node_numbers.empty() ? i : slot.node_numbers[i]),
                   graph.has_node_ids() ? one_line(graph.node_id(i)) : "", std::to_string(graph.degree(i)),
                   graph.has_labels() ? std::to_string(graph.label(i)) : "", numbers_words(graph.attributes(i)),
                   graph.has_positions() ? numbers_words(graph.position(i)) : "",
                   std::string(state_word(graph.state(i)))});
  }
  return table.str();
}

// Edges in the names of nodes.  The one place where they are shown.
void add_edges(const SlotSnapshot& slot, Report& report) {
  const Graph& graph = *slot.graph;
  Json edges = Json::array();
  const auto number = [&](std::size_t i) { return slot.node_numbers.empty() ? i : slot.node_numbers[i]; };
  for (std::size_t to = 0; to < graph.node_count(); ++to) {
    for (std::size_t k = 0; k < graph.degree(to); ++k) {
      const NodeIndex from = graph.neighbours(to)[k];
      if (!graph.directed() && from > to) break;
      edges.push_back({number(from), number(to)});
      report.text += fmt::format("{} {} {}", one_line(node_name(graph, slot.node_numbers, from)),
                                 graph.directed() ? "->" : "--", one_line(node_name(graph, slot.node_numbers, to)));
      if (graph.has_weights()) {
        edges.back().push_back(graph.weights(to)[k]);
        report.text += fmt::format(", weight {}", graph.weights(to)[k]);
      }
      report.text += "\n";
    }
  }
  report.json["edges_list"] = std::move(edges);
}

Result<Report> show_graph(const GraphsArguments& arguments, const GraphSource& source) {
  UNSCATTER_TRY(slot, find_slot(arguments.graph, source));
  const std::string name =
      fmt::format("graph {}{}", slot.number, slot.graph_id.empty() ? "" : fmt::format(" ({})", slot.graph_id));
  Report report;
  report.json = graph_json(slot, source.class_name(slot));
  if (arguments.dot || arguments.svg) {
    const std::string picture =
        arguments.dot ? dot_text(*slot.graph, slot.node_numbers, name) : svg_text(*slot.graph, slot.node_numbers, name);
    if (arguments.out.empty()) {
      report.json[arguments.dot ? "dot" : "svg"] = picture;
      report.text = picture;
      return report;
    }
    // A picture of private data is as private as the data.
    UNSCATTER_CHECK_OK(replace_file(arguments.out, picture, 0600));
    report.json["out"] = arguments.out;
    report.text = fmt::format("{}: {}\n", arguments.out, name);
    return report;
  }
  Json nodes = Json::array();
  for (std::size_t i = 0; i < slot.graph->node_count(); ++i) nodes.push_back(node_json(slot, i));
  report.json["nodes_list"] = std::move(nodes);
  report.text = fmt::format("{}, class {}, {} nodes, {} edges{}\n\n", one_line(name), one_line(source.class_name(slot)),
                            count_words(slot), grouped(slot.graph->edge_count()),
                            flags_of(slot).empty() ? "" : fmt::format(": {}", fmt::join(flags_of(slot), ", ")));
  report.text += nodes_table(slot) + "\n";
  add_edges(slot, report);
  return report;
}

Status check_graphs_usage(const GraphsArguments& arguments) {
  const auto wrong = [](const char* sentence) { return Error{ErrorCode::kInvalidArgument, sentence}; };
  if (arguments.data.empty() == arguments.workspace.path.empty()) {
    return wrong("name what to look into: --workspace or --data, one of the two");
  }
  const bool picture = arguments.dot || arguments.svg;
  if (arguments.dot && arguments.svg) return wrong("--dot and --svg are two pictures; name one");
  if (picture && arguments.graph.empty()) return wrong("--dot and --svg draw one graph: --graph names it");
  if (!arguments.out.empty() && !picture) return wrong("--out takes a picture: --dot or --svg");
  const bool filters = !arguments.class_name.empty() || !arguments.subject.empty() || !arguments.id.empty();
  if (filters && !arguments.graph.empty()) return wrong("--graph names one graph; --class, --subject and --id search");
  if (!arguments.graph.empty()) UNSCATTER_CHECK_OK(parse_key(arguments.graph));
  return ok_status();
}

Result<Report> look_inside(const GraphsArguments& arguments, Context& context) {
  if (!arguments.out.empty()) UNSCATTER_CHECK_OK(check_free(arguments.out, arguments.force, "--force replaces it"));
  UNSCATTER_TRY(source, open_source(arguments, context));
  return arguments.graph.empty() ? list_graphs(arguments, source) : show_graph(arguments, source);
}

}  // namespace

void add_graphs_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("graphs", "Look inside: the graphs that are there, or one of them");
  const auto arguments = std::make_shared<GraphsArguments>();
  arguments->workspace.add_to(command, false);
  command.add_option("--data", arguments->data, "A data set in place of a workspace, or the name of one that is here");
  command.add_option("--class", arguments->class_name, "Only graphs of this class");
  command.add_option("--subject", arguments->subject, "Only graphs that have a node with this external id");
  command.add_option("--id", arguments->id, "Only graphs whose id begins so, or fits a pattern with * and ?");
  command.add_option("--limit", arguments->limit, "Show so many; 0 for all")->capture_default_str();
  command.add_option("--offset", arguments->offset, "Pass over so many first")->capture_default_str();
  command.add_option("--graph", arguments->graph, "One graph, by number or external id: its nodes and edges");
  command.add_flag("--dot", arguments->dot, "With --graph: as DOT, for Graphviz");
  command.add_flag("--svg", arguments->svg, "With --graph: as a picture");
  command.add_option("--out", arguments->out, "With --dot or --svg: a file in place of stdout");
  command.add_flag("--force", arguments->force, "Replace --out if it exists");
  command.footer(R"(
Examples:
  unscatter graphs --workspace w.unscatter
  unscatter graphs --workspace w.unscatter --subject user-00042
  unscatter graphs --workspace w.unscatter --class club --id 'group-00*' --limit 10
  unscatter graphs --workspace w.unscatter --graph group-0017
  unscatter graphs --workspace w.unscatter --graph 17 --svg --out graph.svg
  unscatter graphs --data groups.jsonl --graph 17 --dot | dot -Tpng -o graph.png

Numbers are those of the data set, also after removals: 'forget' takes the same ones.  What this shows is private.)");
  context.add_action(
      command, [arguments, &context] { return look_inside(*arguments, context); },
      [arguments] { return check_graphs_usage(*arguments); });
}

}  // namespace unscatter::cli
