// Numbers in sentences.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace unscatter {

// 1,234,567
[[nodiscard]] std::string grouped(std::uint64_t number);
// "1 graph", "2,000 graphs"
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view one, std::string_view many);

}  // namespace unscatter
