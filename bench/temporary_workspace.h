// A workspace file in the folder for temporary files ($TMPDIR).  It is removed at the end.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "unscatter/base/random.h"
#include "unscatter/store/workspace.h"

namespace unscatter::bench {

class TemporaryWorkspace {
 public:
  TemporaryWorkspace() {
    SecureRandom random;
    path_ = std::filesystem::temp_directory_path() /
            fmt::format("bench-{}.unscatter", Salt::random(random).hex().substr(0, 16));
  }
  TemporaryWorkspace(const TemporaryWorkspace&) = delete;
  TemporaryWorkspace& operator=(const TemporaryWorkspace&) = delete;
  ~TemporaryWorkspace() {
    std::error_code ignored;
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(path_.string() + end, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace unscatter::bench
