// A folder that is gone when the test ends.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace unscatter::testing {

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Writes `content` to `name` inside the folder and returns the whole path.
  std::filesystem::path write(std::string_view name, std::string_view content) const;

 private:
  std::filesystem::path path_;
};

[[nodiscard]] std::string read_whole_file(const std::filesystem::path& path);

}  // namespace unscatter::testing
