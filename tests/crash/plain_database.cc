#include "crash/plain_database.h"

#include <sqlite3.h>

namespace unscatter::testing {

PlainDatabase::PlainDatabase(const std::filesystem::path& path) { sqlite3_open(path.c_str(), &connection_); }
PlainDatabase::~PlainDatabase() { sqlite3_close(connection_); }

bool PlainDatabase::execute(const std::string& sql) {
  const int code = sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr);
  error_ = code == SQLITE_OK ? "" : sqlite3_errmsg(connection_);
  return code == SQLITE_OK;
}

std::vector<std::string> PlainDatabase::column(const std::string& sql) {
  std::vector<std::string> values;
  const auto keep = [](void* to, int, char** columns, char**) {
    static_cast<std::vector<std::string>*>(to)->emplace_back(columns[0] == nullptr ? "" : columns[0]);
    return 0;
  };
  const int code = sqlite3_exec(connection_, sql.c_str(), keep, &values, nullptr);
  error_ = code == SQLITE_OK ? "" : sqlite3_errmsg(connection_);
  if (code != SQLITE_OK) values.clear();
  return values;
}

}  // namespace unscatter::testing
