// Decompression in one thread, parsing in another.
#pragma once

#include <memory>

#include "graph/readers/byte_source.h"

namespace unscatter::readers {

// The same bytes and errors as `source`, produced ahead of time by a thread of its own into a few blocks.  Destroying
// it early stops the thread.  Gives `source` back unchanged if the system cannot start a thread.
[[nodiscard]] std::unique_ptr<ByteSource> read_ahead(std::unique_ptr<ByteSource> source);

}  // namespace unscatter::readers
