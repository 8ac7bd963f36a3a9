#include "comm/launcher.h"

#include <charconv>
#include <cstdlib>
#include <cstring>

namespace unscatter {
namespace {

struct Signs {
  std::string_view launcher;
  const char* ranks;  // variables; null: there is none
  const char* rank;
};

// A batch script of Slurm has SLURM_NTASKS and SLURM_PROCID too, though nobody started ranks there.  Only srun sets
// those of a step.
constexpr Signs kSigns[] = {
    {"Open MPI", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    {"MPICH", "PMI_SIZE", "PMI_RANK"},
    {"Slurm", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
    {"PMIx", nullptr, "PMIX_RANK"},
};

std::optional<std::size_t> number(const char* text) {
  if (text == nullptr) return std::nullopt;
  std::size_t value = 0;
  const char* end = text + std::strlen(text);
  const auto [stopped, failed] = std::from_chars(text, end, value);
  if (failed != std::errc() || stopped != end || stopped == text) return std::nullopt;
  return value;
}

}  // namespace

std::optional<Launch> launched(const std::function<const char*(const char*)>& variable) {
  for (const Signs& signs : kSigns) {
    const auto ranks = signs.ranks == nullptr ? std::nullopt : number(variable(signs.ranks));
    const auto rank = number(variable(signs.rank));
    if (signs.ranks == nullptr ? rank.has_value() : ranks.has_value()) return Launch{signs.launcher, ranks, rank};
  }
  return std::nullopt;
}

std::optional<Launch> launched() {
  return launched([](const char* name) { return std::getenv(name); });
}

}  // namespace unscatter
