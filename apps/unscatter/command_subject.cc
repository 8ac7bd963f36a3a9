#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/utc_time.h"
#include "commands.h"
#include "key_options.h"
#include "unscatter/store/subject_text.h"
#include "workspace_options.h"

namespace unscatter::cli {
namespace {

struct SubjectArguments {
  WorkspaceArguments workspace;
  std::string id;
  bool hide_neighbours = false;
};

struct SubjectsArguments {
  WorkspaceArguments workspace;
  std::string search;
  std::size_t limit = 50;
  std::size_t offset = 0;
};

// An id may hold anything.  A line end in it must not make a line of the table.
std::string in_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', '?');
  return text;
}

std::string date_words(const std::optional<std::int64_t>& due) { return due ? short_utc_text(*due) : std::string(); }

// All digits: somebody who asks what is held gets what is held.
std::string all_digits(std::span<const double> numbers) {
  std::string words;
  for (const double number : numbers) words += fmt::format("{}{}", words.empty() ? "" : " ", number);
  return words;
}

std::string edge_line(const HeldGraph& graph, const HeldEdge& edge, const SubjectArguments& arguments) {
  const char* arrow = edge.direction == HeldEdge::Direction::kBoth          ? "--"
                      : edge.direction == HeldEdge::Direction::kFromSubject ? "->"
                                                                            : "<-";
  std::string line = fmt::format("graph {}: {} {} {}", graph.number, in_one_line(arguments.id), arrow,
                                 arguments.hide_neighbours ? fmt::format("node {}", edge.node) : in_one_line(edge.id));
  if (edge.weight) line += fmt::format(", weight {}", *edge.weight);
  return line + "\n";
}

std::string held_text(const SubjectArguments& arguments, const HeldSubject& held) {
  std::string text =
      fmt::format("{}: in {}{}\n\n", in_one_line(arguments.id), counted(held.graphs.size(), "graph", "graphs"),
                  held.due ? fmt::format(", due on {}", short_utc_text(*held.due)) : "");
  Table table({{"graph", Table::Align::kRight},
               {"id"},
               {"class"},
               {"due"},
               {"node", Table::Align::kRight},
               {"label", Table::Align::kRight},
               {"attributes"},
               {"position"},
               {"edges", Table::Align::kRight},
               {""}});
  std::string edges;
  for (const HeldGraph& graph : held.graphs) {
    for (const HeldNode& node : graph.nodes) {
      table.add_row({std::to_string(graph.number), in_one_line(graph.id), in_one_line(graph.class_name),
                     date_words(graph.due), std::to_string(node.number), node.label ? std::to_string(*node.label) : "",
                     all_digits(node.attributes), all_digits(node.position), grouped(node.edges.size()),
                     node.has_features ? "" : "features removed"});
      for (const HeldEdge& edge : node.edges) edges += edge_line(graph, edge, arguments);
    }
  }
  return text + table.str() + (edges.empty() ? "" : "\n" + edges);
}

// An older copy may hold what was forgotten since, and lack what came later.
void note_outdated(const Workspace& workspace, Context& context) {
  if (const WorkspaceInfo info = workspace.info(); info.outdated) context.note(as_sentence(info.outdated->message));
}

Result<Report> show_subject(const SubjectArguments& arguments, Context& context) {
  UNSCATTER_TRY(workspace, arguments.workspace.open_to_read(context, KeyArguments::usual_record()));
  note_outdated(workspace, context);
  UNSCATTER_TRY(held, workspace.subject(arguments.id));
  Report report;
  report.json = {{"workspace", arguments.workspace.path}};
  report.json.update(Json::parse(subject_text(arguments.id, held, arguments.hide_neighbours)));
  // An answer and no error: whoever asks what is held may hear that nothing is.
  report.text = held.graphs.empty() ? fmt::format("{}: nothing is held\n", in_one_line(arguments.id))
                                    : held_text(arguments, held);
  return report;
}

Result<Report> list_subjects(const SubjectsArguments& arguments, Context& context) {
  UNSCATTER_TRY(workspace, arguments.workspace.open_to_read(context, KeyArguments::usual_record()));
  note_outdated(workspace, context);
  UNSCATTER_TRY(list, workspace.subjects({arguments.search, arguments.limit, arguments.offset}));
  Report report;
  report.json = {{"workspace", arguments.workspace.path},
                 {"subjects", list.subjects},
                 {"found", list.found},
                 {"offset", arguments.offset},
                 {"list", Json::parse(subject_list_text(list))}};
  Table table({{"subject"}, {"graphs", Table::Align::kRight}, {"due"}});
  for (const SubjectList::Entry& entry : list.entries) {
    table.add_row({in_one_line(entry.id), grouped(entry.graphs), date_words(entry.due)});
  }
  const std::size_t shown = list.entries.size();
  if (shown > 0) report.text = table.str();
  report.text += fmt::format("{} of {}", grouped(list.found), counted(list.subjects, "subject", "subjects"));
  if (shown < list.found) {
    report.text += shown == 0 ? std::string("; --offset is beyond them")
                              : fmt::format("; shown are {} to {} (--offset, --limit)", grouped(arguments.offset + 1),
                                            grouped(arguments.offset + shown));
  }
  report.text += "\n";
  return report;
}

}  // namespace

void add_subject_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("subject", "What the workspace holds about one subject");
  const auto arguments = std::make_shared<SubjectArguments>();
  command.add_option("id", arguments->id, "The subject: an external id of nodes")->required();
  arguments->workspace.add_to(command);
  command.add_flag("--hide-neighbours", arguments->hide_neighbours,
                   "Name the other ends of edges by number and not by id: they are other people");
  command.footer(R"(
Examples:
  unscatter subject user-00042 --workspace w.unscatter
  unscatter subject user-00042 --workspace w.unscatter --json --hide-neighbours

Lists graphs, nodes, features, edges and due dates.  If nothing is held, the command says so, and the exit code is 0.
It speaks of the workspace: models that were published, backups, and files that 'forget --openings' wrote are
elsewhere.)");
  context.add_action(
      command, [arguments, &context] { return show_subject(*arguments, context); },
      [arguments]() -> Status {
        if (!arguments->id.empty()) return ok_status();
        return Error{ErrorCode::kInvalidArgument, "the id of a subject is not empty"};
      });
}

void add_subjects_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("subjects", "Count the subjects of a workspace, and search among them");
  const auto arguments = std::make_shared<SubjectsArguments>();
  arguments->workspace.add_to(command);
  command.add_option("--search", arguments->search, "Only ids that contain this text, or fit a pattern with * and ?");
  command.add_option("--limit", arguments->limit, "Show so many; 0 for all")->capture_default_str();
  command.add_option("--offset", arguments->offset, "Pass over so many first")->capture_default_str();
  command.footer(R"(
Examples:
  unscatter subjects --workspace w.unscatter
  unscatter subjects --workspace w.unscatter --search 'user-0004?' --limit 0 --json

A subject is whoever has an external id: all nodes with this id, in all graphs.)");
  context.add_action(command, [arguments, &context] { return list_subjects(*arguments, context); });
}

}  // namespace unscatter::cli
