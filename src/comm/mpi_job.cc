#include "comm/mpi_job.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "comm/mpi/plugin.h"

namespace unscatter {
namespace {

class MpiRank final : public Communicator {
 public:
  MpiRank(const UnscatterMpi& mpi, const UnscatterMpiWorld& world) : mpi_(mpi), rank_(world.rank), size_(world.size) {}
  ~MpiRank() override { mpi_.finish(); }
  [[nodiscard]] std::size_t rank() const noexcept override { return rank_; }
  [[nodiscard]] std::size_t size() const noexcept override { return size_; }
  [[noreturn]] void abort(std::string_view reason) override {
    mpi_.abort(std::string(reason).c_str());
    std::_Exit(EXIT_FAILURE);  // not reached
  }

 protected:
  void do_send(std::size_t to, std::span<const std::byte> bytes) override { mpi_.send(to, bytes.data(), bytes.size()); }
  void do_receive(std::size_t from, std::span<std::byte> bytes) override {
    mpi_.receive(from, bytes.data(), bytes.size());
  }

 private:
  const UnscatterMpi& mpi_;
  std::size_t rank_;
  std::size_t size_;
};

Error cannot_join(const Launch& launch, std::string_view why) {
  const std::string ranks = launch.ranks ? fmt::format("{} ranks", *launch.ranks) : "several ranks";
  return {ErrorCode::kUnsupported, fmt::format("{} started {}, but {}", launch.launcher, ranks, why)};
}

// The library stays loaded until the process ends, as MPI demands.
Result<const UnscatterMpi*> load(const Launch& launch, const std::filesystem::path& plugin) {
  std::error_code failed;
  if (!std::filesystem::exists(plugin, failed)) {
    return cannot_join(launch, fmt::format("this program has no MPI: '{}' is not there; build with -DUNSCATTER_MPI=ON, "
                                           "or start one process without a launcher",
                                           plugin.string()));
  }
  // Parts that an MPI library loads later look for its symbols among the global ones.
  void* library = dlopen(plugin.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return cannot_join(launch, fmt::format("MPI cannot be loaded: {}", dlerror()));
  void* symbol = dlsym(library, "unscatter_mpi");
  if (symbol == nullptr) {
    return cannot_join(launch, fmt::format("'{}' is not the MPI plug-in of this program", plugin.string()));
  }
  UnscatterMpiEntry entry = nullptr;
  std::memcpy(&entry, &symbol, sizeof(entry));
  const UnscatterMpi* mpi = entry();
  if (mpi->edition != kUnscatterMpiEdition) {
    return cannot_join(launch, fmt::format("'{}' belongs to another version of this program", plugin.string()));
  }
  return mpi;
}

}  // namespace

Result<double> rank_timeout_from_environment() {
  const char* text = std::getenv("UNSCATTER_RANK_TIMEOUT");
  if (text == nullptr || *text == 0) return MpiOptions().timeout_seconds;
  double seconds = 0;
  const char* end = text + std::strlen(text);
  const auto [stopped, failed] = std::from_chars(text, end, seconds);
  if (failed != std::errc() || stopped != end || !(seconds >= 1 && seconds <= 86400)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("UNSCATTER_RANK_TIMEOUT is '{}'; it must be a number of seconds from 1 to 86400", text)};
  }
  return seconds;
}

Result<std::unique_ptr<Communicator>> join_mpi_job(const Launch& launch, const std::filesystem::path& plugin,
                                                   const MpiOptions& options) {
  UNSCATTER_TRY(mpi, load(launch, plugin));
  const UnscatterMpiStart how{options.timeout_seconds, options.piece_bytes};
  UnscatterMpiWorld world{};
  char reason[512] = "";
  if (mpi->start(&how, &world, reason, sizeof(reason)) != 0) return cannot_join(launch, reason);
  auto job = std::make_unique<MpiRank>(*mpi, world);
  if (launch.ranks && *launch.ranks != world.size) {
    return Error{ErrorCode::kUnavailable,
                 fmt::format("{} started {} ranks, but MPI ({}) sees {}: launcher and library do not belong together; "
                             "start with the launcher of that library",
                             launch.launcher, *launch.ranks, world.library, world.size)};
  }
  return std::unique_ptr<Communicator>(std::move(job));
}

}  // namespace unscatter
