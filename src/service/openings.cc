#include "service/openings.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "unscatter/store/request_text.h"

namespace unscatter::service {
namespace {

bool write_all(int file, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t wrote = write(file, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    done += static_cast<std::size_t>(wrote);
  }
  return fsync(file) == 0;
}

}  // namespace

Status append_openings(const std::filesystem::path& path, const Forgotten& outcome) {
  std::string lines;
  for (std::size_t i = 0; i < outcome.salts.size() && i < outcome.requests.size(); ++i) {
    lines += opening_text({static_cast<std::size_t>(outcome.entry.sequence), outcome.entry.commitments[i],
                           outcome.requests[i], outcome.salts[i]});
    lines += '\n';
  }
  if (lines.empty()) return ok_status();
  const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  const bool written = file >= 0 && write_all(file, lines);
  const int reason = errno;
  if (file >= 0) close(file);
  if (written) return ok_status();
  return Error{ErrorCode::kIo, "the openings cannot be written: " + std::generic_category().message(reason)};
}

}  // namespace unscatter::service
