// Words that are almost spelled like others, so that a message can name what was meant.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace unscatter {

// How many slips lie between two words: a letter too many, too few or wrong, or two neighbours in the wrong order.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `word`, if at most `slips` lie between.  The first one among equals.  Otherwise empty.
[[nodiscard]] std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates,
                                            std::size_t slips = 2);

}  // namespace unscatter
