// SQLite, the library behind a workspace, is not instrumented.  Coverage is counted in the code that uses its answers.
#include <unistd.h>

#include "fuzz/check_workspace.h"

namespace {

std::filesystem::path scratch_file() {
  const std::filesystem::path memory = "/dev/shm";
  const auto folder = access(memory.c_str(), W_OK | X_OK) == 0 ? memory : std::filesystem::temp_directory_path();
  return folder / ("unscatter-fuzz-" + std::to_string(getpid()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace unscatter::fuzz;
  static const std::filesystem::path scratch = scratch_file();
  return abort_on(check_workspace(as_text(data, size), scratch));
}
