// labels:A,B,...  One channel per listed node label.  The list is a public vocabulary.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "embedding/features/registry.h"

namespace unscatter {
namespace {

void add_labels(const Graph& graph, std::set<std::int64_t>& labels) {
  for (std::size_t i = 0; graph.has_labels() && i < graph.node_count(); ++i) {
    // A node whose features were removed must not leave its label in the vocabulary.
    if (graph.has_features(i)) labels.insert(graph.label(i));
  }
}

class NodeLabels final : public FeatureBlock {
 public:
  // `vocabulary` ascends.
  explicit NodeLabels(std::vector<std::int64_t> vocabulary) : vocabulary_(std::move(vocabulary)) {}
  [[nodiscard]] std::string describe() const override {
    // A fit on data that have lost every label must be readable too.
    return vocabulary_.empty() ? "labels:none" : fmt::format("labels:{}", fmt::join(vocabulary_, ","));
  }
  [[nodiscard]] std::size_t width() const noexcept override { return vocabulary_.size(); }
  [[nodiscard]] Status check(const Graph& graph) const override {
    if (!graph.has_labels()) return Error{ErrorCode::kUnsupported, "feature 'labels': the graph has no node labels"};
    return ok_status();
  }
  void emit(const Graph& graph, NodeIndex node, std::uint32_t first_channel,
            std::vector<FeatureEntry>& entries) const override {
    const auto at = std::lower_bound(vocabulary_.begin(), vocabulary_.end(), graph.label(node));
    // A label outside the vocabulary gives no signal: a new channel would make rows of the model wider.
    if (at == vocabulary_.end() || *at != graph.label(node)) return;
    entries.push_back({node, first_channel + static_cast<std::uint32_t>(at - vocabulary_.begin()), 1.0});
  }
  [[nodiscard]] bool fit_may_change(const Graph& before, const Graph* after) const override {
    std::set<std::int64_t> lost;
    add_labels(before, lost);
    if (after == nullptr) return !lost.empty();
    std::set<std::int64_t> left;
    add_labels(*after, left);
    return lost != left;
  }
  // One graph rarely has all labels, so none is asked.
  [[nodiscard]] bool fit_shown_by(const Graph& /*graph*/) const override { return false; }

 private:
  std::vector<std::int64_t> vocabulary_;
};

Result<std::vector<std::int64_t>> vocabulary_of(FitGraphs graphs) {
  std::set<std::int64_t> labels;
  for (const Graph* graph : graphs) {
    if (!graph->has_labels())
      return Error{ErrorCode::kUnsupported, "feature 'labels': the data set has no node labels"};
    add_labels(*graph, labels);
  }
  return std::vector<std::int64_t>(labels.begin(), labels.end());
}

}  // namespace

FeatureBlockOrError make_node_labels(std::string_view constants, const FitGraphs* graphs) {
  std::vector<std::int64_t> vocabulary;
  if (constants.empty()) {
    if (graphs == nullptr) return missing_constants("labels", "labels:0,1,2");
    UNSCATTER_TRY(labels, vocabulary_of(*graphs));
    vocabulary = std::move(labels);
  }
  if (constants == "none") return std::make_unique<const NodeLabels>(std::move(vocabulary));
  for (const std::string_view text : split(constants, ',')) {
    std::int64_t label = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), label);
    if (error != std::errc() || end != text.data() + text.size()) {
      return Error{ErrorCode::kInvalidArgument, fmt::format("feature 'labels': '{}' is not an integer", text)};
    }
    // Ascending order makes the description of a map unique and lets emit() search by halving.
    if (!vocabulary.empty() && label <= vocabulary.back()) {
      return Error{ErrorCode::kInvalidArgument, fmt::format("feature 'labels': {} does not ascend", label)};
    }
    vocabulary.push_back(label);
  }
  return std::make_unique<const NodeLabels>(std::move(vocabulary));
}

}  // namespace unscatter
