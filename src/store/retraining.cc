// What a retraining takes over from the workspace that it starts from.
#include "unscatter/store/workspace.h"

namespace unscatter {

Status take_over_constants(const WorkspaceInfo& before, const ChosenAnew& anew, WorkspaceSetup& setup) {
  if (setup.options.classes == ConstantKind::kFittedOnce) {
    // A list that was fitted once may name a class whose last graph was forgotten.
    UNSCATTER_CHECK_OK(state_classes(setup.dataset, classes_that_occur(setup.dataset)));
  }
  if (anew.constants) return ok_status();
  const bool refits = before.fit == ConstantKind::kPrivateFit || before.fit == ConstantKind::kFittedOnce;
  if (refits) {
    setup.fit = {before.fit, nullptr};
  } else if (before.fit == ConstantKind::kPublicData && !anew.transform) {
    setup.features = before.features;
  }
  return ok_status();
}

}  // namespace unscatter
