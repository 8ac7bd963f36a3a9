#include "unscatter/embedding/feature_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "embedding/features/registry.h"
#include "unscatter/base/invariant.h"

namespace unscatter {

Status FeatureBlock::check(const Graph& /*graph*/) const { return ok_status(); }

namespace {

// A block is chosen only if every graph can serve it, so that no graph fails later.
std::string_view automatic_choice(const Dataset& dataset) {
  const auto every = [&](auto&& has) {
    return !dataset.graphs.empty() && std::all_of(dataset.graphs.begin(), dataset.graphs.end(), has);
  };
  if (every([](const Graph& g) { return g.has_labels(); })) return "labels";
  if (every([](const Graph& g) { return g.attribute_count() > 0; })) return "attributes";
  return "degree-onehot";
}

// Splits at every '+' that is neither inside brackets nor inside a number such as 1e+5.
std::vector<std::string_view> split_blocks(std::string_view text) {
  std::vector<std::string_view> blocks;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool exponent =
        i > 0 && i < text.size() && text[i - 1] == 'e' && i > 1 && text[i - 2] >= '0' && text[i - 2] <= '9';
    if (i == text.size() || (text[i] == '+' && depth == 0 && !exponent)) {
      blocks.push_back(text.substr(start, i - start));
      start = i + 1;
    } else if (text[i] == '(') {
      ++depth;
    } else if (text[i] == ')') {
      --depth;
    }
  }
  return blocks;
}

}  // namespace

Result<FeatureMap> FeatureMap::build(std::string_view text, const Dataset* dataset) {
  FeatureMap map;
  for (const std::string_view part : split_blocks(text)) {
    UNSCATTER_TRY(block, make_feature_block(part, dataset));
    map.width_ += block->width();
    // Checked after every block, so that the sum cannot overflow.
    if (map.width_ > kMaxChannels)
      return Error{ErrorCode::kLimitExceeded,
                   fmt::format("features '{}' have more than {} channels", text, kMaxChannels)};
    map.blocks_.push_back(std::move(block));
  }
  return map;
}

Result<FeatureMap> FeatureMap::resolve(std::string_view text, const Dataset& dataset) {
  return build(text == "auto" ? automatic_choice(dataset) : text, &dataset);
}

Result<FeatureMap> FeatureMap::parse(std::string_view text) { return build(text, nullptr); }

std::string FeatureMap::describe() const {
  std::string text;
  for (const auto& block : blocks_) text += (text.empty() ? "" : "+") + block->describe();
  return text;
}

Status FeatureMap::signals(const Graph& graph, Scratch& scratch, NodeSignals& signals) const {
  constexpr std::uint32_t kInactive = std::numeric_limits<std::uint32_t>::max();
  constexpr std::uint32_t kActive = kInactive - 1;
  scratch.entries.clear();
  scratch.slot_of_channel.resize(width_, kInactive);  // every call leaves all entries inactive

  const std::size_t nodes = graph.node_count();
  std::uint32_t first_channel = 0;
  for (const auto& block : blocks_) {
    UNSCATTER_CHECK_OK(block->check(graph));
    for (NodeIndex i = 0; i < nodes; ++i) {
      if (graph.has_features(i)) block->emit(graph, i, first_channel, scratch.entries);
    }
    first_channel += static_cast<std::uint32_t>(block->width());
  }

  // First the active channels are collected, then they get their slots in ascending order.  Only entries that were
  // touched are reset at the end: a map may have millions of channels, and a graph uses few of them.
  signals.nodes = nodes;
  signals.channels.clear();
  for (const FeatureEntry& entry : scratch.entries) {
    // A value of 0 is no signal.  If it made a channel active, the layout of a row would tell a 0 from a removed
    // feature.
    if (entry.value == 0 || scratch.slot_of_channel[entry.channel] == kActive) continue;
    scratch.slot_of_channel[entry.channel] = kActive;
    signals.channels.push_back(entry.channel);
  }
  std::sort(signals.channels.begin(), signals.channels.end());
  for (std::uint32_t slot = 0; slot < signals.channels.size(); ++slot)
    scratch.slot_of_channel[signals.channels[slot]] = slot;

  signals.values.assign(nodes * signals.width(), 0.0);
  for (const FeatureEntry& entry : scratch.entries) {
    if (entry.value != 0)
      signals.values[entry.node * signals.width() + scratch.slot_of_channel[entry.channel]] = entry.value;
  }
  for (const std::uint32_t channel : signals.channels) scratch.slot_of_channel[channel] = kInactive;
  return ok_status();
}

}  // namespace unscatter
