#include "graph_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

namespace unscatter::cli {
namespace {

// Valid UTF-8 without control characters: what both languages take.
std::string plain_text(std::string_view text) {
  using Bytes = nlohmann::json;
  // The JSON writer replaces what is not UTF-8.
  std::string valid =
      Bytes::parse(Bytes(std::string(text)).dump(-1, ' ', false, Bytes::error_handler_t::replace)).get<std::string>();
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  std::string plain;
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const auto byte = static_cast<unsigned char>(valid[i]);
    if (byte < 0x20 || byte == 0x7f) {
      plain += kReplacement;
    } else if (valid.compare(i, 2, "\xEF\xBF") == 0 && i + 2 < valid.size() &&
               (valid[i + 2] == '\xBE' || valid[i + 2] == '\xBF')) {
      plain += kReplacement;  // U+FFFE and U+FFFF: XML takes neither
      i += 2;
    } else {
      plain += valid[i];
    }
  }
  return plain;
}

// Inside of double quotes.  A backslash would begin one of Graphviz's escapes.
std::string dot_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : plain_text(text)) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string xml_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : plain_text(text)) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&#39;"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

// One colour per node label, in turn.
std::string_view fill_of(const Graph& graph, std::size_t node) {
  constexpr std::array<std::string_view, 8> kColours = {"#4e79a7", "#f28e2b", "#59a14f", "#e15759",
                                                        "#76b7b2", "#edc948", "#b07aa1", "#9c755f"};
  if (graph.state(node) == NodeState::kTombstone) return "#dddddd";
  if (graph.state(node) == NodeState::kFeatureless) return "#ffffff";
  const std::int64_t label = graph.has_labels() ? graph.label(node) : 0;
  return kColours[static_cast<std::uint64_t>(label) % kColours.size()];
}

// Calls draw(from, to) for every edge, undirected ones once.
template <typename Draw>
void for_each_edge(const Graph& graph, const Draw& draw) {
  for (std::size_t to = 0; to < graph.node_count(); ++to) {
    for (const NodeIndex from : graph.neighbours(to)) {
      if (!graph.directed() && from > to) break;
      draw(from, to);
    }
  }
}

// All points into [0, 1] x [0, 1], without changing their proportions.
void fit_into_square(std::vector<Point>& points) {
  const auto [left, right] =
      std::minmax_element(points.begin(), points.end(), [](Point a, Point b) { return a.x < b.x; });
  const auto [top, bottom] =
      std::minmax_element(points.begin(), points.end(), [](Point a, Point b) { return a.y < b.y; });
  const Point middle{(left->x + right->x) / 2, (top->y + bottom->y) / 2};
  const double size = std::max({right->x - left->x, bottom->y - top->y, 1e-300});
  for (Point& point : points) {
    point = {std::clamp(0.5 + (point.x - middle.x) / size, 0.0, 1.0),
             std::clamp(0.5 + (point.y - middle.y) / size, 0.0, 1.0)};
  }
}

std::vector<Point> circle(std::size_t count) {
  std::vector<Point> points(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(count);
    points[i] = {0.5 + 0.5 * std::sin(angle), 0.5 - 0.5 * std::cos(angle)};
  }
  return points;
}

// Moves of one round, at most `step` long.
void relax(const Graph& graph, double step, std::vector<Point>& points) {
  const std::size_t n = points.size();
  const double ideal = 1 / std::sqrt(static_cast<double>(n));
  std::vector<Point> force(n);
  const auto push = [&](std::size_t i, std::size_t j, double strength, double dx, double dy) {
    force[i].x += strength * dx;
    force[i].y += strength * dy;
    force[j].x -= strength * dx;
    force[j].y -= strength * dy;
  };
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      const double dx = points[i].x - points[j].x;
      const double dy = points[i].y - points[j].y;
      push(i, j, ideal * ideal / std::max(dx * dx + dy * dy, 1e-6), dx, dy);
    }
    // Towards the middle, or parts without an edge between them would fly apart.
    force[i].x += 0.5 * (0.5 - points[i].x);
    force[i].y += 0.5 * (0.5 - points[i].y);
  }
  for_each_edge(graph, [&](std::size_t from, std::size_t to) {
    const double dx = points[to].x - points[from].x;
    const double dy = points[to].y - points[from].y;
    push(from, to, std::hypot(dx, dy) / ideal, dx, dy);
  });
  for (std::size_t i = 0; i < n; ++i) {
    const double length = std::hypot(force[i].x, force[i].y);
    const double scale = length > step ? step / length : 1;
    points[i].x += scale * force[i].x;
    points[i].y += scale * force[i].y;
  }
}

}  // namespace

std::vector<Point> layout(const Graph& graph) {
  const std::size_t n = graph.node_count();
  std::vector<Point> points = circle(n);
  if (graph.has_positions()) {
    // (row, column): rows go down.
    for (std::size_t i = 0; i < n; ++i) points[i] = {graph.position(i)[1], graph.position(i)[0]};
    fit_into_square(points);
    return points;
  }
  constexpr std::size_t kMostNodes = 2000;  // a round looks at all pairs
  if (n < 3 || n > kMostNodes) return points;
  const int rounds = n <= 300 ? 200 : 40;
  for (int round = 0; round < rounds; ++round) relax(graph, 0.1 * (1 - round / static_cast<double>(rounds)), points);
  fit_into_square(points);
  return points;
}

std::string node_name(const Graph& graph, std::span<const std::uint32_t> numbers, std::size_t node) {
  if (graph.has_node_ids()) return graph.node_id(node);
  return std::to_string(numbers.empty() ? node : numbers[node]);
}

std::string dot_text(const Graph& graph, std::span<const std::uint32_t> numbers, std::string_view title) {
  std::string text = fmt::format("{} \"{}\" {{\n  node [shape=circle, style=filled, fontsize=10];\n",
                                 graph.directed() ? "digraph" : "graph", dot_escaped(title));
  for (std::size_t i = 0; i < graph.node_count(); ++i) {
    text += fmt::format("  n{} [label=\"{}\", fillcolor=\"{}\"", i, dot_escaped(node_name(graph, numbers, i)),
                        fill_of(graph, i));
    if (graph.state(i) != NodeState::kPresent) text += ", style=\"filled,dashed\"";
    text += "];\n";
  }
  for_each_edge(graph, [&](std::size_t from, std::size_t to) {
    text += fmt::format("  n{} {} n{};\n", from, graph.directed() ? "->" : "--", to);
  });
  return text + "}\n";
}

std::string svg_text(const Graph& graph, std::span<const std::uint32_t> numbers, std::string_view title) {
  constexpr double kSize = 800;
  constexpr double kMargin = 60;
  constexpr std::size_t kMostNames = 60;  // more would lie on top of one another; a pointer shows them still
  const std::size_t n = graph.node_count();
  std::vector<Point> points = layout(graph);
  for (Point& point : points) {
    point = {kMargin + point.x * (kSize - 2 * kMargin), kMargin + point.y * (kSize - 2 * kMargin)};
  }
  const double radius = std::clamp(140 / std::sqrt(static_cast<double>(n)), 2.0, 14.0);
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {0}\" width=\"{0}\" height=\"{0}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<title>{1}</title>\n"
      "<defs><marker id=\"end\" viewBox=\"0 0 10 10\" refX=\"10\" refY=\"5\" markerWidth=\"8\" markerHeight=\"8\" "
      "orient=\"auto\"><path d=\"M0 0L10 5L0 10z\" fill=\"#888888\"/></marker></defs>\n"
      "<rect width=\"{0}\" height=\"{0}\" fill=\"#ffffff\"/>\n<g stroke=\"#888888\" stroke-width=\"1.2\">\n",
      kSize, xml_escaped(title));
  for_each_edge(graph, [&](std::size_t from, std::size_t to) {
    const double dx = points[to].x - points[from].x;
    const double dy = points[to].y - points[from].y;
    // To the rim of the circle and not under it, where nobody would see an arrow.
    const double length = std::max(std::hypot(dx, dy), 1e-9);
    const double share = std::max(0.0, 1 - radius / length);
    text += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"{}/>\n", points[from].x,
                        points[from].y, points[from].x + share * dx, points[from].y + share * dy,
                        graph.directed() ? " marker-end=\"url(#end)\"" : "");
  });
  text += "</g>\n";
  for (std::size_t i = 0; i < n; ++i) {
    const std::string name = xml_escaped(node_name(graph, numbers, i));
    const bool whole = graph.state(i) == NodeState::kPresent;
    text += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" stroke=\"#333333\"{}>"
        "<title>{}</title></circle>\n",
        points[i].x, points[i].y, radius, fill_of(graph, i), whole ? "" : " stroke-dasharray=\"3 2\"", name);
    if (n <= kMostNames) {
      text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", points[i].x,
                          points[i].y - radius - 4, name);
    }
  }
  return text + "</svg>\n";
}

}  // namespace unscatter::cli
