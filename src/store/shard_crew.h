// Other processes that read the shards of a workspace and update its model together with this one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "store/slot_partition.h"
#include "store/stored_rows.h"
#include "unlearn/row_crew.h"
#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"
#include "unscatter/unlearn/snapshot.h"

namespace unscatter {

// The rows of a sharded workspace that this process has open.
struct ShardedRows {
  std::filesystem::path folder;
  std::string workspace;  // its id
  SlotPartition partition;
  std::size_t slots = 0;
  std::size_t graphs = 0;  // slots with a row
  std::size_t width = 0;
  std::size_t classes = 0;
  // Digests of the slots from `first` to before `last`, ends of shards.
  std::function<Result<std::vector<Digest>>(std::size_t first, std::size_t last)> leaves = nullptr;
  // What this process reads of those slots by itself.
  std::function<Result<ReadRows>(std::size_t first, std::size_t last)> read_here = nullptr;
};

class ShardCrew : public RowCrew {
 public:
  // Every process reads the rows of some shards.  Returns the share of this one, as spread() does.  Nothing if they are
  // too few to be worth it, or if somebody could not read what it should: then this process reads all, and says what is
  // wrong.
  [[nodiscard]] virtual std::optional<KeptState::Rows> read_shards(const ShardedRows& kept, std::size_t threads) = 0;
};

}  // namespace unscatter
