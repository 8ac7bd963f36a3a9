#include "unlearn/train_together.h"

#include <optional>
#include <utility>

#include "learn/curvature_form.h"
#include "learn/train_with_curvature.h"
#include "unlearn/fit.h"
#include "unlearn/row_crew.h"

namespace unscatter {

Result<Learner> train_together(SparseBlockRows rows, std::vector<std::uint32_t> labels, std::size_t classes,
                               const SessionOptions& options, RandomSource& noise, std::size_t living) {
  // A removal may leave nothing else (minimum_of_zero_rows()).  Who begins so has made a mistake.  Where ranks share
  // the rows, this one has seen its own only.
  if (rows.share() == nullptr && rows_are_zero(rows)) {
    return Error{ErrorCode::kInvalidArgument, "there is no data to train on: every embedding is zero"};
  }
  std::optional<KeptState::Rows> share;
  // In dual form every number is about two rows, so rows stay in one place.
  if (options.crew != nullptr && rows.share() == nullptr &&
      cheaper_form(rows.rows(), rows.columns()) == HessianForm::kPrimal) {
    share = options.crew->spread(rows, labels, options.threads);
  }
  if (!share) return Learner::create(std::move(rows), std::move(labels), classes, options, noise, living);
  Fit fit;
  std::optional<KeptCurvature> curvature;
  {
    UNSCATTER_TRY(shared,
                  Learner::create(std::move(share->rows), std::move(share->labels), classes, options, noise, living));
    fit = shared.fit();
    curvature = shared.curvature_to_keep(fit);
  }
  UNSCATTER_TRY(learner,
                Learner::restore(std::move(rows), std::move(labels), classes, living, options, std::move(fit)));
  if (curvature) learner.restore_curvature(*std::move(curvature));
  return learner;
}

}  // namespace unscatter
