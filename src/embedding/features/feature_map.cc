#include "unscatter/embedding/feature_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "embedding/features/registry.h"
#include "unscatter/base/invariant.h"

namespace unscatter {

Status FeatureBlock::check(const Graph& /*graph*/) const { return ok_status(); }
// A block without fitted constants: nothing can change, and nothing has to be shown.
bool FeatureBlock::fit_may_change(const Graph& /*before*/, const Graph* /*after*/) const { return false; }
bool FeatureBlock::fit_shown_by(const Graph& /*graph*/) const { return true; }

namespace {

constexpr std::array kKindNames = {std::pair{ConstantKind::kStated, std::string_view("stated")},
                                   std::pair{ConstantKind::kBuiltIn, std::string_view("built-in")},
                                   std::pair{ConstantKind::kPublicData, std::string_view("public-data")},
                                   std::pair{ConstantKind::kPrivateFit, std::string_view("private-fit")},
                                   std::pair{ConstantKind::kFittedOnce, std::string_view("fitted-once")},
                                   std::pair{ConstantKind::kOutside, std::string_view("outside")}};

std::vector<const Graph*> pointers_to(const Dataset& dataset) {
  std::vector<const Graph*> graphs;
  graphs.reserve(dataset.size());
  for (const Graph& graph : dataset.graphs) graphs.push_back(&graph);
  return graphs;
}

// A block is chosen only if every graph can serve it, so that no graph fails later.
std::string_view paper_choice(FitGraphs graphs) {
  const auto every = [&](auto&& has) { return !graphs.empty() && std::all_of(graphs.begin(), graphs.end(), has); };
  if (every([](const Graph* g) { return g->has_labels(); })) return "labels";
  if (every([](const Graph* g) { return g->attribute_count() > 0; })) return "attributes";
  return "degree-onehot";
}

// From the form of the data alone: is there a graph with labels, and how many attributes does a node have at most?  If
// all graphs have the same form, no removal can change the answer.  If not, the last graph of a form may leave.  So the
// answer is of the kind kPrivateFit.  A graph that lacks a part gives no signal there, and the others keep theirs.
std::string automatic_choice(std::string_view rule, FitGraphs graphs) {
  std::string text = "soft-degree";
  if (std::any_of(graphs.begin(), graphs.end(), [](const Graph* g) { return g->has_labels(); })) {
    text += "+label-buckets";
  }
  if (largest_attribute_count(graphs) > 0) text += rule == "all" ? "+wide-attributes" : "+soft-attributes";
  return text;
}

// Rules that choose blocks by the form of the data.
bool is_automatic(std::string_view rule) { return rule == "all" || rule == "auto"; }

ConstantKind schema_kind(ConstantKind source) {
  return source == ConstantKind::kStated ? ConstantKind::kPrivateFit : source;
}

// The same list whatever the data are: it goes into documents that stay when data leave.
std::vector<ConstantOrigin> automatic_origins(ConstantKind source) {
  return {{"soft-degree", ConstantKind::kBuiltIn}, {"form", schema_kind(source)}};
}

// Where the constants of a block come from, if missing ones are computed from `source`.
ConstantKind kind_of(std::string_view block, ConstantKind source, bool chosen_by_schema) {
  const std::optional<WithoutText> left = left_to_compute(block);
  if (!left) return ConstantKind::kStated;
  // In a map chosen by "all" or "auto" the presence of a block follows from the data, even where its constants do not.
  const bool schema = *left == WithoutText::kSchema || (chosen_by_schema && block != "soft-degree");
  return *left == WithoutText::kFit || schema ? schema_kind(source) : ConstantKind::kBuiltIn;
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

// "labels" of "labels:0,1,2".  No constant is part of a name, because names go into files of their own.
std::string_view block_name(std::string_view text) { return text.substr(0, text.find_first_of(":(")); }

}  // namespace

std::string_view name(ConstantKind kind) {
  for (const auto& [value, text] : kKindNames) {
    if (value == kind) return text;
  }
  return "?";
}

Result<ConstantKind> parse_constant_kind(std::string_view text) {
  for (const auto& [value, known] : kKindNames) {
    if (known == text) return value;
  }
  return Error{ErrorCode::kInvalidArgument, fmt::format("unknown kind of constants '{}'", text)};
}

Result<FeatureMap> FeatureMap::build(std::string_view text, const FitGraphs* graphs, ConstantKind source) {
  const bool automatic = is_automatic(text);
  const std::string chosen = automatic && graphs != nullptr ? automatic_choice(text, *graphs) : std::string(text);
  FeatureMap map;
  for (const std::string_view part : split_blocks(chosen)) {
    const std::optional<WithoutText> left = left_to_compute(part);
    // Values of the data are looked at only where somebody said so.
    const bool may_look = left != WithoutText::kFit || source != ConstantKind::kStated;
    UNSCATTER_TRY(block, make_feature_block(part, may_look ? graphs : nullptr));
    map.width_ += block->width();
    // Checked after every block, so that the sum cannot overflow.
    if (map.width_ > kMaxChannels)
      return Error{ErrorCode::kLimitExceeded,
                   fmt::format("features '{}' have more than {} channels", text, kMaxChannels)};
    map.kinds_.push_back(kind_of(part, source, automatic));
    if (!automatic) map.origins_.push_back({std::string(block_name(part)), map.kinds_.back()});
    map.blocks_.push_back(std::move(block));
  }
  if (automatic) map.origins_ = automatic_origins(source);
  return map;
}

Result<FeatureMap> FeatureMap::resolve(std::string_view text, const Dataset& dataset, const FitSource& source) {
  const bool is_public = source.kind == ConstantKind::kPublicData;
  invariant(!is_public || source.public_data != nullptr, "a fit on public data needs them");
  const std::vector<const Graph*> fitted_on = pointers_to(is_public ? *source.public_data : dataset);
  const FitGraphs graphs(fitted_on);
  // The choice asks whether every graph has something.  A removal can make that true, which a private fit would have to
  // follow.
  const bool paper = text == "paper";
  if (paper && source.kind != ConstantKind::kFittedOnce && !is_public) {
    return Error{ErrorCode::kInvalidArgument,
                 "features 'paper' are fitted once, as in the paper: say so (--fit once), or give public data"};
  }
  UNSCATTER_TRY(map, build(paper ? paper_choice(graphs) : text, &graphs, source.kind));
  map.rule_ = text;
  map.source_ = source.kind;
  return map;
}

Result<FeatureMap> FeatureMap::parse(std::string_view text) { return build(text, nullptr, ConstantKind::kStated); }

Result<FeatureMap> FeatureMap::restore(std::string_view rule, ConstantKind source, std::string_view complete) {
  UNSCATTER_TRY(map, parse(complete));
  map.rule_ = rule;
  map.source_ = source;
  // These three leave every constant out, so the name of a block is all that they said about it.
  const bool automatic = is_automatic(rule);
  const bool by_name = rule.empty() || automatic || rule == "paper";
  const std::vector<std::string_view> parts = split_blocks(rule);
  if (!by_name && parts.size() != map.blocks_.size()) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("features '{}' do not come from the rule '{}'", complete, rule)};
  }
  for (std::size_t b = 0; b < map.blocks_.size(); ++b) {
    ConstantOrigin& origin = map.origins_[b];
    const std::string_view part = by_name ? std::string_view(origin.name) : parts[b];
    map.kinds_[b] = origin.kind = rule.empty() ? source : kind_of(part, source, automatic);
  }
  if (automatic) map.origins_ = automatic_origins(source);
  return map;
}

bool FeatureMap::refits() const noexcept {
  return std::find(kinds_.begin(), kinds_.end(), ConstantKind::kPrivateFit) != kinds_.end();
}

Result<FeatureMap> FeatureMap::refit(std::span<const Graph* const> graphs) const {
  if (!refits() || rule_.empty()) return *this;
  UNSCATTER_TRY(map, build(rule_, &graphs, source_));
  map.rule_ = rule_;
  map.source_ = source_;
  return map;
}

bool FeatureMap::fit_may_change(const Graph& before, const Graph* after) const {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (kinds_[b] == ConstantKind::kPrivateFit && blocks_[b]->fit_may_change(before, after)) return true;
  }
  return false;
}

bool FeatureMap::fit_shown_by(const Graph& graph) const {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (kinds_[b] == ConstantKind::kPrivateFit && !blocks_[b]->fit_shown_by(graph)) return false;
  }
  return true;
}

std::string FeatureMap::describe() const {
  std::string text;
  for (const auto& block : blocks_) {
    if (!text.empty()) text += '+';
    text += block->describe();
  }
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
