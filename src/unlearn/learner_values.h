// What a message about a learner (learner_mirrors.h) is made of, as bytes.  get_x() takes what put() of the same type
// gave, and throws MalformedMessage for everything else.
#pragma once

#include <vector>

#include "unlearn/fit.h"
#include "unlearn/plain_bytes.h"
#include "unlearn/row_change.h"
#include "unscatter/learn/objective.h"
#include "unscatter/unlearn/session_options.h"

namespace unscatter {

// All but progress, threads and crew, which belong to a rank.
void put(PlainWriter& writer, const SessionOptions& options);
[[nodiscard]] SessionOptions get_options(PlainReader& reader);

// All but the assessment, which follows from the limit.
void put(PlainWriter& writer, const Fit& fit);
[[nodiscard]] Fit get_fit(PlainReader& reader);

void put(PlainWriter& writer, const KeptCurvature& kept);
[[nodiscard]] KeptCurvature get_curvature(PlainReader& reader);

// What rows and labels become.  What they were, ranks tell one another (tell_rows_before()).
void put(PlainWriter& writer, const std::vector<RowChange>& changes);
[[nodiscard]] std::vector<RowChange> get_changes(PlainReader& reader);

}  // namespace unscatter
