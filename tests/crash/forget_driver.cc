// A program to be killed: works on the small workspace and says what it has done, one line at a time.
//
//   forget_driver forget PATH                    says how many steps are done, carries out the others, says so after
//                                                each
//   forget_driver forget PATH --promise          the same, but says so long before it is true: a planted fault
//   forget_driver compact PATH                   compacts it, says so, and begins again
//   forget_driver backup PATH TO                 copies it, says so, and begins again
//   forget_driver upgrade PATH KEY               brings it to the present format and says so
//   forget_driver hold PATH                      opens the workspace, says "ready", and holds it until its input ends
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "crash/small_workspace.h"
#include "unscatter/store/signing_key.h"

namespace unscatter::testing {
namespace {

// At once, past all buffers: what was said before a kill has been said.
void say(const std::string& line) {
  const std::string text = line + "\n";
  if (write(STDOUT_FILENO, text.data(), text.size()) < 0) _exit(3);
}

// A removal can be faster than the signal that is to kill its process.  The planted fault must not depend on that.
constexpr std::chrono::milliseconds kPromisedBefore{200};

Status forget_all(Workspace& workspace, bool promise) {
  say(std::to_string(workspace.info().entries - 1));
  for (std::size_t done = workspace.info().entries - 1; done < small_steps().size(); ++done) {
    if (promise) {
      say(std::to_string(done + 1));
      std::this_thread::sleep_for(kPromisedBefore);
    }
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

Status compact_forever(const std::string& path) {
  for (;;) {
    UNSCATTER_CHECK_OK(compact_workspace(path, small_options()));
    say("compacted");
  }
}

Status back_up_forever(const std::string& path, const std::string& to) {
  WorkspaceOptions reading = small_options();
  reading.read_only = true;
  for (;;) {
    UNSCATTER_TRY(workspace, Workspace::open(path, reading));
    UNSCATTER_CHECK_OK(workspace.backup(to, {.replace = true}));
    say("copied");
  }
}

Status upgrade_once(const std::string& path, const std::string& key) {
  WorkspaceOptions how = small_options();
  UNSCATTER_TRY(loaded, SigningKey::load(key));
  how.key = std::make_shared<const SigningKey>(std::move(loaded));
  UNSCATTER_CHECK_OK(upgrade_workspace(path, how));
  say("upgraded");
  return ok_status();
}

Status run(std::string_view mode, const std::string& path, const std::string& more) {
  if (mode == "compact") return compact_forever(path);
  if (mode == "backup") return back_up_forever(path, more);
  if (mode == "upgrade") return upgrade_once(path, more);
  return drive(mode, path, more == "--promise");
}

}  // namespace
}  // namespace unscatter::testing

int main(int count, char** words) {
  if (count < 3) return 2;
  const auto status = unscatter::testing::run(words[1], words[2], count > 3 ? words[3] : "");
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.error().message.c_str());
  return 1;
}
