// One game: two worlds, what is promised about them, and everything that is found.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "audit/faults.h"
#include "audit/look.h"
#include "audit/world.h"
#include "unscatter/audit/audit.h"
#include "unscatter/base/progress.h"
#include "unscatter/base/result.h"

namespace unscatter {

// What a game is told.
struct GameSetting {
  AuditGame game = AuditGame::kRemoved;
  std::string about;
  RemovalGuarantee guarantee{0, 0};
  std::optional<double> promised_shift;  // of one observation
  double noise_stddev = 0;
  std::optional<double> grid;
  std::vector<Region> regions;
  std::size_t draws = 0;  // even
  double error = 0.05;    // of all its bounds together
  std::uint64_t seed = 1;
  std::size_t threads = 0;
  Progress* progress = nullptr;
};

struct GameOutcome {
  GameReport report;
  std::vector<AuditControl> controls;
  std::vector<AuditFault> faults;
};

// Observes both worlds `draws` times.  Controls and faults are made from the same observations, which are the costly
// part.  Errors: those of the worlds.
[[nodiscard]] Result<GameOutcome> play(World& reference, World& test, const GameSetting& setting,
                                       std::vector<PlantedFault> faults = {});

// The game `everyone`: x in, against x never in.  `with` holds x.  Of some that could leave, x is the one whose removal
// moves the weights most.  Observed are a model from before and, with two `models`, one from after x left, against as
// many models of a session that never had x.  `promised_shift` is about all of them together.
[[nodiscard]] Result<GameOutcome> play_everyone(const Session& with, const std::shared_ptr<const Embedder>& embedder,
                                                std::size_t models, std::optional<double> promised_shift,
                                                const AuditOptions& options, double error);

// How many observations of so many numbers are made where `asked` were asked for.
[[nodiscard]] std::size_t affordable_draws(std::size_t asked, std::size_t numbers);

}  // namespace unscatter
