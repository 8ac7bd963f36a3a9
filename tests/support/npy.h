// The .npy files of NumPy, as far as the tests need them: float64, C order, two dimensions.
#pragma once

#include <filesystem>

#include "unscatter/linalg/dense.h"

namespace unscatter::testing {

// Throws std::runtime_error for anything else.
[[nodiscard]] RowMatrix read_npy(const std::filesystem::path& path);

}  // namespace unscatter::testing
