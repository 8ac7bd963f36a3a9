// A program to be killed: works on the small workspace and says what it has done, one line at a time.
//
//   forget_driver forget PATH                    says how many steps are done, carries out the others, says so after
//   each forget_driver forget PATH --promise          the same, but says so before it is true: a planted fault
//   forget_driver hold PATH                      opens the workspace, says "ready", and holds it until its input ends
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "crash/small_workspace.h"

namespace unscatter::testing {
namespace {

// At once, past all buffers: what was said before a kill has been said.
void say(const std::string& line) {
  const std::string text = line + "\n";
  if (write(STDOUT_FILENO, text.data(), text.size()) < 0) _exit(3);
}

Status forget_all(Workspace& workspace, bool promise) {
  say(std::to_string(workspace.info().entries - 1));
  for (std::size_t done = workspace.info().entries - 1; done < small_steps().size(); ++done) {
    if (promise) say(std::to_string(done + 1));
    UNSCATTER_CHECK_OK(carry_out(workspace, small_steps()[done]));
    if (!promise) say(std::to_string(done + 1));
  }
  return ok_status();
}

Status drive(std::string_view mode, const std::string& path, bool promise) {
  UNSCATTER_TRY(workspace, Workspace::open(path, recorded_options(path)));
  if (mode == "forget") return forget_all(workspace, promise);
  say("ready");
  while (std::getchar() != EOF) {
  }
  return ok_status();
}

}  // namespace
}  // namespace unscatter::testing

int main(int count, char** words) {
  if (count < 3) return 2;
  const auto status =
      unscatter::testing::drive(words[1], words[2], count > 3 && std::string_view(words[3]) == "--promise");
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.error().message.c_str());
  return 1;
}
