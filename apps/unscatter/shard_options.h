// Into how many files a workspace is cut.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>

#include "unscatter/base/result.h"
#include "unscatter/store/workspace.h"

namespace unscatter::cli {

struct ShardArguments {
  std::size_t shards = 0;
  std::size_t slots_per_shard = 0;

  // --shards and --slots-per-shard.
  void add_to(CLI::App& command);
  // Errors: kInvalidArgument where a shard is not 128 slots times a power of two.
  [[nodiscard]] Result<ShardPlan> plan() const;
};

}  // namespace unscatter::cli
