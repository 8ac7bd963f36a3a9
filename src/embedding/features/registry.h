// The list of feature blocks.  A new block is one file with a maker of this form and one line in registry.cc.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "unscatter/base/result.h"
#include "unscatter/embedding/feature_map.h"

namespace unscatter {

using FeatureBlockOrError = Result<std::unique_ptr<const FeatureBlock>>;

// What constants are fitted on.
using FitGraphs = std::span<const Graph* const>;

// `constants` is the text behind the ':'.  If it is empty, the maker takes a built-in value, or computes the constants
// from `graphs` and fails if that is null.
using FeatureBlockMaker = FeatureBlockOrError (*)(std::string_view constants, const FitGraphs* graphs);

FeatureBlockOrError make_attributes(std::string_view constants, const FitGraphs* graphs);
FeatureBlockOrError make_constant(std::string_view constants, const FitGraphs* graphs);
FeatureBlockOrError make_degree_onehot(std::string_view constants, const FitGraphs* graphs);
FeatureBlockOrError make_form(std::string_view constants, const FitGraphs* graphs);
FeatureBlockOrError make_intensity(std::string_view constants, const FitGraphs* graphs);
FeatureBlockOrError make_label_buckets(std::string_view constants, const FitGraphs* graphs);
FeatureBlockOrError make_log_degree(std::string_view constants, const FitGraphs* graphs);
FeatureBlockOrError make_no_features(std::string_view constants, const FitGraphs* graphs);
FeatureBlockOrError make_node_labels(std::string_view constants, const FitGraphs* graphs);
FeatureBlockOrError make_position(std::string_view constants, const FitGraphs* graphs);
FeatureBlockOrError make_soft_attributes(std::string_view constants, const FitGraphs* graphs);
FeatureBlockOrError make_soft_degree(std::string_view constants, const FitGraphs* graphs);
FeatureBlockOrError make_standard_attributes(std::string_view constants, const FitGraphs* graphs);
FeatureBlockOrError make_wide_attributes(std::string_view constants, const FitGraphs* graphs);
// Not in the table, because its arguments are two blocks and not constants.
std::unique_ptr<const FeatureBlock> make_product(std::unique_ptr<const FeatureBlock> first,
                                                 std::unique_ptr<const FeatureBlock> second);

// What a block does without the text behind its ':'.
enum class WithoutText {
  kBuiltIn,  // it needs none, or has a value of its own
  kSchema,   // takes a width that follows from the form of the data, and from no value in them
  kFit,      // is fitted on values of the data
};
// One block from its description.
[[nodiscard]] FeatureBlockOrError make_feature_block(std::string_view text, const FitGraphs* graphs);
// What is computed for it if it is made of this text: kFit before kSchema before kBuiltIn for a product of two blocks.
// Nothing if the text states every constant.
[[nodiscard]] std::optional<WithoutText> left_to_compute(std::string_view text);
// Whether the constants that `features` (as FeatureMap::resolve() reads) leave out can be fitted by looking at one
// graph after the other.  Then the fit is a union or a maximum: a graph that adds nothing to the fit on some graphs can
// be left out, whatever graphs follow.  It is not so for means.
[[nodiscard]] bool fits_graph_by_graph(std::string_view features);

// Helpers for makers.
[[nodiscard]] std::size_t largest_attribute_count(FitGraphs graphs);
[[nodiscard]] Error missing_constants(std::string_view block, std::string_view example);
[[nodiscard]] Error unexpected_constants(std::string_view block, std::string_view constants);
[[nodiscard]] Result<std::size_t> parse_width(std::string_view block, std::string_view constants);
// Splits at `separator`; an empty text has no parts.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

// The most channels of a map.  A typing error must not ask for gigabytes.
inline constexpr std::size_t kMaxChannels = std::size_t{1} << 24;

}  // namespace unscatter
