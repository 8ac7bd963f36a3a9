// Corrections: one transaction for all that are asked for together.
#include <utility>
#include <vector>

#include "store/workspace_state.h"
#include "unscatter/store/request_text.h"

namespace unscatter {

Result<Workspace::Removal> Workspace::prepare_corrections(std::span<const Correction> corrections) {
  UNSCATTER_TRY(update, state_->prepare_corrections(corrections));
  std::vector<std::string> texts;
  texts.reserve(corrections.size());
  for (const Correction& correction : corrections) texts.push_back(request_text(correction));
  Removal::Parts parts{state_.get(), std::move(update), Asked(EntryKind::kCorrected, std::move(texts))};
  return Removal(std::make_unique<Removal::Parts>(std::move(parts)));
}

Result<Forgotten> Workspace::correct(std::span<const Correction> corrections, const ForgetOptions& options) {
  UNSCATTER_CHECK_OK(state_->require_writable());
  UNSCATTER_TRY(update, prepare_corrections(corrections));
  return update.commit(options);
}

}  // namespace unscatter
