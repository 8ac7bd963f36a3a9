#include "shard_options.h"

#include <fmt/format.h>

#include <bit>

namespace unscatter::cli {

void ShardArguments::add_to(CLI::App& command) {
  CLI::Option* count = command.add_option("--shards", shards, "A folder of at most so many shards of equal size")
                           ->group("Shards")
                           ->check(CLI::Range(1, 256));
  command.add_option("--slots-per-shard", slots_per_shard, "A folder of shards of this size: 128 times a power of two")
      ->group("Shards")
      ->excludes(count);
}

Result<ShardPlan> ShardArguments::plan() const {
  // Sums over rows are taken in a tree of such parts (docs/workspace-format.md, "Sharded workspaces").
  constexpr std::size_t kUnit = 128;
  if (slots_per_shard % kUnit != 0 || (slots_per_shard > 0 && !std::has_single_bit(slots_per_shard / kUnit))) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("--slots-per-shard {}: a shard has 128 slots times a power of two: 128, 256, 512, ...",
                             slots_per_shard)};
  }
  return ShardPlan{shards, slots_per_shard};
}

}  // namespace unscatter::cli
