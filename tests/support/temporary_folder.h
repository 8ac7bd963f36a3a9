// A folder that is removed when the test ends.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace unscatter::testing {

class TemporaryFolder {
 public:
  TemporaryFolder();
  explicit TemporaryFolder(const std::filesystem::path& parent);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Writes `content` to `name` inside the folder and returns the whole path.
  std::filesystem::path write(std::string_view name, std::string_view content) const;

 private:
  std::filesystem::path path_;
};

// A folder whose files live in memory, if there is one.  For tests that wait for many writes and need none of them to
// be durable.
[[nodiscard]] std::filesystem::path memory_folder();

[[nodiscard]] std::string read_whole_file(const std::filesystem::path& path);

}  // namespace unscatter::testing
