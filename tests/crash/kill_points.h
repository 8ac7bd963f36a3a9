// Work that is killed at a chosen system call.
#pragma once

#include <cstddef>
#include <functional>

#include "unscatter/base/result.h"

namespace unscatter::testing {

// Where SIGKILL comes: before the call with this number, from 0, that changes a file: a write, a sync, a cut, a new
// name, a deletion.  A write of many pages counts as one call per 4096 bytes, because the kernel takes one after the
// other.  What the calls before it did is there, because the kernel keeps it.  So every moment at which a process can
// be killed leaves the disk as one of these points does, or as one with half a page.
struct KillPoint {
  std::size_t at = 0;
  bool half = false;  // the first half of a page, or of what is left of a write, is done
};

struct KilledRun {
  bool killed = false;  // false: it came to its end before
  bool failed = false;  // it came to its end with an error
  std::size_t acknowledged = 0;
};

// Says that something is done.  It outlives the process that says it.
using Acknowledge = std::function<void()>;

// Runs `work` in a process of its own, a fork of this one.  No database may be open here.  Throws std::runtime_error
// where no process can be started.
[[nodiscard]] KilledRun run_and_kill(const KillPoint& point, const std::function<Status(const Acknowledge&)>& work);

}  // namespace unscatter::testing
