// Overwriting matrices that were made of rows somebody may ask to forget.
#pragma once

#include <cstddef>
#include <span>

#include "base/wipe.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {

// Writes zeros over every entry; the size stays.
template <typename Derived>
void wipe_matrix(Eigen::PlainObjectBase<Derived>& matrix) noexcept {
  wipe(std::as_writable_bytes(std::span(matrix.data(), static_cast<std::size_t>(matrix.size()))));
}

}  // namespace unscatter
