#include "cluster/ranks.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/locations.h"
#include "comm/launcher.h"
#include "comm/mpi_job.h"
#include "embedding/embedding_version.h"
#include "unscatter/base/version.h"

namespace unscatter::cluster {
namespace {

// A launcher that does not say how many it started may have started many.
bool many(const std::optional<Launch>& launch) { return launch && launch->ranks.value_or(2) > 1; }

}  // namespace

bool is_one_of_many() { return many(launched()); }

bool speaks_for_the_job() {
  const std::optional<Launch> launch = launched();
  return !launch || launch->rank.value_or(0) == 0;
}

void agree_on_version(Communicator& job, const std::string& own) {
  std::vector<std::byte> bytes(own.size());
  std::memcpy(bytes.data(), own.data(), own.size());
  job.broadcast_any(bytes);
  const std::string first(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (first != own) job.abort(fmt::format("this is {}, but the first rank runs {}", own, first));
}

Result<std::unique_ptr<Communicator>> join_ranks() {
  const std::optional<Launch> launch = launched();
  if (!many(launch)) return std::unique_ptr<Communicator>();
  UNSCATTER_TRY(timeout, rank_timeout_from_environment());
  MpiOptions options;
  options.timeout_seconds = timeout;
  UNSCATTER_TRY(job, join_mpi_job(*launch, plugin_of_this_program("unscatter-mpi.so"), options));
  agree_on_version(*job, fmt::format("unscatter {}, embedding {}", version(), kEmbeddingVersion));
  return job;
}

}  // namespace unscatter::cluster
