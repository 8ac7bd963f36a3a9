#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "certificate_words.h"
#include "commands.h"
#include "constant_options.h"
#include "constant_words.h"
#include "embedding_words.h"
#include "files.h"
#include "guarantee_options.h"
#include "key_options.h"
#include "learning_options.h"
#include "locations.h"
#include "retraining.h"
#include "stage_clock.h"
#include "transform_options.h"
#include "unlearn/paper_setting.h"
#include "unscatter/graph/read.h"
#include "unscatter/graph/split.h"
#include "unscatter/learn/bias.h"
#include "unscatter/learn/predict.h"
#include "workspace_options.h"
#include "workspace_target.h"

namespace unscatter::cli {
namespace {

namespace fs = std::filesystem;

// A new workspace has an id, a ledger and a count of its own.
constexpr std::string_view kNotCounted =
    "This is a new workspace.  Models that the replaced one published are not counted here, and its removals are not\n"
    "repeated: its guarantee and the new one hold side by side, each for its own models.\n";

struct TrainArguments {
  std::string data;
  bool force = false;
  double train_share = 1;
  bool compare_levels = false;
  std::string out;  // of a retraining; of a training it is the workspace itself
  std::uint64_t seed = 1;
  WorkspaceArguments workspace;
  KeyArguments key;
  TransformArguments transform;
  ConstantArguments constants;
  LearningArguments learning;
  GuaranteeArguments guarantee;

  // `base`: what a retraining starts from.  Its lambda stays; a training takes the one that belongs to the transform.
  [[nodiscard]] Result<SessionOptions> session_options(const TransformSpec& spec, const SessionOptions* base) const {
    UNSCATTER_TRY(options, guarantee.options(spec, base != nullptr ? *base : SessionOptions()));
    if (guarantee.preset != "paper" && base == nullptr) {
      options.regularisation = TransformArguments::regularisation_for(spec, options.regularisation);
    }
    UNSCATTER_CHECK_OK(learning.apply(options));
    return options;
  }
};

// --preset paper knows what the paper used on some data sets.  What was given on the command line goes first.
void apply_paper_setting(const CLI::App& command, std::string_view data_set, WorkspaceSetup& setup) {
  const auto given = [&command](const char* option) { return command.count(option) > 0; };
  if (!given("--features")) setup.features = "paper";
  if (!given("--transform")) setup.transform.family = "geometric";
  if (!given("--row-norm")) setup.transform.row_norm = RowNorm::kNone;
  const PaperSetting* paper = find_paper_setting(data_set);
  if (paper == nullptr) return;
  const HyperParameters& setting = paper->unlearning;
  if (!given("--scales")) setup.transform.scales = setting.scales;
  if (!given("--moments")) setup.transform.moments = setting.moments;
  if (!given("--layers")) setup.transform.layers = setting.layers;
  if (!given("--lambda")) setup.options.regularisation = setting.regularisation;
  // The bound F = sqrt(layers) follows the layers that were chosen just now.
  setup.options.row_norm = paper_options(setup.options.regularisation, setup.transform.layers).row_norm;
}

struct TrainingData {
  Dataset train;                   // numbered as in the file
  std::optional<Dataset> holdout;  // what is not learned from
  std::optional<Dataset> open;     // what is declared public
};

Result<TrainingData> choose_training_data(Dataset dataset, double share, double public_share, std::uint64_t seed) {
  if (share == 1 && public_share == 0) return TrainingData{std::move(dataset), std::nullopt, std::nullopt};
  // All that is not public is learned from, unless a share says otherwise.
  const double learned = std::min(share, 1 - public_share);
  const double rest = std::max(0.0, 1 - learned - public_share);
  UNSCATTER_TRY(split,
                random_split(dataset.size(), {.train = learned, .validation = public_share, .test = rest}, seed));
  // A workspace needs numbers that ascend.  The numbers are those of the file, so that requests name graphs as the file
  // does.
  std::sort(split.train.begin(), split.train.end());
  std::sort(split.validation.begin(), split.validation.end());
  std::sort(split.test.begin(), split.test.end());
  TrainingData chosen{subset(dataset, split.train), std::nullopt, std::nullopt};
  if (share < 1) chosen.holdout = subset(dataset, split.test);
  if (public_share > 0) {
    chosen.open = subset(dataset, split.validation);
    if (chosen.open->size() == 0)
      return Error{ErrorCode::kInvalidArgument, "--public-share leaves no graph that is public"};
  }
  chosen.train.numbers = std::move(split.train);
  return chosen;
}

// Labels as places in the list of classes of the model.  A class that the model does not have is nobody's place.
std::vector<std::uint32_t> labels_for(const Dataset& dataset, const std::vector<std::string>& class_names) {
  std::vector<std::uint32_t> labels;
  labels.reserve(dataset.size());
  for (const std::uint32_t label : dataset.labels) {
    const auto place = std::find(class_names.begin(), class_names.end(), dataset.class_names[label]);
    labels.push_back(place == class_names.end() ? std::numeric_limits<std::uint32_t>::max()
                                                : static_cast<std::uint32_t>(place - class_names.begin()));
  }
  return labels;
}

// A failure that happens with probability delta must not be expected for somebody among the subjects.
void note_large_delta(const Dataset& dataset, const SessionOptions& options, Context& context) {
  const std::size_t people = summarise(dataset).distinct_node_ids;
  const std::size_t subjects = people > 0 ? people : dataset.size();
  if (options.guarantee.delta * static_cast<double>(subjects) < 1) return;
  context.note(fmt::format("delta = {} is not below 1 / {}, the number of {}: choose --delta below {:.1e}",
                           options.guarantee.delta, grouped(subjects), people > 0 ? "subjects" : "graphs",
                           1 / static_cast<double>(subjects)));
}

struct Evaluation {
  std::size_t graphs = 0;
  double accuracy = 0;
  std::vector<LevelCost> levels;  // with --compare-levels
};

// By the kept weights, because the number is for whoever trains.  Like every number without noise it is not for
// outsiders (docs/certificates.md, "Limits").
Result<std::optional<Evaluation>> evaluate(Workspace& workspace, const std::optional<Dataset>& holdout,
                                           const TrainArguments& arguments, const EmbedOptions& how) {
  if (!holdout || holdout->size() == 0) return std::optional<Evaluation>();
  UNSCATTER_TRY(session, workspace.session());
  UNSCATTER_TRY(rows, workspace.embedder().embed(*holdout, how));
  const SparseBlockRows Z = session->options().bias ? with_bias(rows) : std::move(rows);
  const std::vector<std::uint32_t> labels = labels_for(*holdout, session->class_names());
  Evaluation evaluation{holdout->size(), accuracy(Z, labels, session->weights()), {}};
  if (arguments.compare_levels) {
    UNSCATTER_TRY(levels, session->level_costs(Z, labels, arguments.guarantee.per_subject.value_or(0)));
    evaluation.levels = std::move(levels);
  }
  return std::optional(std::move(evaluation));
}

// The best of a level; null if it was not tried.
const LevelCost* best_of(std::span<const LevelCost> levels, Protection protection) {
  const LevelCost* best = nullptr;
  for (const LevelCost& level : levels) {
    if (level.protection == protection && (best == nullptr || level.accuracy > best->accuracy)) best = &level;
  }
  return best;
}

// What was done to the data so that nobody counts for more than the noise hides.
std::string bounded_words(const BoundedContributions& bounded) {
  std::vector<std::string> parts;
  if (bounded.memberships > 0) {
    parts.push_back(fmt::format("{} of {} dropped", counted(bounded.memberships, "membership", "memberships"),
                                counted(bounded.subjects, "subject", "subjects")));
  }
  if (bounded.graphs_dropped > 0) {
    parts.push_back(fmt::format("{} lost everybody", counted(bounded.graphs_dropped, "graph", "graphs")));
  }
  if (bounded.rows_shortened > 0) {
    parts.push_back(fmt::format("{} shortened", counted(bounded.rows_shortened, "embedding", "embeddings")));
  }
  return parts.empty() ? "nothing had to be dropped or shortened" : fmt::format("{}", fmt::join(parts, ", "));
}

void report_levels(const Evaluation& evaluation, const SessionOptions& options, Report& report, Table& table) {
  Json levels = Json::array();
  for (const LevelCost& level : evaluation.levels) {
    levels.push_back({{"protection", name(level.protection)},
                      {"ridge", level.ridge},
                      {"noise_stddev", level.noise_stddev},
                      {"accuracy", level.accuracy}});
  }
  report.json["levels"] = levels;
  const LevelCost& present = evaluation.levels.front();
  table.add_row({"as published",
                 fmt::format("{:.1f} % with the noise of level {}", 100 * present.accuracy, name(present.protection))});
  if (const LevelCost* best = best_of(std::span(evaluation.levels).subspan(1), Protection::kEveryone)) {
    table.add_row(
        {"everyone", fmt::format("{:.1f} % for one model at ({}, {}), best with --ridge {:.3g}", 100 * best->accuracy,
                                 options.guarantee.epsilon, options.guarantee.delta, best->ridge)});
    table.add_row({"", "an estimate that looks at the data: a ridge chosen by it is no public constant"});
  }
}

// What cannot be seen in a number: a model that always says the same, or one that fills the memory.
void note_classes(const std::vector<std::string>& class_names, std::size_t width, Context& context) {
  if (class_names.size() == 1) {
    context.note(fmt::format("all graphs have the class '{}': a model of one class predicts it for every graph",
                             class_names.front()));
  }
  constexpr double kManyBytes = 64 * 1024.0 * 1024.0;
  const double bytes = 8.0 * static_cast<double>(width) * static_cast<double>(class_names.size());
  if (bytes > kManyBytes) {
    context.note(fmt::format("{} weights for each of {} classes take {:.0f} MB, several times while a model is trained",
                             grouped(width), grouped(class_names.size()), bytes / 1e6));
  }
}

Report report_training(const WorkspaceInfo& info, const EmbeddingUse& use, std::size_t width,
                       const TrainArguments& arguments, const std::optional<Evaluation>& evaluation,
                       const BoundedContributions& bounded, const StageClock& clock) {
  const SessionOptions& options = info.options;
  Report report;
  report.json = {{"workspace", arguments.workspace.path},
                 {"id", info.id},
                 {"data", arguments.data},
                 {"graphs", info.graphs},
                 {"classes", info.class_names},
                 {"features", info.features},
                 {"coordinates", width},
                 {"uses", use.uses},
                 {"left_out", use.left_out},
                 {"mechanism", name(options.mechanism)},
                 {"epsilon", options.guarantee.epsilon},
                 {"delta", options.guarantee.delta},
                 {"noise_stddev", options.noise_stddev},
                 {"lambda", options.regularisation},
                 {"constants", constants_json(info.certificate.promise.constants)},
                 {"ridge", options.ridge ? Json(*options.ridge) : Json(nullptr)},
                 {"protection", name(options.protection)},
                 {"per_subject", options.per_subject},
                 {"certificate", certificate_json(info.certificate)},
                 {"holdout", nullptr},
                 {"signer", info.signer.hex()},
                 {"seconds", clock.json()}};
  if (evaluation) report.json["holdout"] = {{"graphs", evaluation->graphs}, {"accuracy", evaluation->accuracy}};

  Table table({{""}, {""}});
  table.add_row(
      {"workspace", fmt::format("{} ({})", arguments.out.empty() ? arguments.workspace.path : arguments.out, info.id)});
  table.add_row({"learned from",
                 fmt::format("{} graphs of {}, {} classes", grouped(info.graphs), info.name, info.class_names.size())});
  table.add_row({"uses", fmt::format("{}", fmt::join(use.uses, ", "))});
  table.add_row({"left out", use.left_out.empty() ? "nothing" : fmt::format("{}", fmt::join(use.left_out, "; "))});
  table.add_row({"embedding", fmt::format("{} of {}{}", info.transform.family, info.features,
                                          info.transform.symmetrise ? ", directed graphs made undirected first" : "")});
  table.add_row({"model", fmt::format("{} weights per class, {} loss, {} {}", grouped(width), options.loss.describe(),
                                      options.ridge ? "ridge" : "lambda",
                                      options.ridge ? *options.ridge : options.regularisation)});
  add_constants_row(table, info.certificate.promise.constants);
  table.add_row({"promise", guarantee_words(info.certificate.promise)});
  add_earlier_rows(table, info.certificate.promise);
  table.add_row({"distance", distance_words(info.certificate.promise, info.certificate.distance_upper_bound,
                                            info.certificate.shift_upper_bound)});
  if (options.protection == Protection::kEveryone) {
    report.json["bounded"] = {{"subjects", bounded.subjects},
                              {"memberships", bounded.memberships},
                              {"graphs_dropped", bounded.graphs_dropped},
                              {"rows_shortened", bounded.rows_shortened}};
    table.add_row({"bounded", bounded_words(bounded)});
  }
  if (evaluation) {
    table.add_row({"accuracy", fmt::format("{:.1f} % on the {} graphs that were held out", 100 * evaluation->accuracy,
                                           grouped(evaluation->graphs))});
  }
  if (evaluation && !evaluation->levels.empty()) report_levels(*evaluation, options, report, table);
  table.add_row({"signed by", info.signer.hex()});
  table.add_row({"time", clock.words()});
  report.text = table.str();
  return report;
}

Result<Report> train_workspace(const TrainArguments& arguments, const CLI::App& command, Context& context,
                               std::optional<Before> before = std::nullopt) {
  const fs::path path(before ? arguments.out : arguments.workspace.path);
  // Asked before the training, and again by the library when the file is made.
  UNSCATTER_CHECK_OK(check_free(path, arguments.force, "--force replaces it"));
  WorkspaceSetup setup;
  UNSCATTER_TRY(spec, arguments.transform.spec());
  // Features and transform belong together, so they are taken over together.
  const bool same_transform = before && !gives_option_of(command, "Transform");
  if (same_transform) spec = before->info.transform;
  UNSCATTER_CHECK_OK(arguments.constants.check());
  UNSCATTER_CHECK_OK(make_transform(spec));  // before reading: a wrong option should not cost a minute
  setup.transform = spec;
  UNSCATTER_TRY(options, arguments.session_options(spec, before ? &before->info.options : nullptr));
  UNSCATTER_CHECK_OK(check_options(options));
  setup.options = options;
  setup.features =
      same_transform && !before->info.rule.empty() ? before->info.rule : arguments.transform.features_for(spec);
  UNSCATTER_TRY(catalogue, load_catalogue());

  StageClock clock;
  const std::size_t threads = arguments.workspace.threads;
  const ReadOptions reading{.limits = {}, .symmetrise = false, .threads = threads, .progress = &context.progress()};
  const auto read = [&]() -> Result<Dataset> {
    if (before) return before->workspace.remaining();
    UNSCATTER_TRY(data, resolve_dataset(arguments.data, catalogue));
    return read_dataset(data, reading);
  };
  UNSCATTER_TRY(dataset, read());
  UNSCATTER_TRY(chosen, choose_training_data(std::move(dataset), arguments.train_share,
                                             arguments.constants.public_share, arguments.seed));
  if (!chosen.open) {
    UNSCATTER_TRY(open, arguments.constants.read_public(reading));
    chosen.open = std::move(open);
  }
  setup.dataset = std::move(chosen.train);
  const bool paper = arguments.guarantee.preset == "paper";
  if (paper) apply_paper_setting(command, setup.dataset.name, setup);
  const Dataset* open = chosen.open ? &*chosen.open : nullptr;
  setup.fit = arguments.constants.source(paper ? ConstantKind::kFittedOnce : ConstantKind::kStated, open);
  if (before) UNSCATTER_CHECK_OK(take_over_constants(*before, command, setup));
  UNSCATTER_CHECK_OK(arguments.constants.set_classes(setup.dataset, open, setup.options));
  const bool usual = command.count("--scales") + command.count("--moments") + command.count("--layers") == 0;
  std::vector<ConstantOrigin>& origins = setup.options.constants;
  if (!same_transform) {
    std::erase_if(origins, [](const ConstantOrigin& origin) { return origin.name == "transform"; });
    origins.push_back({"transform", usual ? ConstantKind::kBuiltIn : ConstantKind::kStated});
  }
  // The built-in value depends on the transform, so the value alone does not tell where it comes from.
  const bool states_lambda = command.count("--lambda") > 0;
  if (!paper && !setup.options.ridge && (states_lambda || !before)) {
    std::erase_if(origins, [](const ConstantOrigin& origin) { return origin.name == "lambda"; });
    origins.push_back({"lambda", states_lambda ? ConstantKind::kStated : ConstantKind::kBuiltIn});
  }
  note_large_delta(setup.dataset, setup.options, context);
  clock.stage("read");

  // After the data was read: a misspelt file name should not leave a new key behind.
  UNSCATTER_TRY(signing, arguments.key.load_or_create());
  if (signing.created) {
    context.note(fmt::format("made a signing key, '{}'; keep it, and give '{}' to those who check receipts",
                             signing.path.string(), public_key_path(signing.path).string()));
  }
  const WorkspaceOptions how = arguments.workspace.options(context, signing.path, signing.key);
  WorkspaceTarget target(path);
  std::optional<Digest> head;
  if (before) {
    head = before->predecessor.head;
    setup.predecessor = std::move(before->predecessor);
  }
  std::optional<Evaluation> evaluation;
  std::optional<WorkspaceInfo> info;
  std::size_t width = 0;
  BoundedContributions bounded;
  const FormCounts form = count_forms(setup.dataset);
  // Closed at the end of this block: the log of an open workspace would keep the old name.
  {
    UNSCATTER_TRY(workspace, Workspace::create(target.where(), std::move(setup), how));
    clock.stage("train");
    UNSCATTER_TRY(evaluated, evaluate(workspace, chosen.holdout, arguments,
                                      {.threads = threads, .progress = &context.progress()}));
    if (evaluated) clock.stage("evaluate");
    evaluation = evaluated;
    info = workspace.info();
    UNSCATTER_TRY(session, workspace.session());
    bounded = session->bounded_contributions();
    width = workspace.embedder().width() + (options.bias ? 1 : 0);
    note_classes(info->class_names, width, context);
  }
  std::error_code unknown;
  const bool in_place = before && target.replaces() && fs::equivalent(path, arguments.workspace.path, unknown);
  // Until here nobody could remove anything from the old one.
  before.reset();
  UNSCATTER_CHECK_OK(target.settle(how, in_place ? head : std::nullopt));
  Report report = report_training(*info, embedding_use(form, info->transform, info->features), width, arguments,
                                  evaluation, bounded, clock);
  report.json["replaced"] = target.replaces();
  // The promise of a workspace is about the models that this workspace publishes.  People who were in the old data can
  // be in both.
  if (head) {
    report.json["workspace"] = path.string();
    report.json["continues"] = head->hex();
  } else if (target.replaces()) {
    report.text += std::string(kNotCounted);
  }
  return report;
}

Result<Report> retrain_workspace(TrainArguments arguments, const CLI::App& command, Context& context) {
  UNSCATTER_TRY(key, arguments.key.load());
  // With the key: a record that knows of later removals refuses an older copy, and nobody else writes meanwhile.
  UNSCATTER_TRY(old, arguments.workspace.open(context, arguments.key.record(), std::move(key)));
  UNSCATTER_TRY(predecessor, old.predecessor());
  WorkspaceInfo info = old.info();
  const std::string from = arguments.workspace.path;
  if (arguments.out.empty()) arguments.out = place_beside(from).string();
  arguments.data = fmt::format("what is left of {}", from);
  UNSCATTER_TRY(report, train_workspace(arguments, command, context,
                                        Before{std::move(old), std::move(info), std::move(predecessor)}));
  std::error_code unknown;
  if (!fs::equivalent(arguments.out, from, unknown)) {
    report.text += fmt::format(
        "{0} is still there, with its own model.  Requests to forget have to be made to both, until {0} is deleted.\n"
        "Graphs keep their numbers; nodes without ids are numbered anew.\n",
        from);
  }
  return report;
}

}  // namespace

void add_train_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("train", "Learn from a data set, into a workspace that can forget");
  const auto arguments = std::make_shared<TrainArguments>();
  command.add_option("--data", arguments->data, "A data set, or the name of one that is here")->required();
  arguments->workspace.add_to(command);
  command.add_flag("--force", arguments->force, "Replace --workspace if it exists, once the new one is complete");
  arguments->key.add_to(command);
  command
      .add_option("--train-share", arguments->train_share,
                  "Share of the graphs to learn from; the others tell the accuracy")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command.add_flag("--compare-levels", arguments->compare_levels,
                   "With --train-share: how accurate published models are at level removed and at level everyone");
  command.add_option("--seed", arguments->seed, "Which graphs those are: same seed, same choice")
      ->capture_default_str();
  arguments->transform.add_to(command);
  arguments->constants.add_to(command);
  arguments->learning.add_to(command);
  arguments->guarantee.add_to(command);
  command.footer(R"(
Examples:
  unscatter train --data groups.jsonl --workspace w.unscatter
  unscatter train --data groups.jsonl --workspace w.unscatter --train-share 0.8 --lambda 1e-4 --scales 5
  unscatter train --data IMDB-BINARY --workspace imdb.unscatter --epsilon 0.5 --delta 1e-5 --releases 100
  unscatter train --data groups.jsonl --workspace w.unscatter --train-share 0.8 --compare-levels --per-subject 1
  unscatter train --data groups.jsonl --workspace w.unscatter --protect everyone --per-subject 1 --ridge 50
  unscatter train --data IMDB-BINARY --workspace paper.unscatter --preset paper --force

The workspace holds the graphs, the model, the ledger and its receipts in one file.  Graphs keep the numbers they have
in the data set.  The signing key is made on first use; it stays outside of the workspace.
--force makes a new workspace.  Models that the old one published are not counted in the new one.
--protect removed: published models are close to those of retraining after the same requests.  Models from before a
removal still know what was removed; 'forget' says how much they tell.  --protect everyone: published models are
differentially private for every subject; the noise follows from --epsilon, --delta, --releases and --ridge.
--preset paper: noise in the objective (alpha 0.1), data-dependent bound, the paper's budget, tombstones, and on the
paper's own data sets its scales, moments, layers and lambda; the certificate says what is not sound about it.  An
option that is given goes before the preset.
Features and transforms: unscatter embed --help.)");
  context.add_action(
      command, [arguments, &command, &context] { return train_workspace(*arguments, command, context); },
      [arguments]() -> Status {
        UNSCATTER_CHECK_OK(arguments->transform.spec());
        UNSCATTER_CHECK_OK(arguments->guarantee.options({}));
        // An option that changes nothing would let somebody believe in a protection that is not there.
        if (arguments->guarantee.per_subject && arguments->guarantee.protect != "everyone" &&
            !arguments->compare_levels) {
          return Error{ErrorCode::kInvalidArgument, "--per-subject belongs to --protect everyone"};
        }
        if (arguments->compare_levels && arguments->train_share == 1) {
          return Error{ErrorCode::kInvalidArgument,
                       "--compare-levels needs graphs that are not learned from: --train-share below 1"};
        }
        return ok_status();
      });
}

void add_retrain_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("retrain", "Learn again from what is left, with other options");
  const auto arguments = std::make_shared<TrainArguments>();
  arguments->workspace.add_to(command);
  command.add_option("--out", arguments->out, "The new workspace (default: beside the old one, as NAME-2)");
  command.add_flag("--force", arguments->force, "Replace --out if it exists, once the new one is complete");
  arguments->key.add_to(command);
  arguments->transform.add_to(command);
  arguments->constants.add_to(command);
  arguments->learning.add_to(command);
  arguments->guarantee.add_to(command);
  command.footer(R"(
Examples:
  unscatter retrain --workspace w.unscatter --lambda 1e-4
  unscatter retrain --workspace w.unscatter --out better.unscatter --features auto --layers 4
  unscatter retrain --workspace w.unscatter --out w.unscatter --force --epsilon 0.5

Nothing that was forgotten comes back: graphs, nodes and features that were removed stay removed, and constants that are
fitted are fitted to what is left.  Options that are not given stay those of the workspace; features and transform stay
together, so one option of them brings the others to the defaults of 'train'.
The new ledger begins with the last entry of the old one.  Models that were published before stay counted, and the
certificate states the promise for all of them together.)");
  context.add_action(
      command, [arguments, &command, &context] { return retrain_workspace(*arguments, command, context); },
      [arguments]() -> Status {
        if (arguments->constants.public_share == 0) return ok_status();
        return Error{ErrorCode::kInvalidArgument,
                     "--public-share does not go with retrain: no graph of a workspace is public"};
      });
}

}  // namespace unscatter::cli
