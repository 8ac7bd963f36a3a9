// What the program tells its caller.  This is a stable contract (docs/cli.md).
#pragma once

namespace unscatter::cli {

enum ExitCode : int {
  kDone = 0,
  kRefused = 1,         // the request was refused or failed; the reason is on stderr and nothing was changed
  kWrongUsage = 2,      // the command line itself is wrong: unknown command or option, missing or unreadable value
  kInternalError = 70,  // a bug in unscatter (EX_SOFTWARE of sysexits.h)
};

}  // namespace unscatter::cli
