// The version of this library.
#pragma once

#include <string_view>

namespace unscatter {

// "0.1.0"
[[nodiscard]] std::string_view version() noexcept;

}  // namespace unscatter
