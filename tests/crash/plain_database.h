// SQLite as it is, for tests that look below a workspace.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

struct sqlite3;

namespace unscatter::testing {

class PlainDatabase {
 public:
  // Created if there is none.  A file that cannot be opened shows in the first statement.
  explicit PlainDatabase(const std::filesystem::path& path);
  ~PlainDatabase();
  PlainDatabase(const PlainDatabase&) = delete;
  PlainDatabase& operator=(const PlainDatabase&) = delete;

  // False, and why, if it failed.
  bool execute(const std::string& sql);
  [[nodiscard]] const std::string& error() const { return error_; }
  // The first column of all rows, as text; nothing if the statement failed.
  [[nodiscard]] std::vector<std::string> column(const std::string& sql);

 private:
  sqlite3* connection_ = nullptr;
  std::string error_;
};

}  // namespace unscatter::testing
