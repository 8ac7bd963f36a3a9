// A failure must not get lost: Result is [[nodiscard]].
#include "unscatter/base/result.h"

unscatter::Status write_something();

void caller() {
#ifdef UNSCATTER_CONTROL
  if (!write_something().ok()) return;
#else
  write_something();
#endif
}
