// What all ranks but the first do.
#pragma once

#include "comm/communicator.h"

namespace unscatter::cluster {

// Takes orders of the first rank (operation.h) until the job is done.  What goes wrong here ends the job (abort()).
void serve_first_rank(Communicator& job);

}  // namespace unscatter::cluster
