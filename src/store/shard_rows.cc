#include "store/shard_rows.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <system_error>
#include <utility>
#include <vector>

#include "store/shard_files.h"
#include "store/sqlite.h"
#include "store/stored_rows.h"
#include "store/workspace_tables.h"

namespace unscatter {

Result<KeptState::Rows> read_shard_rows(const std::filesystem::path& path, const ShardRowsRequest& request,
                                        std::size_t& found) {
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
  const std::size_t count = request.leaves.size();
  KeptState::Rows kept{SparseBlockRows(count, request.width), std::vector<std::uint32_t>(count, 0)};
  const auto take = [&](std::size_t slot, std::span<const std::byte> content) -> Status {
    BlockRow row;
    const std::size_t place = slot - first;
    UNSCATTER_CHECK_OK(parse_row(content, slot, request.width, request.classes, row, kept.labels[place]));
    kept.rows.set_row(place, std::move(row));
    return ok_status();
  };
  // As a workspace of this part alone: slots before and behind it are in files that are not looked at.
  UNSCATTER_TRY(rows, visit_rows_between(WorkspaceTables(shard), {first, request.leaves, first + count}, take));
  found = rows;
  return kept;
}

}  // namespace unscatter
