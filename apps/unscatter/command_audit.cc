#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "files.h"
#include "guarantee_options.h"
#include "key_options.h"
#include "learning_options.h"
#include "locations.h"
#include "stage_clock.h"
#include "transform_options.h"
#include "unscatter/audit/audit.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/graph/read.h"
#include "workspace_options.h"

namespace unscatter::cli {
namespace {

struct AuditArguments {
  WorkspaceArguments workspace;
  std::string data;
  TransformArguments transform;
  LearningArguments learning;
  GuaranteeArguments guarantee;
  std::vector<std::string> games;
  std::string plot;
  bool faults = false;  // show each of them
  AuditOptions options;
};

Result<AuditOptions> audit_options(const AuditArguments& arguments) {
  AuditOptions options = arguments.options;
  if (!arguments.games.empty()) options.games.clear();
  for (const std::string& text : arguments.games) {
    UNSCATTER_TRY(game, parse_audit_game(text));
    options.games.push_back(game);
  }
  options.threads = arguments.workspace.threads;
  return options;
}

Status check_audit_usage(const AuditArguments& arguments, const CLI::App& command) {
  const auto wrong = [](std::string sentence) { return Error{ErrorCode::kInvalidArgument, std::move(sentence)}; };
  const bool workspace = !arguments.workspace.path.empty();
  if (workspace == !arguments.data.empty()) return wrong("name what to audit: --workspace or --data, not both");
  UNSCATTER_CHECK_OK(audit_options(arguments));
  UNSCATTER_CHECK_OK(arguments.guarantee.options({}));
  if (!workspace) return ok_status();
  // A workspace has its options.  To pass over others would let somebody believe that they were audited.
  for (const CLI::Option* option : command.get_options()) {
    const std::string& group = option->get_group();
    const bool training = group == "Guarantee" || group == "Learning" || group == "Transform";
    if (training && option->count() > 0) {
      return wrong(fmt::format("{} goes with --data: a workspace has its own", option->get_name()));
    }
  }
  return ok_status();
}

std::string shown(const std::optional<double>& number) { return number ? fmt::format("{:.4g}", *number) : "none"; }

Json game_json(const GameReport& game) {
  Json looks = Json::array(), noise = Json::array();
  for (const AuditLook& look : game.looks) {
    looks.push_back({{"name", look.name},
                     {"known_shift", look.known_shift},
                     {"threshold", look.threshold},
                     {"draws", look.draws},
                     {"above", look.above},
                     {"above_reference", look.reference},
                     {"shift_lower_bound", look.shift_lower_bound},
                     {"epsilon_lower_bound", look.epsilon_lower_bound}});
  }
  for (const NoiseCheck& check : game.noise) {
    noise.push_back({{"name", check.name}, {"passed", check.passed}, {"detail", check.detail}});
  }
  Json json = {{"game", name(game.game)},
               {"about", game.about},
               {"removals", game.requests.total()},
               {"draws", game.draws},
               {"noise_stddev", game.noise_stddev},
               {"promised_shift", nullptr},
               {"promised_epsilon", game.guarantee.epsilon},
               {"delta", game.guarantee.delta},
               {"shift_lower_bound", game.shift_lower_bound},
               {"epsilon_lower_bound", game.epsilon_lower_bound},
               {"visible_shift", game.visible_shift},
               {"exceeded", game.exceeded},
               {"passed", game.passed()},
               {"looks", std::move(looks)},
               {"noise", std::move(noise)}};
  if (game.promised_shift) json["promised_shift"] = *game.promised_shift;
  return json;
}

Json audit_json(const AuditReport& audited, double confidence) {
  Json games = Json::array(), controls = Json::array(), faults = Json::array();
  for (const GameReport& game : audited.games) games.push_back(game_json(game));
  for (const AuditControl& control : audited.controls) {
    controls.push_back({{"game", name(control.game)},
                        {"name", control.name},
                        {"truth", control.truth},
                        {"shift_lower_bound", control.shift_lower_bound},
                        {"epsilon_lower_bound", control.epsilon_lower_bound},
                        {"passed", control.passed}});
  }
  for (const AuditFault& fault : audited.faults) {
    Json json = {{"game", name(fault.game)}, {"name", fault.name},       {"what", fault.what},   {"shift", nullptr},
                 {"visible", fault.visible}, {"flagged", fault.flagged}, {"flagged_by", nullptr}};
    if (fault.shift) json["shift"] = *fault.shift;
    if (fault.flagged) json["flagged_by"] = fault.flagged_by;
    faults.push_back(std::move(json));
  }
  return {{"passed", audited.passed()},
          {"confidence", confidence},
          {"games", std::move(games)},
          {"controls", std::move(controls)},
          {"faults", std::move(faults)}};
}

void describe_game(const GameReport& game, Table& table) {
  table.add_row({fmt::format("game {}", name(game.game)), game.about});
  table.add_row(
      {"", fmt::format("{} at random, {} models per world, noise {:.3g}",
                       counted(game.requests.total(), "removal", "removals"), grouped(game.draws), game.noise_stddev)});
  table.add_row(
      {"  promised", game.promised_shift
                         ? fmt::format("shift at most {}, epsilon {:.4g} at delta {:.3g}", shown(game.promised_shift),
                                       game.guarantee.epsilon, game.guarantee.delta)
                         : std::string("nothing: this level does not cover who is in a model and who is not")});
  const std::string verdict = game.exceeded         ? "ABOVE THE PROMISE"
                              : game.promised_shift ? "not above"
                                                    : "for information";
  table.add_row({"  measured", fmt::format("shift at least {:.4g}, epsilon at least {:.4g}: {}", game.shift_lower_bound,
                                           game.epsilon_lower_bound, verdict)});
  table.add_row({"  could see", fmt::format("a shift of {:.3g} or more, with so many draws", game.visible_shift)});
  for (const NoiseCheck& check : game.noise) {
    table.add_row({fmt::format("  noise: {}", check.name), (check.passed ? "ok, " : "FAILED, ") + check.detail});
  }
}

Report report_audit(const AuditReport& audited, const AuditArguments& arguments, const StageClock& clock) {
  const double confidence = arguments.options.confidence;
  Table table({{""}, {""}});
  for (const GameReport& game : audited.games) describe_game(game, table);
  for (const AuditControl& control : audited.controls) {
    table.add_row({fmt::format("control: {}", control.name),
                   fmt::format("{}, true shift {:.4g}, measured at least {:.4g}", control.passed ? "ok" : "FAILED",
                               control.truth, control.shift_lower_bound)});
  }
  std::size_t flagged = 0, invisible = 0;
  for (const AuditFault& fault : audited.faults) {
    flagged += static_cast<std::size_t>(fault.flagged);
    invisible += static_cast<std::size_t>(!fault.flagged && !fault.visible);
    if (!arguments.faults) continue;
    table.add_row({fmt::format("fault: {}", fault.name),
                   fault.flagged   ? fmt::format("noticed by {}", fault.flagged_by)
                   : fault.visible ? fmt::format("NOT NOTICED ({})", fault.what)
                                   : fmt::format("too small to see: shift {}", shown(fault.shift))});
  }
  if (!audited.faults.empty()) {
    table.add_row({"planted faults",
                   fmt::format("{} of {} noticed{}", flagged, audited.faults.size(),
                               invisible > 0 ? fmt::format(", {} too small to see at this noise", invisible) : "")});
  }
  table.add_row({"time", clock.words()});
  Report report;
  report.json = audit_json(audited, confidence);
  report.json["seconds"] = clock.json();
  report.text = table.str() +
                (audited.passed() ? fmt::format("nothing exceeds the promise ({:.6g} % confidence)\n", 100 * confidence)
                                  : std::string("audit FAILED\n"));
  if (!audited.passed()) report.refusal = Error{ErrorCode::kLimitExceeded, "audit failed: " + first_failure(audited)};
  return report;
}

// A trained session, and what it embeds with.
struct Subject {
  std::optional<Workspace> workspace;  // owns both, if there is one
  std::optional<Session> trained;
  const Session* session = nullptr;
  std::shared_ptr<const Embedder> embedder;
};

Result<Subject> open_subject(const AuditArguments& arguments, Context& context) {
  Subject subject;
  // Without the key: nothing can be signed, so nothing can be written.
  UNSCATTER_TRY(opened, arguments.workspace.open_to_read(context, KeyArguments::usual_record()));
  subject.workspace = std::move(opened);
  UNSCATTER_TRY(session, subject.workspace->session());
  subject.session = session;
  // Lives as long as the workspace.
  subject.embedder = std::shared_ptr<const Embedder>(std::shared_ptr<void>(), &subject.workspace->embedder());
  return subject;
}

Result<Subject> train_subject(const AuditArguments& arguments, Context& context) {
  UNSCATTER_TRY(spec, arguments.transform.spec());
  UNSCATTER_TRY(options, arguments.guarantee.options(spec));
  const bool paper = arguments.guarantee.preset == "paper";
  if (paper && arguments.transform.family->count() == 0) spec.family = "geometric";
  if (!paper) set_usual_learning(spec, options);
  UNSCATTER_CHECK_OK(arguments.learning.apply(options));
  options.threads = arguments.workspace.threads;
  options.progress = &context.progress();
  UNSCATTER_TRY(catalogue, load_catalogue());
  UNSCATTER_TRY(data, resolve_dataset(arguments.data, catalogue));
  UNSCATTER_TRY(
      dataset,
      read_dataset(data,
                   {.limits = {}, .symmetrise = false, .threads = options.threads, .progress = options.progress}));
  Subject subject;
  UNSCATTER_TRY(embedder, make_embedder(arguments.transform.features_for(spec), spec, dataset));
  subject.embedder = embedder;
  UNSCATTER_TRY(session, Session::create(std::move(dataset), embedder, options));
  subject.trained = std::move(session);
  return subject;
}

Result<Report> run_audit(const AuditArguments& arguments, Context& context) {
  UNSCATTER_TRY(options, audit_options(arguments));
  options.progress = &context.progress();
  StageClock clock;
  const bool given = !arguments.workspace.path.empty();
  UNSCATTER_TRY(subject, given ? open_subject(arguments, context) : train_subject(arguments, context));
  clock.stage(given ? "open" : "train");
  const Session& session = given ? *subject.session : *subject.trained;
  UNSCATTER_TRY(audited, audit(session, subject.embedder, options));
  clock.stage("audit");
  if (!arguments.plot.empty()) {
    UNSCATTER_CHECK_OK(replace_file(arguments.plot, draw_game(audited.games.front(), options.confidence)));
  }
  return report_audit(audited, arguments, clock);
}

}  // namespace

void add_audit_command(CLI::App& parent, Context& context) {
  CLI::App& command =
      *parent.add_subcommand("audit", "Try to tell unlearned models from retrained ones, and measure how well it goes");
  const auto arguments = std::make_shared<AuditArguments>();
  arguments->workspace.add_to(command, false);
  command.add_option("--data", arguments->data, "Instead of a workspace: a data set to train on, in memory");
  AuditOptions& options = arguments->options;
  command
      .add_option("--games", arguments->games,
                  "removed: unlearned against retrained; everyone: x in against x never in, a pair of models")
      ->delimiter(',')
      ->default_str("removed");
  command.add_option("--draws", options.draws, "Published models per world, at least 1000; fewer if they are large")
      ->capture_default_str();
  command.add_option("--removals", options.removals, "Random removals before the comparison")->capture_default_str();
  command.add_option("--confidence", options.confidence, "Of all bounds together, in (0, 1)")->capture_default_str();
  command.add_option("--seed", options.seed, "What is removed: same seed, same choice. Noise is never seeded")
      ->capture_default_str();
  command.add_option("--plot", arguments->plot, "Write a picture of the first game, SVG");
  command.add_flag("--faults", arguments->faults, "Show what noticed each planted fault");
  arguments->transform.add_to(command);
  arguments->learning.add_to(command);
  arguments->guarantee.add_to(command);
  command.footer(R"(
Examples:
  unscatter audit --workspace w.unscatter
  unscatter audit --workspace w.unscatter --faults --plot audit.svg
  unscatter audit --data groups.jsonl --noise 1e-3 --removals 50 --draws 50000
  unscatter audit --data groups.jsonl --games removed,everyone --json

The audit removes at random from a copy in memory, trains a second session on what is left, and publishes thousands of
models of both.  The workspace is not changed, and none of its releases is used.  A measured bound is a lower bound: it
can show that a promise is broken, and never that it is kept (docs/audit.md).
Every audit also compares two equal worlds, plants a known shift, and plants faults that it must notice.
Exit code 0 if nothing exceeds the promise and all controls pass, 1 otherwise.)");
  context.add_action(
      command, [arguments, &context] { return run_audit(*arguments, context); },
      [arguments, &command] { return check_audit_usage(*arguments, command); });
}

}  // namespace unscatter::cli
