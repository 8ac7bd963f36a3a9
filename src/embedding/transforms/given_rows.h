// Rows that were made outside: the signals of the only node, divided by a stated scale.
//
//   z[channel] = x[channel] / scale
//
// A row is a graph of one node without edges (dataset_from_rows()).  With the features attributes:d and the scale 1, z
// is the row as it was given, bit for bit.  A node whose features were removed has z = 0.
#pragma once

#include <memory>

#include "unscatter/embedding/transform.h"

namespace unscatter {

// Columns: channels.  Zeros are not stored.  Errors: kInvalidArgument for a scale that is not positive and finite;
// embed(): kUnsupported for a graph of more than one node, and for a quotient that is not finite.
[[nodiscard]] Result<std::unique_ptr<Transform>> make_given_rows(double scale = 1);

}  // namespace unscatter
