#include "unscatter/base/progress.h"

namespace unscatter {

Progress& no_progress() noexcept {
  static Progress silent;  // stateless, hence safe to share
  return silent;
}

}  // namespace unscatter
