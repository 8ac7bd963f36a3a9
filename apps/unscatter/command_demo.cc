// A first look, without files or downloads.  A workspace in a temporary folder learns, forgets and is checked.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "certificate_words.h"
#include "commands.h"
#include "demo_service.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/graph/generate.h"
#include "unscatter/graph/split.h"
#include "unscatter/learn/predict.h"
#include "unscatter/store/verify.h"
#include "unscatter/store/workspace.h"

namespace unscatter::cli {
namespace {

namespace fs = std::filesystem;

// A temporary folder.  It is removed when the demo ends, however it ends.
class DemoFolder {
 public:
  static Result<std::unique_ptr<DemoFolder>> create() {
    std::error_code error;
    const fs::path base = fs::temp_directory_path(error);
    std::string pattern = ((error ? fs::path("/tmp") : base) / "unscatter-demo-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      return Error{ErrorCode::kIo, fmt::format("no temporary folder can be made in '{}'", base.string())};
    }
    return std::make_unique<DemoFolder>(pattern);
  }
  explicit DemoFolder(fs::path path) : path_(std::move(path)) {}
  DemoFolder(const DemoFolder&) = delete;
  DemoFolder& operator=(const DemoFolder&) = delete;
  ~DemoFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// The user who is in most groups, and in how many.
std::pair<std::string, std::size_t> busiest_user(const Dataset& dataset) {
  std::map<std::string, std::size_t> groups;
  for (const Graph& graph : dataset.graphs) {
    for (std::size_t i = 0; i < graph.node_count(); ++i) ++groups[graph.node_id(i)];
  }
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  return *std::max_element(groups.begin(), groups.end(), fewer);
}

// From ten groups each: a member, a tie and the features of a member.
std::vector<RemovalRequest> mixed_batch(const Session& session) {
  std::vector<RemovalRequest> batch;
  for (std::size_t g = 0; g < 30; ++g) {
    const Graph& graph = *session.graph(g);
    const std::string& member = graph.node_id(0);
    if (g % 3 == 0) batch.emplace_back(ForgetNode{g, member});
    if (g % 3 == 1) batch.emplace_back(ForgetFeatures{g, member});
    if (g % 3 == 2 && graph.degree(0) > 0)
      batch.emplace_back(ForgetEdge{g, member, graph.node_id(graph.neighbours(0)[0])});
  }
  return batch;
}

class Story {
 public:
  Story(Workspace& workspace, const Context& context) : workspace_(workspace), context_(context) {}

  // Honours the requests.  Then trains from scratch on what is left, to compare times and weights.
  Status forget(const std::string& step, const std::string& what, const std::vector<RemovalRequest>& requests) {
    Stopwatch watch;
    UNSCATTER_TRY(forgotten, workspace_.forget(requests));
    const double update_ms = 1000 * watch.lap();
    UNSCATTER_TRY(session, workspace_.session());
    Dataset left = session->remaining();
    // Without ownership: the workspace outlives the session that is compared with.
    const std::shared_ptr<const Embedder> embedder(std::shared_ptr<void>(), &workspace_.embedder());
    watch.lap();
    UNSCATTER_TRY(scratch, Session::create(std::move(left), embedder, session->options()));
    const double retrain_ms = 1000 * watch.lap();

    const Certificate& certificate = forgotten.certificate;
    const double distance = (session->weights() - scratch.weights()).norm();
    // Both models are within their bounds of the exact minimiser, so their distance is at most the sum.
    const double allowed = certificate.distance_upper_bound + scratch.certificate().distance_upper_bound;
    if (distance > allowed) {
      return Error{ErrorCode::kUnsupported, fmt::format("{}: the weights are {:.2g} from those of retraining, and the "
                                                        "certificates say at most {:.2g}",
                                                        step, distance, allowed)};
    }
    const LedgerRecord& entry = forgotten.entry;
    tell(step, what, forgotten, distance, {update_ms, retrain_ms});
    removals_.push_back({{"step", step},
                         {"requests", requests.size()},
                         {"graphs_edited", entry.graphs_edited},
                         {"graphs_removed", entry.graphs_removed},
                         {"entry", entry.sequence},
                         {"rung", name(certificate.rung)},
                         {"milliseconds", update_ms},
                         {"retraining_milliseconds", retrain_ms},
                         {"distance", distance},
                         {"distance_upper_bound", certificate.distance_upper_bound},
                         {"shift_upper_bound", certificate.shift_upper_bound},
                         {"shift_limit", certificate.promise.shift_limit},
                         {"satisfied", certificate.satisfied}});
    return ok_status();
  }

  [[nodiscard]] const Json& removals() const { return removals_; }

 private:
  struct Times {
    double update_ms;
    double retrain_ms;
  };

  void tell(const std::string& step, const std::string& what, const Forgotten& forgotten, double distance,
            const Times& times) const {
    const LedgerRecord& entry = forgotten.entry;
    const Certificate& certificate = forgotten.certificate;
    Table table({{""}, {""}, {""}});
    table.add_row({" ", "graphs", graphs_words(entry.graphs_edited, entry.graphs_removed, entry.graphs)});
    table.add_row({" ", "how", rung_words(certificate.rung, certificate.newton_steps, certificate.binding)});
    table.add_row({" ", "certificate",
                   fmt::format("kept weights at most {:.0e} from training from scratch; they are {:.0e} from it",
                               certificate.distance_upper_bound, distance)});
    table.add_row({" ", "ledger",
                   fmt::format("entry {}, hash {}..., receipt signed", entry.sequence,
                               forgotten.receipt.entry.hex().substr(0, 16))});
    table.add_row({" ", "time",
                   fmt::format("{:.1f} ms, on disk; training from scratch takes {:.1f} ms in memory", times.update_ms,
                               times.retrain_ms)});
    context_.say(fmt::format("{}: {}\n{}\n", step, what, table.str()));
  }

  Workspace& workspace_;
  const Context& context_;
  Json removals_ = Json::array();
};

std::string closing_words(const Verification& verification, const WorkspaceInfo& info, double before, double after) {
  const Promise& promise = info.certificate.promise;
  std::string checks;
  for (const Check& check : verification.checks) checks += (checks.empty() ? "" : ", ") + check.name;
  return fmt::format(
      "verify: {}: all {} checks passed\n\n"
      "The promise: whoever sees the published models, {} of them at most, can hardly tell them from models that were "
      "trained\n"
      "without what was forgotten: (epsilon, delta) = ({}, {}), by noise of {} on every published weight.\n"
      "Accuracy on the other half: {:.1f} % before, {:.1f} % for the model published after.\n\n"
      "Next, with data of your own or with 'unscatter datasets generate groups.jsonl':\n"
      "  unscatter train --data groups.jsonl --workspace w.unscatter\n"
      "  unscatter forget --workspace w.unscatter --subject user-00042 --receipt receipt.json\n"
      "  unscatter verify --workspace w.unscatter --retrain\n"
      "docs/certificates.md says what a certificate means, and what it does not.\n",
      checks, verification.checks.size(), grouped(info.options.releases), promise.guarantee.epsilon,
      promise.guarantee.delta, promise.noise_stddev, 100 * before, 100 * after);
}

// Half of the groups to learn from, half to test, and those who will leave.
struct Cast {
  DatasetSummary summary;
  Dataset train;
  Dataset test;
  std::string user;
  std::size_t appearances = 0;
  std::string group;
};

Result<Cast> choose_cast() {
  UNSCATTER_TRY(groups, generate_interest_groups({}));
  UNSCATTER_TRY(split, random_split(groups.size(), {.train = 0.5, .validation = 0, .test = 0.5}, 1));
  Cast cast;
  cast.summary = summarise(groups);
  cast.train = subset(groups, split.train);
  cast.test = subset(groups, split.test);
  std::tie(cast.user, cast.appearances) = busiest_user(cast.train);
  cast.group = cast.train.graph_ids.back();
  return cast;
}

Status forget_three_times(const Cast& cast, Workspace& workspace, Story& story) {
  UNSCATTER_CHECK_OK(story.forget("forget a user",
                                  fmt::format("{}, in all {} groups it is a member of", cast.user, cast.appearances),
                                  {ForgetSubject{cast.user}}));
  UNSCATTER_TRY(session, workspace.session());
  const std::vector<RemovalRequest> batch = mixed_batch(*session);
  UNSCATTER_CHECK_OK(
      story.forget("forget a batch", fmt::format("{} members, features and ties in one update", batch.size()), batch));
  return story.forget("forget a group", cast.group + ", whole", {ForgetGraph{cast.group}});
}

Status check_verified(const Verification& verification) {
  if (verification.passed) return ok_status();
  for (const Check& check : verification.checks) {
    if (!check.passed)
      return Error{ErrorCode::kUnsupported, fmt::format("not verified: {}: {}", check.name, check.detail)};
  }
  return Error{ErrorCode::kUnsupported, "not verified"};
}

Result<Report> demo(Context& context, bool serve) {
  context.say("unscatter demo: learn from social groups, forget, and compare with training from scratch\n\n");
  UNSCATTER_TRY(folder, DemoFolder::create());
  Stopwatch watch;
  UNSCATTER_TRY(cast, choose_cast());
  context.say(fmt::format("generate: {} groups of {} users, half to learn from and half to test, in {:.1f} ms\n",
                          grouped(cast.summary.graphs), grouped(cast.summary.distinct_node_ids), 1000 * watch.lap()));

  WorkspaceOptions options;
  SecureRandom random;
  options.key = std::make_shared<const SigningKey>(SigningKey::generate(random));
  options.progress = &context.progress();
  WorkspaceSetup setup;
  setup.dataset = std::move(cast.train);
  setup.features = kDefaultFeatures;
  setup.transform = default_transform();
  setup.options.regularisation = kDefaultRegularisation;
  const fs::path path = folder->path() / "demo.unscatter";
  UNSCATTER_TRY(created, Workspace::create(path, std::move(setup), options));
  const double train_ms = 1000 * watch.lap();
  std::optional<Workspace> workspace = std::move(created);
  const std::size_t width = workspace->embedder().width();
  context.say(
      fmt::format("train: {} weights per class, into a workspace file, in {:.1f} ms\n\n", grouped(width), train_ms));

  UNSCATTER_TRY(test_rows, workspace->embedder().embed(cast.test));
  UNSCATTER_TRY(session, workspace->session());
  const double accuracy_before = accuracy(test_rows, cast.test.labels, session->weights());
  Story story(*workspace, context);
  UNSCATTER_CHECK_OK(forget_three_times(cast, *workspace, story));
  UNSCATTER_TRY(model, workspace->release());
  const double accuracy_published = accuracy(test_rows, cast.test.labels, model.weights);
  const WorkspaceInfo info = workspace->info();
  workspace.reset();  // a workspace has one user at a time, and verifying opens the file itself
  UNSCATTER_TRY(verification, verify_workspace(path, {.retrain = true, .signer = options.key->public_key()}, options));
  UNSCATTER_CHECK_OK(check_verified(verification));

  Report report;
  report.json = {{"groups", cast.summary.graphs},
                 {"users", cast.summary.distinct_node_ids},
                 {"coordinates", width},
                 {"train_milliseconds", train_ms},
                 {"forgotten_user", {{"id", cast.user}, {"groups", cast.appearances}}},
                 {"removals", story.removals()},
                 {"verified", true},
                 {"accuracy_before", accuracy_before},
                 {"accuracy_published", accuracy_published},
                 {"epsilon", info.certificate.promise.guarantee.epsilon},
                 {"delta", info.certificate.promise.guarantee.delta}};
  report.text = closing_words(verification, info, accuracy_before, accuracy_published);
#ifdef UNSCATTER_SERVICE
  if (serve) {
    context.say(report.text + "\n");
    UNSCATTER_CHECK_OK(serve_demo(path, options.key, context));
    report.text = "ended; the workspace of the demo is gone\n";
  }
#else
  static_cast<void>(serve);
#endif
  return report;
}

}  // namespace

void add_demo_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("demo", "Generate, train, forget, verify: a first look in a few seconds");
  command.footer(R"(
Examples:
  unscatter demo
  unscatter demo --json
  unscatter demo --serve)");
  const auto serve = std::make_shared<bool>(false);
#ifdef UNSCATTER_SERVICE
  command.add_flag("--serve", *serve, "Then put the workspace behind HTTP, with the page, until Ctrl-C");
#endif
  context.add_action(command, [&context, serve] {
#ifdef UNSCATTER_SERVICE
    if (*serve) prepare_to_serve();
#endif
    return demo(context, *serve);
  });
}

}  // namespace unscatter::cli
