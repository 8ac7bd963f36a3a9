#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "adapters.h"
#include "report.h"
#include "sequences.h"

namespace replay {
namespace {

namespace fs = std::filesystem;
using unscatter::Workspace;

struct WorkspaceChoice {
  std::string name;
  unscatter::SessionOptions options;
};

std::vector<WorkspaceChoice> workspace_choices(std::size_t layers) {
  std::vector<WorkspaceChoice> choices;
  choices.push_back({"release", usual_options()});
  choices.push_back({"coarse", usual_options()});
  set_distance_limit(choices.back().options, 1e-3);
  choices.back().options.noise_stddev = 1.0;
  choices.back().options.removal = unscatter::NodeRemoval::kTombstone;
  choices.push_back({"objective", usual_options()});
  choices.back().options.mechanism = unscatter::Mechanism::kObjective;
  choices.back().options.noise_stddev = 0.1;
  choices.back().options.bias = true;
  choices.push_back({"paper", unscatter::paper_options(1e-2, layers)});
  choices.push_back({"data-bound", usual_options()});
  choices.back().options.bound = unscatter::ResidualBound::kData;
  choices.back().options.report_all_bounds = true;
  set_distance_limit(choices.back().options, 1.0);
  choices.push_back({"squared", usual_options()});
  choices.back().options.loss = unscatter::Loss::squared();
  choices.push_back({"retrain", usual_options()});
  choices.back().options.method = unscatter::Method::kRetrain;
  return choices;
}

// The bytes of the file.  Reading a file that SQLite has open in the same process drops its locks on it, which does no
// harm where no other process looks.
unscatter::Digest file_digest(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  unscatter::Hasher hasher;
  hasher.add_bytes(std::as_bytes(std::span(bytes)));
  return hasher.finish();
}

// A workspace on disk, and the steps that one takes with it.
class Recorded {
 public:
  Recorded(const Material& material, const WorkspaceChoice& choice, const fs::path& folder, std::size_t threads)
      : report_("workspace/" + material.name + "-" + material.shape + "/" + choice.name),
        requests_(material.dataset, 9),
        path_(folder / (material.name + "-" + material.shape + "-" + choice.name + ".unscatter")) {
    SeededSource key_source(1);
    how_.key = std::make_shared<const unscatter::SigningKey>(unscatter::SigningKey::generate(key_source));
    how_.threads = threads;
    how_.clock = [ticks = std::int64_t{1769903999}]() mutable { return ++ticks; };
    // All sources start alike: how many of them a workspace asks for is no result.
    how_.random = [] { return std::make_unique<SeededSource>(3); };
  }

  // False if it cannot be made; the report says why.
  bool create(const Material& material, const WorkspaceChoice& choice) {
    unscatter::WorkspaceSetup setup{material.dataset, material.features, material.transform, choice.options};
    as_version_0_1(setup);
    auto created = Workspace::create(path_, std::move(setup), how_);
    if (!created.ok()) {
      report_.error(created.error());
      return false;
    }
    workspace_ = *std::move(created);
    report_state();
    return true;
  }

  void reopen() {
    report_.next_step();
    workspace_.reset();
    report_.line("file.closed", file_digest(path_));
    workspace_ = Workspace::open(path_, how_).value();
    report_state();
  }

  void forget(const std::vector<unscatter::RemovalRequest>& requests, bool shred = false) {
    report_.next_step();
    for (const auto& request : requests) report_.line("request", unscatter::request_text(request));
    const auto done = workspace_->forget(requests, {.shred = shred});
    if (done.ok()) {
      report_outcome(*done);
    } else {
      report_.error(done.error());
    }
    report_state();
  }

  void forget_one(RequestKind kind, bool shred = false) { forget({requests_.next(session(), kind)}, shred); }
  void forget_batch() { forget(requests_.batch(session(), 4)); }

  void preview() {
    report_.next_step();
    const auto expected = workspace_->preview(requests_.batch(session(), 4));
    if (expected.ok()) {
      report_.certificate(*expected);
    } else {
      report_.error(expected.error());
    }
    report_state();
  }

  void release(bool fresh) {
    report_.next_step();
    const auto model = workspace_->release(fresh);
    if (model.ok()) {
      report_.published(*model);
    } else {
      report_.error(model.error());
    }
    report_state();
  }

  // A list that stops after its first update, is gone on with after the file was opened again, and has a request in it
  // that is refused.
  void forget_list() {
    std::vector<unscatter::RemovalRequest> list = requests_.batch(session(), 8);
    list.insert(list.begin() + 5, unscatter::ForgetSubject{"nobody"});
    run_list(list, 1);
    reopen();
    run_list(list, 100);
    report_.next_step();
    const auto destroyed = workspace_->shred(list.front());
    report_.line("shredded", destroyed.ok() ? std::to_string(*destroyed) : "no");
    report_state();
  }

  // Every claim, checked again, after the workspace is closed.
  void verify() {
    report_.next_step();
    for (std::size_t i = 0; i < workspace_->info().entries; ++i) {
      report_.line("entry.hash", workspace_->hash_of_entry(i).value());
      const auto salts = workspace_->salts(i);
      if (!salts.ok()) continue;
      for (const auto& salt : *salts) report_.line("entry.salt", salt.hex());
    }
    workspace_.reset();
    unscatter::WorkspaceOptions how;
    how.threads = how_.threads;
    const auto verification = unscatter::verify_workspace(path_, {.retrain = true}, how).value();
    for (const auto& check : verification.checks) report_.line("check." + check.name, check.passed);
    report_.line("verified", verification.passed);
    report_.line("file.closed", file_digest(path_));
  }

  void report_rungs(const std::string& shape) {
    report_.rungs(workspace_->info().rungs);
    count_rungs(shape, workspace_->info().rungs);
  }

 private:
  const unscatter::Session& session() { return *workspace_->session().value(); }

  void run_list(const std::vector<unscatter::RemovalRequest>& list, std::size_t most_updates) {
    report_.next_step();
    Workspace::ListOptions options;
    options.batch = 3;
    options.skip_refused = true;
    std::size_t updates = 0;
    options.stop = [&] { return updates == most_updates; };
    options.acknowledge = [&](std::size_t done, const unscatter::Forgotten& outcome) {
      ++updates;
      report_.line("list.done", done);
      report_outcome(outcome);
    };
    const auto outcome = workspace_->forget_list(list, options);
    if (outcome.ok()) {
      report_.line("list.done_before", outcome->done_before);
      report_.line("list.honoured", outcome->honoured);
      report_.line("list.updates", outcome->updates);
      report_.line("list.stopped", outcome->stopped);
      for (const auto& refusal : outcome->refused) report_.line("list.refused", refused_request(refusal));
    } else {
      report_.error(outcome.error());
    }
    report_state();
  }

  void report_outcome(const unscatter::Forgotten& outcome) const {
    report_.certificate(outcome.certificate);
    report_.text("receipt", unscatter::receipt_text(outcome.receipt));
    for (const auto& salt : outcome.salts) report_.line("salt", salt.hex());
  }

  void report_state() {
    const auto& info = workspace_->info();
    report_.line("id", info.id);
    report_.line("created", info.created);
    report_.line("features", info.features);
    report_.line("graphs", info.graphs);
    report_.line("updates", info.updates);
    report_.line("published", info.published);
    report_.line("head", info.head);
    report_.certificate(info.certificate);
    report_.text("entry", unscatter::ledger_text(workspace_->entry(info.entries - 1).value()));
    report_.line("state_digest", state_digest(*workspace_).value());
    report_.matrix("weights", session().weights());
    report_.embeddings(session().embeddings());
    report_.line("file", file_digest(path_));
  }

  Report report_;
  Requests requests_;
  fs::path path_;
  unscatter::WorkspaceOptions how_;
  std::optional<Workspace> workspace_;
};

// With previews, what is kept between updates is another matter, so they have sequences of their own.
void record_workspace(const Material& material, const WorkspaceChoice& choice, const fs::path& folder,
                      std::size_t threads, bool previews) {
  WorkspaceChoice named = choice;
  if (previews) named.name = "preview-" + choice.name;
  Recorded recorded(material, named, folder, threads);
  if (!recorded.create(material, named)) return;
  for (std::size_t kind = 0; kind < kRequestKinds; ++kind) {
    if (previews) recorded.preview();
    recorded.forget_one(static_cast<RequestKind>(kind), kind == 2);
  }
  recorded.forget_batch();
  recorded.release(false);
  recorded.release(false);
  recorded.reopen();
  recorded.release(true);
  recorded.forget_one(RequestKind::kNode);
  recorded.forget({unscatter::ForgetGraph{std::size_t{1000000}}});
  recorded.forget_list();
  recorded.forget_one(RequestKind::kFeatures);
  recorded.report_rungs(material.shape);
  recorded.verify();
}

}  // namespace

void record_workspaces(const std::vector<Material>& materials, const fs::path& folder, std::size_t threads) {
  for (const Material& material : materials) {
    for (const WorkspaceChoice& choice : workspace_choices(material.transform.layers)) {
      record_workspace(material, choice, folder, threads, false);
      if (choice.name == "release" || choice.name == "objective") {
        record_workspace(material, choice, folder, threads, true);
      }
    }
  }
}

}  // namespace replay
