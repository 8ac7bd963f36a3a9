// The first training of a session, by all processes of a job where there are several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "unlearn/learner.h"
#include "unscatter/base/random.h"
#include "unscatter/base/result.h"
#include "unscatter/linalg/sparse_block_rows.h"
#include "unscatter/unlearn/session_options.h"

namespace unscatter {

// What Learner::create() gives, with all rows in this process.  With a crew its processes share the rows while they
// train.  Weights, residuals and the fast factor are equal, bit for bit.  What a learner keeps beside these, and could
// compute again, is gone: its first update may take longer.
[[nodiscard]] Result<Learner> train_together(SparseBlockRows rows, std::vector<std::uint32_t> labels,
                                             std::size_t classes, const SessionOptions& options, RandomSource& noise,
                                             std::size_t living);

}  // namespace unscatter
