// A job of one rank.
#pragma once

#include <memory>

#include "comm/communicator.h"

namespace unscatter {

// Nothing is ever sent.  abort() writes the reason to standard error and ends the process with status 1.
[[nodiscard]] std::unique_ptr<Communicator> single_process();

}  // namespace unscatter
