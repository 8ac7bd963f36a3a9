// The recorded sequences, by what they look at.  Each prints its lines.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "material.h"

namespace replay {

// Every transform over every feature map.
void record_embeddings(const std::vector<Material>& materials, std::size_t threads);
// Removals in memory: losses, bounds, mechanisms, methods.
void record_sessions(const std::vector<Material>& materials, std::size_t threads);
// Many removals, so that what is kept between them is renewed several times.
void record_long_sessions(const std::vector<Material>& materials, std::size_t threads);
// Real data in memory, fewer choices.
void record_real_sessions(const std::vector<Material>& materials, std::size_t threads);
// Removals on disk, in files that stay in `folder`: ledger, receipts, lists, releases, opening again.
void record_workspaces(const std::vector<Material>& materials, const std::filesystem::path& folder,
                       std::size_t threads);

}  // namespace replay
