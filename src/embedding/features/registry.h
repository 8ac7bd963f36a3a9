// The list of feature blocks.  A new block is one file with a maker of this form and one line in registry.cc.
#pragma once

#include <memory>
#include <string_view>

#include "unscatter/base/result.h"
#include "unscatter/embedding/feature_map.h"

namespace unscatter {

using FeatureBlockOrError = Result<std::unique_ptr<const FeatureBlock>>;

// `constants` is the text behind the ':'.  If it is empty, the maker takes the constants from `dataset`, and fails if
// that is null.
using FeatureBlockMaker = FeatureBlockOrError (*)(std::string_view constants, const Dataset* dataset);

FeatureBlockOrError make_attributes(std::string_view constants, const Dataset* dataset);
FeatureBlockOrError make_constant(std::string_view constants, const Dataset* dataset);
FeatureBlockOrError make_degree_onehot(std::string_view constants, const Dataset* dataset);
FeatureBlockOrError make_intensity(std::string_view constants, const Dataset* dataset);
FeatureBlockOrError make_log_degree(std::string_view constants, const Dataset* dataset);
FeatureBlockOrError make_node_labels(std::string_view constants, const Dataset* dataset);
FeatureBlockOrError make_position(std::string_view constants, const Dataset* dataset);
FeatureBlockOrError make_standard_attributes(std::string_view constants, const Dataset* dataset);
// Not in the table, because its arguments are two blocks and not constants.
std::unique_ptr<const FeatureBlock> make_product(std::unique_ptr<const FeatureBlock> first,
                                                 std::unique_ptr<const FeatureBlock> second);

// One block from its description.
[[nodiscard]] FeatureBlockOrError make_feature_block(std::string_view text, const Dataset* dataset);

// Helpers for makers.
[[nodiscard]] Error missing_constants(std::string_view block, std::string_view example);
[[nodiscard]] Error unexpected_constants(std::string_view block, std::string_view constants);
[[nodiscard]] Result<std::size_t> parse_width(std::string_view block, std::string_view constants);
// Splits at `separator`; an empty text has no parts.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

// The most channels of a map.  A typing error must not ask for gigabytes.
inline constexpr std::size_t kMaxChannels = std::size_t{1} << 24;

}  // namespace unscatter
