// Prepared statements that wait for their next use.  To parse and plan a statement takes longer than to run it for one
// row, and a removal runs the same few for every touched graph.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3_stmt;

namespace unscatter {

// Of one connection.  Any thread.
class StatementCache {
 public:
  StatementCache() = default;
  StatementCache(const StatementCache&) = delete;
  StatementCache& operator=(const StatementCache&) = delete;
  ~StatementCache();  // before the connection closes

  // A statement of exactly this text that nobody uses; null if there is none.
  [[nodiscard]] sqlite3_stmt* take(std::string_view sql);
  // It was prepared from the text that it names.  Forgets what was bound, and ends what it was reading.
  void give_back(sqlite3_stmt* statement) noexcept;

 private:
  std::mutex mutex_;  // of both
  std::map<std::string, std::vector<sqlite3_stmt*>, std::less<>> waiting_;
  std::size_t count_ = 0;
};

}  // namespace unscatter
