#include "unscatter/base/progress.h"

namespace unscatter {

Progress& no_progress() noexcept {
  static Progress silent;  // has no state, so it is safe to share
  return silent;
}

}  // namespace unscatter
