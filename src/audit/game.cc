#include "audit/game.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include "audit/bounds.h"
#include "audit/noise_watch.h"
#include "audit/random_removals.h"
#include "base/parallel.h"
#include "privacy/grid_noise.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

// Numbers with noise that one world draws at most: less than two minutes, at half a microsecond each.
constexpr std::size_t kMostNumbers = 200'000'000;
constexpr std::size_t kFewestDraws = 1000;
// Pairs that are observed before they are looked at.  Even, because controls take two of one world.
constexpr std::size_t kBatch = 16;
constexpr std::size_t kCandidates = 8;
constexpr double kPlantedShift = 1;

std::size_t pilot_draws(std::size_t draws) { return std::clamp<std::size_t>(draws / 10, 50, 1000); }

// D, or any direction where the two worlds coincide: the noise is looked at all the same.
Matrix direction_between(const Matrix& reference, const Matrix& test, std::uint64_t seed) {
  Matrix direction = test - reference;
  if (direction.norm() > 0) return direction;
  Sequence random(seed);
  for (double& value : direction.reshaped()) value = random.chance(0.5) ? 1 : -1;
  return direction;
}

// Something that takes pairs of observations: the game itself, a control or a fault.
class Spectator {
 public:
  Spectator() = default;
  Spectator(const Spectator&) = delete;
  Spectator& operator=(const Spectator&) = delete;
  virtual ~Spectator() = default;
  virtual void see(std::span<const Matrix> reference, std::span<const Matrix> test) = 0;
};

class GameSpectator final : public Spectator {
 public:
  GameSpectator(const Matrix& reference, const Matrix& test, const Matrix& direction, const GameSetting& setting)
      : comparison_(reference, direction, setting.noise_stddev, setting.regions, pilot_draws(setting.draws)),
        noise_(reference, test, setting.noise_stddev, setting.grid) {}

  void see(std::span<const Matrix> reference, std::span<const Matrix> test) override {
    for (std::size_t i = 0; i < reference.size(); ++i) see_pair(reference[i], test[i]);
  }
  void see_pair(const Matrix& reference, const Matrix& test) {
    comparison_.see(reference, test);
    noise_.see(reference, test);
  }
  [[nodiscard]] const Comparison& comparison() const { return comparison_; }
  [[nodiscard]] const NoiseWatch& noise() const { return noise_; }

 private:
  Comparison comparison_;
  NoiseWatch noise_;
};

// Compares every world with itself, and adds a known shift to one of the two.
class ControlSpectator final : public Spectator {
 public:
  ControlSpectator(const Matrix& reference, const Matrix& test, const Matrix& direction, const GameSetting& setting,
                   double shift)
      : comparison_(reference, direction, setting.noise_stddev, {setting.regions.front()}, pilot_draws(setting.draws)),
        planted_(direction * (shift * setting.noise_stddev / direction.norm())),
        back_(reference - test) {}

  void see(std::span<const Matrix> reference, std::span<const Matrix> test) override {
    for (std::size_t i = 0; i + 1 < reference.size(); i += 2) {
      comparison_.see(reference[i], reference[i + 1] + planted_);
      comparison_.see(test[i] + back_, test[i + 1] + back_ + planted_);
    }
  }
  [[nodiscard]] const Comparison& comparison() const { return comparison_; }

 private:
  Comparison comparison_;
  Matrix planted_;
  Matrix back_;  // from the one world to the other
};

class FaultSpectator final : public Spectator {
 public:
  FaultSpectator(PlantedFault fault, const Matrix& reference, const Matrix& test, const Matrix& direction,
                 const GameSetting& setting)
      : fault_(std::move(fault)),
        reference_(reference),
        test_(test),
        kept_(fault_.weights ? *fault_.weights : test),
        inner_(reference_, kept_, fault_.weights ? direction_between(reference, kept_, setting.seed) : direction,
               setting) {
    Matrix moved = kept_ - test_;
    // To the grid, as if the faulty weights had been published: the fault must be found where it is.
    if (setting.grid) moved = (moved.array() / *setting.grid).round() * *setting.grid;
    moved_ = std::move(moved);
  }

  void see(std::span<const Matrix> reference, std::span<const Matrix> test) override {
    for (std::size_t i = 0; i < reference.size(); ++i) {
      Matrix shown_reference = reference[i], shown_test = test[i] + moved_;
      if (fault_.publish) {
        fault_.publish(reference_, shown_reference);
        fault_.publish(kept_, shown_test);
      }
      inner_.see_pair(shown_reference, shown_test);
    }
  }
  [[nodiscard]] const PlantedFault& fault() const { return fault_; }
  [[nodiscard]] const GameSpectator& inner() const { return inner_; }
  [[nodiscard]] double distance() const { return (kept_ - reference_).norm(); }

 private:
  PlantedFault fault_;
  Matrix reference_;
  Matrix test_;
  Matrix kept_;  // what the faulty session would keep
  Matrix moved_;
  GameSpectator inner_;
};

Status observe_both(World& reference, World& test, const GameSetting& setting,
                    std::span<const std::unique_ptr<Spectator>> spectators) {
  Progress& progress = setting.progress != nullptr ? *setting.progress : no_progress();
  progress.begin(fmt::format("observe ({})", name(setting.game)), setting.draws);
  World* const worlds[] = {&reference, &test};
  std::vector<Matrix> seen[2];
  Status failures[2] = {ok_status(), ok_status()};
  for (std::size_t done = 0; done < setting.draws;) {
    const std::size_t now = std::min(kBatch, setting.draws - done);
    parallel_for(2, setting.threads, 1, [&](std::size_t world, std::size_t) {
      seen[world].clear();
      while (seen[world].size() < now && failures[world].ok()) {
        auto observed = worlds[world]->observe();
        if (observed.ok()) {
          seen[world].push_back(*std::move(observed));
        } else {
          failures[world] = std::move(observed).error();
        }
      }
    });
    for (Status& failure : failures) {
      if (failure.ok()) continue;
      progress.end();
      return std::move(failure).error();
    }
    parallel_for(spectators.size(), setting.threads, 1,
                 [&](std::size_t i, std::size_t) { spectators[i]->see(seen[0], seen[1]); });
    done += now;
    progress.advance(now);
  }
  progress.end();
  return ok_status();
}

bool breaks_promise(const AuditLook& look, const GameSetting& setting) {
  return setting.promised_shift &&
         (look.shift_lower_bound > *setting.promised_shift || look.epsilon_lower_bound > setting.guarantee.epsilon);
}

AuditControl report_control(std::string name, double truth, const Comparison& comparison, const GameSetting& setting,
                            double error) {
  const AuditLook look = comparison.report(setting.guarantee.delta, error).front();
  AuditControl control{setting.game, std::move(name), truth, look.shift_lower_bound, look.epsilon_lower_bound, false};
  if (truth == 0) {
    control.passed = control.shift_lower_bound == 0 && control.epsilon_lower_bound == 0;
  } else {
    const double epsilon = smallest_epsilon_upper_bound(truth, setting.guarantee.delta).value();
    control.passed = control.shift_lower_bound > truth / 2 && control.shift_lower_bound <= truth &&
                     control.epsilon_lower_bound <= epsilon;
  }
  return control;
}

AuditFault report_fault(const FaultSpectator& spectator, const GameSetting& setting) {
  const PlantedFault& fault = spectator.fault();
  AuditFault report{setting.game, fault.name, fault.what, std::nullopt, true, false, ""};
  const std::vector<AuditLook> looks = spectator.inner().comparison().report(setting.guarantee.delta, setting.error);
  if (fault.weights) {
    report.shift = spectator.distance() / setting.noise_stddev;
    const std::size_t draws = looks.front().draws;
    const double each = setting.error / static_cast<double>(looks.size());
    // 8 / sqrt(draws) is more than four standard deviations of a measured mu.
    report.visible =
        setting.promised_shift.has_value() && *report.shift >= visible_shift(draws, each, *setting.promised_shift) +
                                                                   8 / std::sqrt(static_cast<double>(draws));
  }
  const auto flag = [&report](std::string by) {
    if (report.flagged) return;
    report.flagged = true;
    report.flagged_by = std::move(by);
  };
  for (const AuditLook& look : looks) {
    if (breaks_promise(look, setting))
      flag(fmt::format("{}: shift at least {:.3g}", look.name, look.shift_lower_bound));
  }
  for (const NoiseCheck& check : spectator.inner().noise().report()) {
    if (!check.passed) flag(fmt::format("noise, {}: {}", check.name, check.detail));
  }
  return report;
}

GameReport report_game(const GameSpectator& spectator, const GameSetting& setting) {
  GameReport report;
  report.game = setting.game;
  report.about = setting.about;
  report.draws = setting.draws;
  report.noise_stddev = setting.noise_stddev;
  report.guarantee = setting.guarantee;
  report.promised_shift = setting.promised_shift;
  report.looks = spectator.comparison().report(setting.guarantee.delta, setting.error);
  report.noise = spectator.noise().report();
  report.histogram = spectator.comparison().histogram();
  for (const AuditLook& look : report.looks) {
    report.shift_lower_bound = std::max(report.shift_lower_bound, look.shift_lower_bound);
    report.epsilon_lower_bound = std::max(report.epsilon_lower_bound, look.epsilon_lower_bound);
    report.exceeded = report.exceeded || breaks_promise(look, setting);
  }
  report.visible_shift =
      visible_shift(report.looks.front().draws, setting.error / static_cast<double>(report.looks.size()),
                    setting.promised_shift.value_or(0));
  return report;
}

}  // namespace

std::size_t affordable_draws(std::size_t asked, std::size_t numbers) {
  const std::size_t draws = std::min(asked, std::max(kFewestDraws, kMostNumbers / std::max<std::size_t>(1, numbers)));
  return draws + draws % 2;
}

Result<GameOutcome> play(World& reference, World& test, const GameSetting& setting, std::vector<PlantedFault> faults) {
  invariant(setting.draws >= kFewestDraws && setting.draws % 2 == 0, "an even number of draws");
  const Matrix direction = direction_between(reference.centre(), test.centre(), setting.seed);
  std::vector<std::unique_ptr<Spectator>> spectators;
  const auto add = [&spectators](auto spectator) {
    auto* const added = spectator.get();
    spectators.push_back(std::move(spectator));
    return added;
  };
  const GameSpectator* game =
      add(std::make_unique<GameSpectator>(reference.centre(), test.centre(), direction, setting));
  const auto add_control = [&](double shift) {
    return add(std::make_unique<ControlSpectator>(reference.centre(), test.centre(), direction, setting, shift));
  };
  const ControlSpectator* null = add_control(0);
  const ControlSpectator* planted = add_control(kPlantedShift);
  std::vector<const FaultSpectator*> planted_faults;
  planted_faults.reserve(faults.size());
  for (PlantedFault& fault : faults) {
    planted_faults.push_back(
        add(std::make_unique<FaultSpectator>(std::move(fault), reference.centre(), test.centre(), direction, setting)));
  }
  UNSCATTER_CHECK_OK(observe_both(reference, test, setting, spectators));

  GameOutcome outcome;
  outcome.report = report_game(*game, setting);
  // Controls are judged like one look of the game.
  const double each = setting.error / static_cast<double>(game->comparison().looks());
  outcome.controls.push_back(report_control("null", 0, null->comparison(), setting, each));
  outcome.controls.push_back(report_control("planted shift", kPlantedShift, planted->comparison(), setting, each));
  for (const FaultSpectator* fault : planted_faults) outcome.faults.push_back(report_fault(*fault, setting));
  return outcome;
}

Result<GameOutcome> play_everyone(const Session& with, const std::shared_ptr<const Embedder>& embedder,
                                  std::size_t models, std::optional<double> promised_shift, const AuditOptions& options,
                                  double error) {
  UNSCATTER_TRY(after, copy_of(with, embedder, with.options()));
  Sequence random(options.seed);
  UNSCATTER_TRY(request, strongest_removal(after, kCandidates, random));
  UNSCATTER_CHECK_OK(after.forget(request));
  UNSCATTER_TRY(without, Session::create(after.remaining(), embedder, with.options()));

  GameSetting setting;
  setting.game = AuditGame::kEveryone;
  setting.about = fmt::format("{} {} left, against {} of a session that never knew",
                              models == 1 ? "a model from before" : "models from before and after",
                              std::holds_alternative<ForgetGraph>(request) ? "one graph" : "one subject",
                              models == 1 ? "one" : "models");
  const Promise& promise = with.certificate().promise;
  setting.guarantee = promise.guarantee;
  setting.promised_shift = promised_shift;
  setting.noise_stddev = promise.noise_stddev;
  UNSCATTER_TRY(grid, GridNoise::create(promise.noise_stddev));
  setting.grid = grid.grid();
  const Matrix published = published_columns(with, with.weights());
  const auto columns = static_cast<Eigen::Index>(models) * published.cols();
  setting.regions =
      models == 1 ? regions_of_model(published.rows(), columns) : regions_of_pair(published.rows(), columns);
  setting.draws = affordable_draws(options.draws, models * static_cast<std::size_t>(published.size()));
  setting.error = error;
  setting.seed = options.seed;
  setting.threads = options.threads;
  setting.progress = options.progress;
  std::vector<const Session*> knew = {&with, &after};
  knew.resize(models);
  const std::vector<const Session*> never_knew(models, &without);
  UNSCATTER_TRY(reference, PublishingWorld::create(never_knew, embedder, setting.draws));
  UNSCATTER_TRY(test, PublishingWorld::create(knew, embedder, setting.draws));
  UNSCATTER_TRY(outcome, play(*reference, *test, setting));
  outcome.report.requests.graphs = static_cast<std::size_t>(std::holds_alternative<ForgetGraph>(request));
  outcome.report.requests.subjects = 1 - outcome.report.requests.graphs;
  return outcome;
}

}  // namespace unscatter
