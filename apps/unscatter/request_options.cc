#include "request_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "unscatter/store/request_text.h"

namespace unscatter::cli {
namespace {

Error wrong_form(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

}  // namespace

void RequestArguments::add_to(CLI::App& command) {
  const std::string group = "What to forget";
  command.add_option("--graph", graph, "A graph: its number in the data set, or its external id")->group(group);
  command.add_option("--node", node, "With --graph: one node of it, by number or external id")->group(group);
  command.add_flag("--features-only", features_only, "With --node: its features; its edges stay")->group(group);
  command.add_option("--edge", edge, "With --graph: the edge U,V of it")->group(group);
  command.add_option("--subject", subject, "Every node with this external id, in every graph")->group(group);
  command.add_option("--requests", requests, "A list of requests: JSON, one object per line, or CSV")->group(group);
}

Status RequestArguments::check_form() const {
  // Exactly one form.  Two of them together could be read as both or as one within the other.
  const int forms = static_cast<int>(!graph.empty()) + static_cast<int>(!subject.empty()) + static_cast<int>(is_list());
  if (features_only && node.empty()) return wrong_form("--features-only goes with --node");
  if (graph.empty() && !node.empty()) return wrong_form("--node needs --graph: which graph is the node in?");
  if (graph.empty() && !edge.empty()) return wrong_form("--edge needs --graph: which graph is the edge in?");
  if (!node.empty() && !edge.empty()) return wrong_form("--node and --edge are two requests; name one");
  if (forms == 0) return wrong_form("nothing to forget is named: --graph, --subject or --requests");
  if (forms > 1) return wrong_form("--graph, --subject and --requests exclude one another; name one");
  return ok_status();
}

Status RequestArguments::check() const {
  UNSCATTER_CHECK_OK(check_form());
  // Only to see whether it can be read: a mistake should show before a workspace is opened.
  if (!is_list()) UNSCATTER_CHECK_OK(request());
  return ok_status();
}

Result<RemovalRequest> RequestArguments::request() const {
  UNSCATTER_CHECK_OK(check_form());
  if (!subject.empty()) return RemovalRequest(ForgetSubject{subject});
  UNSCATTER_TRY(graph_key, parse_key(graph));
  if (!edge.empty()) {
    // With a comma inside of an id there are several ways to cut the text.  A guess could remove the wrong edge.
    if (std::count(edge.begin(), edge.end(), ',') != 1) {
      return wrong_form(fmt::format(
          "--edge takes two nodes with one comma between, not '{}'; for ids with commas use --requests", edge));
    }
    const std::size_t comma = edge.find(',');
    UNSCATTER_TRY(from, parse_key(std::string_view(edge).substr(0, comma)));
    UNSCATTER_TRY(to, parse_key(std::string_view(edge).substr(comma + 1)));
    return RemovalRequest(ForgetEdge{std::move(graph_key), std::move(from), std::move(to)});
  }
  if (node.empty()) return RemovalRequest(ForgetGraph{std::move(graph_key)});
  UNSCATTER_TRY(node_key, parse_key(node));
  if (features_only) return RemovalRequest(ForgetFeatures{std::move(graph_key), std::move(node_key)});
  return RemovalRequest(ForgetNode{std::move(graph_key), std::move(node_key)});
}

}  // namespace unscatter::cli
