#include "store/statement_cache.h"

#include <sqlite3.h>

namespace unscatter {
namespace {

// The program has about a hundred statements, and some texts hold numbers: those are not to fill the memory.
constexpr std::size_t kMostWaiting = 128;

// Some PRAGMA statements act when they are prepared, and not when they run.
bool acts_when_prepared(std::string_view sql) { return sql.starts_with("PRAGMA"); }

}  // namespace

StatementCache::~StatementCache() {
  for (auto& [sql, statements] : waiting_) {
    for (sqlite3_stmt* statement : statements) sqlite3_finalize(statement);
  }
}

sqlite3_stmt* StatementCache::take(std::string_view sql) {
  const std::lock_guard lock(mutex_);
  const auto found = waiting_.find(sql);
  if (found == waiting_.end() || found->second.empty()) return nullptr;
  sqlite3_stmt* statement = found->second.back();
  found->second.pop_back();
  --count_;
  return statement;
}

void StatementCache::give_back(sqlite3_stmt* statement) noexcept {
  const char* sql = sqlite3_sql(statement);
  if (sql == nullptr || acts_when_prepared(sql)) {
    sqlite3_finalize(statement);
    return;
  }
  // A statement that failed says so again here, and is as good as new afterwards.
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  try {
    const std::lock_guard lock(mutex_);
    if (count_ < kMostWaiting) {
      waiting_[sql].push_back(statement);
      ++count_;
      return;
    }
  } catch (...) {  // no memory: it is parsed again next time
  }
  sqlite3_finalize(statement);
}

}  // namespace unscatter
