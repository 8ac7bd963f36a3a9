#include "store/shard_rows.h"

#include <fmt/format.h>

#include <chrono>
#include <system_error>

#include "store/shard_files.h"
#include "store/sqlite.h"
#include "store/workspace_tables.h"

namespace unscatter {

Result<ReadRows> read_shard_rows(const std::filesystem::path& path, const ShardRowsRequest& request) {
  std::error_code none;
  const auto log = std::filesystem::file_size(std::filesystem::path(path.string() + "-wal"), none);
  if (!none && log > 0) {
    return Error{ErrorCode::kUnavailable, fmt::format("{} is being written; read it after the update", path.string())};
  }
  UNSCATTER_TRY(shard, Database::open(path, Database::Mode::kBeside, std::chrono::milliseconds(0)));
  UNSCATTER_CHECK_OK(shard.run("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;"));
  UNSCATTER_TRY(identity, read_shard_identity(shard));
  UNSCATTER_CHECK_OK(check_shard(identity, request.workspace, request.number, identity.touched, path));

  const std::size_t first = request.partition.first(request.number);
  // As a workspace of this part alone: slots before and behind it are in files that are not looked at.
  return read_rows_between(WorkspaceTables(shard), {first, request.leaves, first + request.leaves.size()},
                           request.width, request.classes);
}

}  // namespace unscatter
