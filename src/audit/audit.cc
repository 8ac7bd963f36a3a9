#include "unscatter/audit/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "audit/game.h"
#include "audit/random_removals.h"
#include "privacy/grid_noise.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

// Every observation of the objective mechanism is a training.
constexpr std::size_t kMostTrainings = 2000;
// At level everyone the noise depends on how many models the promise covers.  So a copy publishes no more than that
// many, and most observations take a new copy.
constexpr std::size_t kMostCopies = 2000;

Status check(const AuditOptions& options) {
  const auto wrong = [](std::string_view sentence) {
    return Error{ErrorCode::kInvalidArgument, std::string(sentence)};
  };
  if (options.games.empty()) return wrong("an audit needs a game");
  for (std::size_t i = 0; i < options.games.size(); ++i) {
    if (std::count(options.games.begin(), options.games.end(), options.games[i]) > 1) {
      return wrong(fmt::format("the game {} is named twice", name(options.games[i])));
    }
  }
  if (options.draws < 1000) return wrong("an audit needs at least 1000 draws: fewer show too little");
  if (options.removals == 0) return wrong("an audit needs at least one removal");
  if (!(options.confidence > 0 && options.confidence < 1)) return wrong("the confidence must be between 0 and 1");
  return ok_status();
}

// What is promised about one published model.
Result<double> promised_shift_of(const Promise& promise) {
  // Under the paper's rule the limit is one on a sum of residuals.  What is promised is (epsilon, delta).
  if (promise.rule == BudgetRule::kPaper) return largest_shift_lower_bound(promise.guarantee);
  return promise.shift_limit;
}

Result<GameSetting> setting_of(const Session& session, const AuditOptions& options, double error) {
  const Promise& promise = session.certificate().promise;
  GameSetting setting;
  setting.guarantee = promise.guarantee;
  UNSCATTER_TRY(shift, promised_shift_of(promise));
  setting.promised_shift = shift;
  setting.noise_stddev = promise.noise_stddev;
  const Matrix published = published_columns(session, session.weights());
  setting.regions = regions_of_model(published.rows(), published.cols());
  setting.error = error;
  setting.seed = options.seed;
  setting.threads = options.threads;
  setting.progress = options.progress;
  return setting;
}

// Release mechanism.
Result<GameOutcome> play_removed(const Session& session, const std::shared_ptr<const Embedder>& embedder,
                                 const AuditOptions& options, double error) {
  UNSCATTER_TRY(forgetful, copy_of(session, embedder, session.options()));
  Sequence random(options.seed);
  UNSCATTER_TRY(removals, remove_at_random(forgetful, options.removals, random));
  // Constants that follow the data are those of what is left, as a training from scratch would fit them.
  const std::shared_ptr<const Embedder> fitted = forgetful.embedder();
  UNSCATTER_TRY(retrained, Session::create(forgetful.remaining(), fitted, session.options()));

  UNSCATTER_TRY(setting, setting_of(session, options, error));
  setting.about = "a session that forgot, against one trained from scratch on what is left";
  UNSCATTER_TRY(grid, GridNoise::create(setting.noise_stddev));
  setting.grid = grid.grid();
  const std::size_t most = session.options().protection == Protection::kEveryone ? kMostCopies : options.draws;
  setting.draws = affordable_draws(std::min(options.draws, most), static_cast<std::size_t>(session.weights().size()));
  std::vector<PlantedFault> faults;
  if (options.faults) {
    faults = noise_faults(setting.grid);
    UNSCATTER_TRY(more, weight_faults(forgetful, retrained, removals));
    std::move(more.begin(), more.end(), std::back_inserter(faults));
  }
  UNSCATTER_TRY(reference, PublishingWorld::create({&retrained}, fitted, setting.draws));
  UNSCATTER_TRY(test, PublishingWorld::create({&forgetful}, fitted, setting.draws));
  UNSCATTER_TRY(outcome, play(*reference, *test, setting, std::move(faults)));
  outcome.report.requests = removals.counts;
  return outcome;
}

// Objective mechanism: the noise is in the training, so every observation is one.
Result<GameOutcome> play_removed_by_training(const Session& session, const std::shared_ptr<const Embedder>& embedder,
                                             const AuditOptions& options, double error) {
  UNSCATTER_TRY(forgetful, Session::create(session.remaining(), embedder, session.options()));
  Sequence random(options.seed);
  UNSCATTER_TRY(removals, remove_at_random(forgetful, options.removals, random));

  UNSCATTER_TRY(setting, setting_of(session, options, error));
  setting.about = "trainings that forgot, against trainings from scratch on what is left";
  setting.draws = affordable_draws(std::min(options.draws, kMostTrainings), 1);
  std::vector<PlantedFault> faults;
  if (options.faults) faults = noise_faults(std::nullopt);
  UNSCATTER_TRY(reference, TrainingWorld::create(forgetful.remaining(), {}, embedder, session.options()));
  UNSCATTER_TRY(test, TrainingWorld::create(session.remaining(), removals.requests, embedder, session.options()));
  UNSCATTER_TRY(outcome, play(*reference, *test, setting, std::move(faults)));
  outcome.report.requests = removals.counts;
  return outcome;
}

Result<GameOutcome> play_named(AuditGame game, const Session& session, const std::shared_ptr<const Embedder>& embedder,
                               const AuditOptions& options, double error) {
  const bool published_noise = session.options().mechanism == Mechanism::kRelease;
  if (game == AuditGame::kRemoved) {
    return published_noise ? play_removed(session, embedder, options, error)
                           : play_removed_by_training(session, embedder, options, error);
  }
  if (!published_noise) {
    return Error{ErrorCode::kUnsupported, "the game everyone needs the release mechanism: noise on published models"};
  }
  // Level removed promises removal.  What models tell about somebody who is in one of them is then measured, and no
  // promise is broken by it (docs/audit.md, "Games").
  if (session.options().protection == Protection::kRemoved) {
    return play_everyone(session, embedder, 2, std::nullopt, options, error);
  }
  // Each model may shift by the limit, and a pair by sqrt(2) times as much, if the promise covers two.
  const Promise& promise = session.certificate().promise;
  const std::size_t models = std::min<std::size_t>(promise.releases, 2);
  AuditOptions fewer = options;
  fewer.draws = std::min(options.draws, kMostCopies);
  return play_everyone(session, embedder, models, promise.shift_limit * std::sqrt(static_cast<double>(models)), fewer,
                       error);
}

}  // namespace

std::string_view name(AuditGame game) { return game == AuditGame::kRemoved ? "removed" : "everyone"; }

Result<AuditGame> parse_audit_game(std::string_view text) {
  for (const AuditGame game : {AuditGame::kRemoved, AuditGame::kEveryone}) {
    if (name(game) == text) return game;
  }
  return Error{ErrorCode::kInvalidArgument, fmt::format("there is no game '{}'; choose from removed, everyone", text)};
}

bool GameReport::passed() const {
  return !exceeded && !looks.empty() &&
         std::all_of(noise.begin(), noise.end(), [](const NoiseCheck& check) { return check.passed; });
}

bool AuditReport::passed() const {
  return !games.empty() && !controls.empty() &&
         std::all_of(games.begin(), games.end(), [](const GameReport& game) { return game.passed(); }) &&
         std::all_of(controls.begin(), controls.end(), [](const AuditControl& control) { return control.passed; }) &&
         std::all_of(faults.begin(), faults.end(),
                     [](const AuditFault& fault) { return fault.flagged || !fault.visible; });
}

std::string first_failure(const AuditReport& report) {
  for (const GameReport& game : report.games) {
    if (game.exceeded) {
      return fmt::format("game {}: the shift is at least {:.4g}, and at most {} was promised", name(game.game),
                         game.shift_lower_bound,
                         game.promised_shift ? fmt::format("{:.4g}", *game.promised_shift) : "none");
    }
    for (const NoiseCheck& check : game.noise) {
      if (!check.passed) return fmt::format("game {}: noise, {}: {}", name(game.game), check.name, check.detail);
    }
  }
  for (const AuditControl& control : report.controls) {
    if (!control.passed) {
      return fmt::format("the control '{}' has a shift of {:.4g} and was measured as at least {:.4g}", control.name,
                         control.truth, control.shift_lower_bound);
    }
  }
  for (const AuditFault& fault : report.faults) {
    if (fault.visible && !fault.flagged) return fmt::format("the planted fault '{}' was not noticed", fault.name);
  }
  return "nothing was audited";
}

Result<AuditReport> audit(const Session& session, const std::shared_ptr<const Embedder>& embedder,
                          const AuditOptions& options) {
  invariant(embedder != nullptr, "an audit needs the session's embedder");
  UNSCATTER_CHECK_OK(check(options));
  // All bounds of all games hold together with the confidence that was asked for.
  const double error = (1 - options.confidence) / static_cast<double>(options.games.size());
  AuditReport report;
  for (const AuditGame game : options.games) {
    UNSCATTER_TRY(outcome, play_named(game, session, embedder, options, error));
    report.games.push_back(std::move(outcome.report));
    std::move(outcome.controls.begin(), outcome.controls.end(), std::back_inserter(report.controls));
    std::move(outcome.faults.begin(), outcome.faults.end(), std::back_inserter(report.faults));
  }
  return report;
}

}  // namespace unscatter
