#include "unscatter/base/version.h"

namespace unscatter {

std::string_view version() noexcept { return UNSCATTER_VERSION; }

}  // namespace unscatter
