#include "guarantee_options.h"

#include <fmt/format.h>

#include "renamed_options.h"
#include "usage.h"

namespace unscatter::cli {
namespace {

void set_usual_noise(SessionOptions& options) {
  const SessionOptions usual;
  options.noise_stddev = usual.noise_stddev;
  options.releases = usual.releases;
  options.distance_limit = usual.distance_limit;
}

}  // namespace

// Beyond the ranges below the library still computes, but the numbers mean nothing.  A slip of the finger should not
// become a promise.

void GuaranteeArguments::add_to(CLI::App& command) {
  // Defaults are shown from the library, which owns them.
  const SessionOptions sound;
  const std::string group = "Guarantee";
  command.add_option("--preset", preset, "Where the other choices start: sound, or paper to reproduce the paper's")
      ->group(group)
      ->check(CLI::IsMember({"sound", "paper"}))
      ->capture_default_str();
  command
      .add_option("--mechanism", mechanism, "release: noise on published models; objective: noise in training, once")
      ->group(group)
      ->check(CLI::IsMember({"release", "objective"}))
      ->default_str(std::string(name(sound.mechanism)));
  command.add_option("--epsilon", epsilon, "Of the guarantee, > 0")
      ->group(group)
      ->check(number_between(1e-6, 100, "1e-06 to 100; 0.1 to 10 is usual, and above 100 nothing is promised"), "")
      ->default_str(fmt::format("{}", sound.guarantee.epsilon));
  command.add_option("--delta", delta, "Of the guarantee, in (0, 1)")
      ->group(group)
      ->check(number_between(1e-30, 0.999, "1e-30 to 0.999; far less than one in the number of graphs is usual"), "")
      ->default_str(fmt::format("{}", sound.guarantee.delta));
  command
      .add_option("--protect", protect,
                  "removed: models stay close to retraining; everyone: models are differentially private")
      ->group(group)
      ->check(CLI::IsMember({"removed", "everyone"}))
      ->default_str(std::string(name(sound.protection)));
  command
      .add_option("--per-subject", per_subject,
                  "everyone: how many graphs one external node id may be in; not given: a subject is a whole graph")
      ->group(group)
      ->check(CLI::PositiveNumber);
  command
      .add_option("--ridge", ridge,
                  "The ridge as a public constant, in place of lambda times the number of graphs; everyone needs it")
      ->group(group);
  command.add_option("--noise", noise, "release: standard deviation of the noise on published weights")
      ->group(group)
      ->check(number_between(1e-15, 1e6, "1e-15 to 1e+06; weights are of size 1 or so"), "")
      ->default_str(fmt::format("{}", sound.noise_stddev));
  command.add_option("--alpha", alpha, "objective: standard deviation of the noise in the objective")->group(group);
  command.add_option("--releases", releases, "release: how many published models the guarantee covers together")
      ->group(group)
      ->check(number_between(1, 1e9, "1 to 1e+09"), "")
      ->default_str(fmt::format("{}; everyone: 1", sound.releases));
  command
      .add_option(
          option_names("--distance-limit"), distance_limit,
          "release: how far from the retrained weights the kept ones may be, relative to their norm; without it "
          "the noise alone decides")
      ->group(group);
  command.add_option("--bound", bound, "How residuals are bounded: worst, data, tight or exact")
      ->group(group)
      ->check(CLI::IsMember({"worst", "data", "tight", "exact"}))
      ->default_str(std::string(name(sound.bound)));
  command.add_option("--removal", removal, "A removed node leaves nothing (compact) or its place (tombstone)")
      ->group(group)
      ->check(CLI::IsMember({"compact", "tombstone"}))
      ->default_str(std::string(name(sound.removal)));
}

Result<SessionOptions> GuaranteeArguments::options(const TransformSpec& transform, const SessionOptions& base) const {
  SessionOptions options = base;
  // The preset first, so that an option that was given goes before it.
  if (preset == "paper") options = paper_options(options.regularisation, transform.layers);
  if (mechanism) {
    UNSCATTER_TRY(parsed, parse_mechanism(*mechanism));
    // Noise of another mechanism would mean something else.
    if (parsed != base.mechanism) set_usual_noise(options);
    options.mechanism = parsed;
  }
  if (epsilon) options.guarantee.epsilon = *epsilon;
  if (delta) options.guarantee.delta = *delta;
  UNSCATTER_CHECK_OK(set_noise(options, base.mechanism));
  UNSCATTER_CHECK_OK(set_level(options));
  if (bound) {
    UNSCATTER_TRY(parsed, parse_residual_bound(*bound));
    options.bound = parsed;
  }
  if (removal) {
    UNSCATTER_TRY(parsed, parse_node_removal(*removal));
    options.removal = parsed;
  }
  return options;
}

Status GuaranteeArguments::set_level(SessionOptions& options) const {
  const Protection before = options.protection;
  if (ridge) options.ridge = ridge;
  if (protect) {
    UNSCATTER_TRY(parsed, parse_protection(*protect));
    options.protection = parsed;
  }
  if (options.protection == Protection::kRemoved) {
    // --per-subject is not read here: `train --compare-levels` asks what level everyone would cost.
    options.per_subject = 0;
    // The noise of level everyone was derived.
    if (before == Protection::kEveryone && !noise) options.noise_stddev = SessionOptions{}.noise_stddev;
    return ok_status();
  }
  if (noise) {
    return Error{ErrorCode::kInvalidArgument,
                 "--noise does not go with --protect everyone: there the noise follows from --epsilon, --delta, "
                 "--releases and --ridge"};
  }
  if (!options.ridge) {
    return Error{ErrorCode::kInvalidArgument,
                 "--protect everyone needs --ridge: a public constant, for instance lambda times the number of graphs "
                 "that you expect"};
  }
  if (per_subject) options.per_subject = *per_subject;
  if (!releases && before != Protection::kEveryone) options.releases = usual_releases(options.protection);
  return ok_status();
}

Status GuaranteeArguments::set_noise(SessionOptions& options, Mechanism was) const {
  // An option that the mechanism does not use is refused.  Passing over it would let somebody believe in noise that is
  // not there.
  const auto misplaced = [](std::string_view option, std::string_view other, std::string_view instead) -> Error {
    return {ErrorCode::kInvalidArgument, fmt::format("{} belongs to --mechanism {}{}", option, other, instead)};
  };
  if (options.mechanism == Mechanism::kRelease) {
    if (alpha) return misplaced("--alpha", "objective", "; for release the noise is --noise");
    if (noise) options.noise_stddev = *noise;
    if (releases) options.releases = *releases;
    if (distance_limit) options.distance_limit = *distance_limit;
    return ok_status();
  }
  if (noise) return misplaced("--noise", "release", "; for objective the noise is --alpha");
  if (releases) return misplaced("--releases", "release", "");
  if (distance_limit) return misplaced("--distance-limit", "release", "");
  // The default noise is meant for published weights.  In the objective it would be far too little.
  if (preset != "paper" && was != Mechanism::kObjective) {
    options.noise_stddev = usual_noise(options.mechanism);
  }
  if (alpha) options.noise_stddev = *alpha;
  return ok_status();
}

}  // namespace unscatter::cli
