#include "comm/mpi/stuck_threads.h"

#include <dirent.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>

namespace unscatter {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// "PID (NAME) S ...", where the name may have brackets too.
bool is_in_uninterruptible_wait(const std::string& stat) {
  const std::size_t name_end = stat.rfind(')');
  return name_end != std::string::npos && stat.compare(name_end, 4, ") D ") == 0;
}

// The lines "voluntary_ctxt_switches: N" and "nonvoluntary_ctxt_switches: N".
std::string switches_of(const std::string& status) {
  const std::size_t at = status.find("voluntary_ctxt_switches");
  return at == std::string::npos ? std::string() : status.substr(at);
}

}  // namespace

double StuckThreads::longest_wait(double now) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/task"), closedir);
  if (folder == nullptr) return 0;
  std::map<std::string, Wait> waits;
  double longest = 0;
  while (const dirent* entry = readdir(folder.get())) {
    const std::string thread = entry->d_name;
    if (thread.front() == '.') continue;
    const std::string place = "/proc/self/task/" + thread;
    if (!is_in_uninterruptible_wait(text_of(place + "/stat"))) continue;
    Wait wait{switches_of(text_of(place + "/status")), now};
    if (const auto before = waits_.find(thread); before != waits_.end() && before->second.switches == wait.switches) {
      wait.since = before->second.since;
    }
    longest = std::max(longest, now - wait.since);
    waits.emplace(thread, std::move(wait));
  }
  waits_ = std::move(waits);
  return longest;
}

}  // namespace unscatter
