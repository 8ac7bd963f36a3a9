// Memory that the program has freed and the C library keeps.
#pragma once

namespace unscatter {

// Gives it back to the system.  For a process that has just freed most of what it had, and goes on for a while.
void return_freed_memory() noexcept;

}  // namespace unscatter
