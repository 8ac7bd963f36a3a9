#include "training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

#include "embedding_words.h"
#include "files.h"
#include "locations.h"
#include "stage_clock.h"
#include "store/shard_crew.h"
#include "training_report.h"
#include "unlearn/paper_setting.h"
#include "unscatter/graph/read.h"
#include "unscatter/graph/split.h"
#include "unscatter/learn/bias.h"
#include "unscatter/learn/predict.h"
#include "workspace_target.h"

namespace unscatter::cli {
namespace {

namespace fs = std::filesystem;

// A new workspace has an id, a ledger and a count of its own.
constexpr std::string_view kNotCounted =
    "This is a new workspace.  Models that the replaced one published are not counted here, and its removals are not\n"
    "repeated: its guarantee and the new one hold side by side, each for its own models.\n";

// --preset paper knows what the paper used on some data sets.  What was given on the command line goes first.
void apply_paper_setting(const CLI::App& command, std::string_view data_set, WorkspaceSetup& setup) {
  const auto given = [&command](const char* option) { return command.count(option) > 0; };
  if (!given("--features") && !given("--embedding")) setup.features = "paper";
  if (!given("--transform") && !given("--embedding")) setup.transform.family = "geometric";
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
  UNSCATTER_TRY(split, split_for_training(dataset.size(), share, public_share, seed));
  // A workspace needs numbers that ascend.  The numbers are those of the file, so that requests name graphs as the file
  // does.
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

// A file that is worth reading twice.  Graphs of a shorter one fit any memory.
constexpr std::uintmax_t kLongFile = std::uintmax_t{64} << 20;

// Whether the file is read twice, a few graphs at a time.  Errors: kInvalidArgument if that was asked for and cannot
// be.
Result<bool> choose_streaming(const TrainArguments& arguments, const fs::path& data, const WorkspaceSetup& setup) {
  UNSCATTER_TRY(format, detect_format(data));
  std::optional<std::string> reason;
  if (format != DataFormat::kJsonl) {
    reason = fmt::format("'{}' is not JSONL but {}", data.string(), data_format_name(format));
  } else if (arguments.train_share < 1) {
    reason = "--train-share holds graphs back";
  } else if (arguments.constants.public_share > 0) {
    reason = "--public-share declares some of its graphs public";
  } else if (arguments.guarantee.preset == "paper") {
    reason = "--preset paper fits constants on all graphs together";
  } else {
    reason = reason_against_streaming(setup);
  }
  if (reason && arguments.stream) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("--stream is not possible here: {}; leave --stream out", *reason)};
  }
  if (reason || arguments.stream) return arguments.stream;
  std::error_code unknown;
  const std::uintmax_t size = fs::file_size(data, unknown);
  return !unknown && size >= kLongFile;
}

// The first pass.  The classes are those that the options state, or those that it finds.
Status survey_file(const TrainArguments& arguments, const fs::path& data, const ReadOptions& reading,
                   const Dataset* public_part, WorkspaceSetup& setup, ShardCrew* crew) {
  setup.dataset.name = data.stem().string();
  UNSCATTER_CHECK_OK(survey(setup, [data, reading] { return GraphStream::open(data, reading); },
                            {.threads = reading.threads, .crew = crew, .progress = reading.progress}));
  Dataset classes;
  classes.class_names = std::move(setup.dataset.class_names);
  classes.labels = std::move(setup.stream->labels);
  UNSCATTER_CHECK_OK(arguments.constants.set_classes(classes, public_part, setup.options));
  setup.dataset.class_names = std::move(classes.class_names);
  setup.stream->labels = std::move(classes.labels);
  return ok_status();
}

// A failure that happens with probability delta must not be expected for somebody among the subjects.
void note_large_delta(std::size_t people, std::size_t graphs, const SessionOptions& options, Context& context) {
  const std::size_t subjects = people > 0 ? people : graphs;
  if (options.guarantee.delta * static_cast<double>(subjects) < 1) return;
  context.note(fmt::format("delta = {} is not below 1 / {}, the number of {}: choose --delta below {:.1e}",
                           options.guarantee.delta, grouped(subjects), people > 0 ? "subjects" : "graphs",
                           1 / static_cast<double>(subjects)));
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

// What is learned from: what is left of a workspace, rows, or a data set, unless that is streamed.
struct LearningData {
  TrainingData chosen;
  fs::path file;  // of a data set
  bool streams = false;
};

// Sets what `setup` is to be told about features and fit.
Result<LearningData> read_learning_data(const TrainArguments& arguments, const std::optional<Before>& before,
                                        ConstantKind usual_fit, const ReadOptions& reading, WorkspaceSetup& setup) {
  const bool rows = arguments.rows.given();
  LearningData result;
  TrainingData& chosen = result.chosen;
  if (before) {
    UNSCATTER_TRY(left, before->workspace.remaining());
    chosen.train = std::move(left);
  } else if (rows) {
    UNSCATTER_TRY(read, read_rows(arguments.rows.files(), reading));
    chosen.train = std::move(read);
    // The width belongs to the function that made the rows, and the user states it with them.
    setup.features = fmt::format("attributes:{}", chosen.train.graphs.front().attribute_count());
  } else {
    UNSCATTER_TRY(catalogue, load_catalogue());
    UNSCATTER_TRY(found, resolve_dataset(arguments.data, catalogue));
    result.file = std::move(found);
    setup.fit.kind = arguments.constants.public_data.empty() ? arguments.constants.source(usual_fit, nullptr).kind
                                                             : ConstantKind::kPublicData;
    UNSCATTER_TRY(streaming, choose_streaming(arguments, result.file, setup));
    result.streams = streaming;
  }
  if (!before && !rows && !result.streams) {
    UNSCATTER_TRY(dataset, read_dataset(result.file, reading));
    chosen.train = std::move(dataset);
  }
  if (!result.streams) {
    UNSCATTER_TRY(parts, choose_training_data(std::move(chosen.train), arguments.train_share,
                                              arguments.constants.public_share, arguments.seed));
    chosen = std::move(parts);
  }
  if (!chosen.open) {
    UNSCATTER_TRY(open, arguments.constants.read_public(reading));
    chosen.open = std::move(open);
  }
  return result;
}

// Where transform and lambda come from.  What is taken over from a workspace keeps its origin.
void note_origins(const TrainArguments& arguments, const CLI::App& command, bool again, bool same_transform,
                  SessionOptions& options) {
  const bool usual = command.count("--scales") + command.count("--moments") + command.count("--layers") == 0 &&
                     !arguments.transform.states_recipe();
  std::vector<ConstantOrigin>& origins = options.constants;
  if (!same_transform) {
    std::erase_if(origins, [](const ConstantOrigin& origin) { return origin.name == "transform"; });
    origins.push_back({"transform", usual ? ConstantKind::kBuiltIn : ConstantKind::kStated});
  }
  // The built-in value depends on the transform, so the value alone does not tell where it comes from.
  const bool states_lambda = command.count("--lambda") > 0;
  if (arguments.guarantee.preset != "paper" && !options.ridge && (states_lambda || !again)) {
    std::erase_if(origins, [](const ConstantOrigin& origin) { return origin.name == "lambda"; });
    origins.push_back({"lambda", states_lambda ? ConstantKind::kStated : ConstantKind::kBuiltIn});
  }
}

}  // namespace

Result<Split> split_for_training(std::size_t graphs, double train_share, double public_share, std::uint64_t seed) {
  // All that is not public is learned from, unless a share says otherwise.
  const double learned = std::min(train_share, 1 - public_share);
  const double rest = std::max(0.0, 1 - learned - public_share);
  UNSCATTER_TRY(split, random_split(graphs, {.train = learned, .validation = public_share, .test = rest}, seed));
  std::sort(split.train.begin(), split.train.end());
  std::sort(split.validation.begin(), split.validation.end());
  std::sort(split.test.begin(), split.test.end());
  return split;
}

void TrainArguments::add_choices_to(CLI::App& command) {
  transform.add_to(command);
  constants.add_to(command);
  learning.add_to(command);
  guarantee.add_to(command);
  shards.add_to(command);
}

Result<SessionOptions> TrainArguments::session_options(const TransformSpec& spec, const SessionOptions* base) const {
  UNSCATTER_TRY(options, guarantee.options(spec, base != nullptr ? *base : SessionOptions()));
  if (guarantee.preset != "paper" && base == nullptr) set_usual_learning(spec, options);
  UNSCATTER_CHECK_OK(learning.apply(options));
  if (embedding_epsilon) options.embedding_guarantee = {*embedding_epsilon, embedding_delta.value_or(0)};
  return options;
}

Result<Report> train_workspace(const TrainArguments& arguments, const CLI::App& command, Context& context,
                               std::optional<Before> before) {
  const fs::path path(before ? arguments.out : arguments.workspace.path);
  // Asked before the training, and again by the library when the file is made.
  UNSCATTER_CHECK_OK(check_free(path, arguments.force, "--force replaces it"));
  WorkspaceSetup setup;
  UNSCATTER_TRY(shards, arguments.shards.plan());
  setup.shards = shards;
  // A folder stays a folder, with shards of the same size.
  if (before && !gives_option_of(command, "Shards")) setup.shards.slots_per_shard = before->info.slots_per_shard;
  UNSCATTER_TRY(spec, arguments.transform.spec());
  // Features and transform belong together, so they are taken over together.
  const bool same_transform = before && !gives_option_of(command, "Transform");
  if (same_transform) spec = before->info.transform;
  UNSCATTER_CHECK_OK(arguments.constants.check());
  UNSCATTER_CHECK_OK(make_transform(spec));  // before reading: a wrong option should not cost a minute
  const bool rows = arguments.rows.given();
  if (rows) UNSCATTER_CHECK_OK(use_rows(command, spec));
  setup.transform = spec;
  UNSCATTER_TRY(options, arguments.session_options(spec, before ? &before->info.options : nullptr));
  UNSCATTER_CHECK_OK(check_options(options));
  setup.options = options;
  setup.options.crew = context.crew();
  setup.features =
      same_transform && !before->info.rule.empty() ? before->info.rule : arguments.transform.features_for(spec);

  StageClock clock;
  const std::size_t threads = arguments.workspace.threads;
  const ReadOptions reading{.limits = {}, .symmetrise = false, .threads = threads, .progress = &context.progress()};
  const bool paper = arguments.guarantee.preset == "paper";
  const ConstantKind usual_fit = paper ? ConstantKind::kFittedOnce : ConstantKind::kStated;
  UNSCATTER_TRY(learned, read_learning_data(arguments, before, usual_fit, reading, setup));
  const fs::path& data = learned.file;
  const bool streams = learned.streams;
  TrainingData& chosen = learned.chosen;
  setup.dataset = std::move(chosen.train);
  if (paper) apply_paper_setting(command, setup.dataset.name, setup);
  const Dataset* open = chosen.open ? &*chosen.open : nullptr;
  setup.fit = arguments.constants.source(usual_fit, open);
  if (before) {
    const ChosenAnew anew{.transform = !same_transform, .constants = gives_option_of(command, "Constants")};
    UNSCATTER_CHECK_OK(take_over_constants(before->info, anew, setup));
  }
  FormCounts form;
  std::size_t people = 0;
  if (streams) {
    UNSCATTER_CHECK_OK(survey_file(arguments, data, reading, open, setup, context.crew()));
    people = setup.stream->subjects;
    form = setup.stream->form;
  } else {
    UNSCATTER_CHECK_OK(arguments.constants.set_classes(setup.dataset, open, setup.options));
    form = count_forms(setup.dataset);
    people = summarise(setup.dataset).distinct_node_ids;
  }
  note_origins(arguments, command, before.has_value(), same_transform, setup.options);
  DueDates& due = streams ? setup.stream->due : setup.dataset.due;
  UNSCATTER_CHECK_OK(arguments.expiry.apply(due, form.graphs, seconds_now()));
  note_overdue(due, seconds_now(), context);
  note_large_delta(people, form.graphs, setup.options, context);
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
  // Closed at the end of this block: the log of an open workspace would keep the old name.
  {
    UNSCATTER_TRY(workspace, Workspace::create(target.where(), std::move(setup), how));
    clock.stage("train");
    UNSCATTER_TRY(evaluated, evaluate(workspace, chosen.holdout, arguments,
                                      {.threads = threads, .progress = &context.progress(), .crew = context.crew()}));
    if (evaluated) clock.stage("evaluate");
    evaluation = evaluated;
    info = workspace.info();
    if (!streams) {
      UNSCATTER_TRY(session, workspace.session());
      bounded = session->bounded_contributions();
    }
    width = workspace.embedder().width() + (options.bias ? 1 : 0);
    note_classes(info->class_names, width, context);
  }
  std::error_code unknown;
  const bool in_place = before && target.replaces() && fs::equivalent(path, arguments.workspace.path, unknown);
  // Until here nobody could remove anything from the old one.
  before.reset();
  UNSCATTER_CHECK_OK(target.settle(how, in_place ? head : std::nullopt));
  Report report = report_training({.path = path,
                                   .data = rows ? arguments.rows.rows : arguments.data,
                                   .info = *info,
                                   .use = embedding_use(form, info->transform, info->features),
                                   .width = width,
                                   .evaluation = evaluation,
                                   .bounded = bounded},
                                  clock);
  report.json["replaced"] = target.replaces();
  report.json["streamed"] = streams;
  // The promise of a workspace is about the models that this workspace publishes.  People who were in the old data can
  // be in both.
  if (head) {
    report.json["continues"] = head->hex();
  } else if (target.replaces()) {
    report.text += std::string(kNotCounted);
  }
  return report;
}

}  // namespace unscatter::cli
