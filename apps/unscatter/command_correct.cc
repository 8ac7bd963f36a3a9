#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "commands.h"
#include "output.h"
#include "unscatter/store/request_text.h"
#include "update.h"

namespace unscatter::cli {
namespace {

struct CorrectArguments {
  UpdateArguments update;
  std::string graph;
  std::string node;
  std::string attributes;
  std::string node_label;
  std::string add_edge;
  std::string drop_edge;
  std::string weight;
  std::string label;
  std::string requests;  // a file
};

Error wrong_correction_form(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

template <typename Number>
Result<Number> number_of_option(const char* option, std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return wrong_correction_form(
        fmt::format("{}: '{}' is not a {}number", option, printable(text), std::is_integral_v<Number> ? "whole " : ""));
  }
  return number;
}

Result<std::pair<NodeKey, NodeKey>> ends_of(const char* option, const std::string& text) {
  // With a comma inside of an id there are several ways to cut the text.  A guess could change the wrong edge.
  if (std::count(text.begin(), text.end(), ',') != 1) {
    return wrong_correction_form(fmt::format(
        "{} takes two nodes with one comma between, not '{}'; for ids with commas use --requests", option, text));
  }
  const std::size_t comma = text.find(',');
  UNSCATTER_TRY(from, parse_key(std::string_view(text).substr(0, comma)));
  UNSCATTER_TRY(to, parse_key(std::string_view(text).substr(comma + 1)));
  return std::pair{std::move(from), std::move(to)};
}

Result<std::vector<double>> values_of(const std::string& text) {
  std::vector<double> values;
  std::string_view rest = text;
  for (;;) {
    const std::size_t comma = rest.find(',');
    std::string_view one = rest.substr(0, comma);
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    UNSCATTER_TRY(value, number_of_option<double>("--attributes", one));
    values.push_back(value);
    if (comma == std::string_view::npos) return values;
    rest.remove_prefix(comma + 1);
  }
}

// Exactly one form.  Two of them together could be read as both or as one within the other.
Status check_correct_usage(const CorrectArguments& a) {
  const auto wrong = [](const char* sentence) { return wrong_correction_form(sentence); };
  const bool features = !a.node.empty() || !a.attributes.empty() || !a.node_label.empty();
  const int forms = static_cast<int>(features) + static_cast<int>(!a.add_edge.empty()) +
                    static_cast<int>(!a.drop_edge.empty()) + static_cast<int>(!a.label.empty());
  if (!a.requests.empty()) {
    if (forms > 0 || !a.graph.empty() || !a.weight.empty()) return wrong("--requests goes with no other correction");
    return ok_status();
  }
  if (a.graph.empty())
    return wrong("nothing to correct is named: --graph G and what is wrong in it, or --requests FILE");
  if (forms == 0) {
    return wrong(
        "what is wrong in the graph? --node with --attributes or --node-label, --add-edge, --drop-edge or "
        "--label");
  }
  if (forms > 1) return wrong("--node, --add-edge, --drop-edge and --label are several corrections; use --requests");
  if (features && a.node.empty()) return wrong("--attributes and --node-label need --node: which node is it?");
  if (features && a.attributes.empty() && a.node_label.empty())
    return wrong("--node needs --attributes or --node-label: what is right?");
  if (!a.weight.empty() && a.add_edge.empty()) return wrong("--weight goes with --add-edge");
  return ok_status();
}

Result<Correction> correction_asked_for(const CorrectArguments& a) {
  UNSCATTER_TRY(graph, parse_key(a.graph));
  if (!a.label.empty()) return Correction(SetLabel{std::move(graph), a.label});
  if (!a.drop_edge.empty()) {
    UNSCATTER_TRY(ends, ends_of("--drop-edge", a.drop_edge));
    return Correction(DropEdge{std::move(graph), std::move(ends.first), std::move(ends.second)});
  }
  if (!a.add_edge.empty()) {
    UNSCATTER_TRY(ends, ends_of("--add-edge", a.add_edge));
    AddEdge edge{std::move(graph), std::move(ends.first), std::move(ends.second)};
    if (!a.weight.empty()) {
      UNSCATTER_TRY(weight, number_of_option<double>("--weight", a.weight));
      edge.weight = weight;
    }
    return Correction(std::move(edge));
  }
  UNSCATTER_TRY(node, parse_key(a.node));
  SetFeatures features{std::move(graph), std::move(node)};
  if (!a.attributes.empty()) {
    UNSCATTER_TRY(values, values_of(a.attributes));
    features.attributes = std::move(values);
  }
  if (!a.node_label.empty()) {
    UNSCATTER_TRY(label, number_of_option<std::int64_t>("--node-label", a.node_label));
    features.label = label;
  }
  return Correction(std::move(features));
}

// Names the line of a list that was refused.
Error with_line(Error error, const CorrectArguments& arguments, const CorrectionFile& file) {
  if (!error.request || *error.request >= file.lines.size()) return error;
  error.message = fmt::format("{}:{}: {}", arguments.requests, file.lines[*error.request], error.message);
  return error;
}

Result<Report> correct_graphs(const CorrectArguments& arguments, Context& context) {
  CorrectionFile file;
  if (arguments.requests.empty()) {
    UNSCATTER_TRY(correction, correction_asked_for(arguments));
    file.corrections.push_back(std::move(correction));
  } else {
    UNSCATTER_TRY(read, read_corrections(arguments.requests));
    file = std::move(read);
  }
  const std::string what = file.corrections.size() == 1 ? describe(file.corrections.front()) : "";
  return run_update(arguments.update, context, EntryKind::kCorrected, what,
                    [&](Workspace& workspace) -> Result<Workspace::Removal> {
                      Result<Workspace::Removal> update = workspace.prepare_corrections(file.corrections);
                      if (update.ok() || arguments.requests.empty()) return update;
                      return with_line(std::move(update).error(), arguments, file);
                    });
}

}  // namespace

void add_correct_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("correct", "Replace what was wrong in the data, by one certified update");
  const auto arguments = std::make_shared<CorrectArguments>();
  arguments->update.add_to(command);
  const std::string group = "What is right";
  command.add_option("--graph", arguments->graph, "The graph: its number, or its external id")->group(group);
  command.add_option("--node", arguments->node, "A node of it, by number or external id")->group(group);
  command
      .add_option("--attributes", arguments->attributes, "With --node: its attributes, as many as nodes have: 0.5,2")
      ->group(group);
  command.add_option("--node-label", arguments->node_label, "With --node: its label, a whole number")->group(group);
  command.add_option("--add-edge", arguments->add_edge, "An edge A,B that was missing")->group(group);
  command.add_option("--weight", arguments->weight, "With --add-edge: its weight, where edges have weights")
      ->group(group);
  command.add_option("--drop-edge", arguments->drop_edge, "An edge A,B that should not be there")->group(group);
  command.add_option("--label", arguments->label, "The class of the graph")->group(group);
  command.add_option("--requests", arguments->requests, "A list of corrections: JSON, one object per line")
      ->group(group);
  command.footer(R"(
Examples:
  unscatter correct --workspace w.unscatter --graph 17 --label 2
  unscatter correct --workspace w.unscatter --graph group-0017 --node user-00042 --attributes 0.5,2
  unscatter correct --workspace w.unscatter --graph 17 --add-edge 3,5 --dry-run
  unscatter correct --workspace w.unscatter --graph 17 --drop-edge 3,5 --receipt corrected.json
  unscatter correct --workspace w.unscatter --requests corrections.jsonl --openings openings.jsonl

When the command is done, the correction is on disk and the file holds nothing of the old value.  All corrections of a
list make one update: if one is refused, nothing is changed.  A class that the model does not have is refused.  Level
everyone takes no corrections.
Lines of a list: {"correct": "features", "graph": 17, "node": 3, "attributes": [0.5, 2], "label": 4},
{"correct": "add-edge", "graph": 17, "from": 3, "to": 5, "weight": 0.5},
{"correct": "drop-edge", "graph": 17, "from": 3, "to": 5}, {"correct": "class", "graph": 17, "class": "2"}.)");
  context.add_action(
      command, [arguments, &context] { return correct_graphs(*arguments, context); },
      [arguments]() -> Status {
        UNSCATTER_CHECK_OK(check_correct_usage(*arguments));
        // Only to see whether it can be read: a mistake should show before a workspace is opened.
        if (arguments->requests.empty()) UNSCATTER_CHECK_OK(correction_asked_for(*arguments));
        return ok_status();
      });
}

}  // namespace unscatter::cli
