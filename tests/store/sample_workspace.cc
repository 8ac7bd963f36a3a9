#include "store/sample_workspace.h"

#include <fmt/format.h>

#include <utility>

#include "base/testing/seeded_random.h"
#include "store/constants.h"
#include "store/contents.h"
#include "store/tables.h"
#include "unlearn/random_session.h"
#include "unscatter/base/invariant.h"

namespace unscatter::testing {
namespace {

std::string model_details(const SessionSnapshot& snapshot) {
  SeededRandom random(1);
  return to_row(model_of(snapshot, snapshot.releases), random).details;
}

std::string certificate_details(const Certificate& certificate) {
  SessionSnapshot snapshot;
  snapshot.certificate = certificate;
  return model_details(snapshot);
}

std::string constants_of_info(const WorkspaceInfo& info) {
  return constants_text({info.name, info.class_names, info.features, info.transform, info.options}).value();
}

void require_ok(const Status& status) { invariant(status.ok(), status.ok() ? "" : status.error().message.c_str()); }

// Constants and chain only: what a forger has changed before need not hold together.
Contents contents_of(const Database& database) {
  Contents contents;
  require_ok(read_constants(database, contents));
  contents.chain = check_links(database).value();
  return contents;
}

}  // namespace

std::vector<SampleChoice> sample_choices() {
  std::vector<SampleChoice> choices;
  choices.emplace_back();
  const auto add = [&](std::string name, std::size_t classes = 2) -> SessionOptions& {
    choices.push_back({std::move(name), {}, classes});
    return choices.back().options;
  };
  add("imprecise").distance_limit = 1;
  add("bias", 3).bias = true;
  SessionOptions& huber = add("huber_tombstones");
  huber.loss = Loss::huber_svm(0.25).value();
  huber.removal = NodeRemoval::kTombstone;
  SessionOptions& squared = add("squared_lbfgs", 3);
  squared.loss = Loss::squared();
  squared.optimizer = Optimizer::kLbfgs;
  squared.report_all_bounds = true;
  SessionOptions& objective = add("objective", 3);
  objective.mechanism = Mechanism::kObjective;
  objective.noise_stddev = 0.1;
  choices.push_back({"paper", paper_options(1e-2, 2), 2});
  add("whole_graph").method = Method::kWholeGraph;
  add("retrain").method = Method::kRetrain;
  SessionOptions& bounded = add("data_bound");
  bounded.bound = ResidualBound::kData;
  bounded.distance_limit = 1;
  SessionOptions& everyone = add("everyone", 3);
  everyone.protection = Protection::kEveryone;
  everyone.per_subject = 100;  // nobody is dropped, so that requests find everybody
  everyone.ridge = 0.5;
  return choices;
}

WorkspaceSetup sample_setup(std::uint64_t seed, const SampleChoice& choice, std::size_t graphs) {
  WorkspaceSetup setup;
  setup.dataset = random_data(seed, {.graphs = graphs, .classes = choice.classes, .largest_graph = 6}).dataset;
  setup.dataset.name = "sample";
  setup.features = "attributes+log-degree";
  setup.transform.scales = 2;
  setup.transform.moments = 1;
  setup.transform.layers = 2;
  setup.options = choice.options;
  return setup;
}

std::shared_ptr<const SigningKey> sample_key(std::uint64_t seed) {
  SeededRandom random(seed);
  return std::make_shared<const SigningKey>(SigningKey::generate(random));
}

SampleWorkspace::SampleWorkspace(WorkspaceSetup setup)
    : path_(folder_.path() / "sample.unscatter"), setup_(std::move(setup)) {
  how.key = sample_key();
  how.threads = 1;
}

Workspace SampleWorkspace::create() const { return Workspace::create(path_, setup_, how).value(); }
Workspace SampleWorkspace::open() const { return Workspace::open(path_, how).value(); }
Verification SampleWorkspace::verify(const VerifyOptions& options) const {
  WorkspaceOptions reading;
  reading.threads = 1;
  reading.record = how.record;
  return verify_workspace(path_, options, reading).value();
}

void SampleWorkspace::fill() const {
  Workspace workspace = create();
  const Graph& second = original().graphs[1];
  NodeIndex from = 0;
  while (second.degree(from) == 0) ++from;
  const NodeIndex to = second.neighbours(from)[0];
  for (const RemovalRequest& request : {RemovalRequest(ForgetNode{0u, 1u}), RemovalRequest(ForgetGraph{3u}),
                                        RemovalRequest(ForgetEdge{1u, std::size_t{from}, std::size_t{to}})}) {
    static_cast<void>(workspace.forget(std::span(&request, 1), {.keep_salts = true}).value());
  }
  static_cast<void>(workspace.release().value());
}

std::string SampleWorkspace::bytes() const { return read_whole_file(path_); }

void SampleWorkspace::replace(std::string_view bytes) const {
  std::filesystem::remove(path_);
  static_cast<void>(folder_.write(path_.filename().string(), bytes));
}

void SampleWorkspace::edit(const std::function<void(const Database&)>& change) const {
  const Database database = Database::open(path_, Database::Mode::kExisting, how.wait).value();
  require_ok(database.run("PRAGMA secure_delete = ON"));
  change(database);
  require_ok(database.empty_log());
}

void SampleWorkspace::edit(const std::string& sql) const {
  edit([&](const Database& database) { require_ok(database.run(sql)); });
}

void SampleWorkspace::rewrite_ledger(const std::function<void(LedgerRecord&)>& change, const SigningKey& key) const {
  edit([&](const Database& database) {
    std::vector<LedgerRow> rows;
    require_ok(visit_entries(database, [&](std::size_t, const LedgerRow& row) -> Status {
      rows.push_back(row);
      return ok_status();
    }));
    require_ok(database.run("DELETE FROM ledger"));
    Digest head;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      LedgerRecord record = parse_ledger_text(rows[i].body).value();
      record.previous = head;
      change(record);
      const bool changed = ledger_text(record) != rows[i].body;
      if (changed) rows[i] = make_entry(record, key);
      head = rows[i].hash;
      require_ok(append_entry(database, i, rows[i]));
      const Result<std::string> text = read_receipt(database, i);
      if (!changed || !text.ok()) continue;
      Receipt receipt = parse_receipt(*text).value();
      receipt.workspace = record.workspace;
      receipt.published_model = record.published_model;
      receipt.commitments = record.commitments;
      receipt.data_after = record.data_after;
      receipt.previous = record.previous;
      receipt.entry = head;
      sign(receipt, key);
      require_ok(database.run(fmt::format("DELETE FROM receipts WHERE sequence = {}", i)));
      require_ok(write_receipt(database, i, receipt_text(receipt)));
    }
  });
}

void SampleWorkspace::rewrite_model(const std::function<void(StoredModel&)>& change, const SigningKey& key) const {
  Digest digest;
  std::size_t last = 0;
  edit([&](const Database& database) {
    const Contents contents = contents_of(database);
    StoredModel model =
        model_from_row(read_model(database).value(), weight_rows(contents), contents.constants.class_names.size())
            .value();
    change(model);
    SeededRandom random(77);
    const ModelRow row = to_row(model, random);
    require_ok(write_model(database, row));
    digest = row.digest();
    last = contents.chain.entries - 1;
  });
  rewrite_ledger(
      [&](LedgerRecord& record) {
        if (record.sequence == last) record.model = digest;
      },
      key);
}

std::vector<std::string> failed_checks(const Verification& verification) {
  std::vector<std::string> names;
  for (const Check& check : verification.checks) {
    if (!check.passed) names.push_back(check.name);
  }
  return names;
}

std::string all_details(const Verification& verification) {
  std::string text;
  for (const Check& check : verification.checks) {
    text += fmt::format("{} {}: {}\n", check.passed ? "ok" : "FAILED", check.name, check.detail);
  }
  return text;
}

std::string difference(const SessionSnapshot& one, const SessionSnapshot& other) {
  if (one.name != other.name || one.class_names != other.class_names) return "names";
  if (one.slots.size() != other.slots.size()) return "slots";
  for (std::size_t i = 0; i < one.slots.size(); ++i) {
    const SlotSnapshot& a = one.slots[i];
    const SlotSnapshot& b = other.slots[i];
    const bool same = a.number == b.number && a.graph == b.graph && a.label == b.label && a.graph_id == b.graph_id &&
                      a.node_count_at_creation == b.node_count_at_creation && a.node_numbers == b.node_numbers;
    if (!same) return fmt::format("slot {}", i);
  }
  if (one.weights != other.weights) return "weights";
  if (one.residuals != other.residuals) return "residuals";
  if (one.perturbation.has_value() != other.perturbation.has_value()) return "noise";
  if (one.perturbation && *one.perturbation != *other.perturbation) return "noise";
  if (model_details(one) != model_details(other)) return "certificate or counts";
  return "";
}

std::string difference(const WorkspaceInfo& one, const WorkspaceInfo& other) {
  if (one.id != other.id || one.created != other.created || one.format != other.format) return "id";
  if (one.signer != other.signer) return "signer";
  if (constants_of_info(one) != constants_of_info(other)) return "constants";
  if (one.slots != other.slots || one.graphs != other.graphs) return "graphs";
  if (one.entries != other.entries || one.head != other.head) return "ledger";
  if (one.updates != other.updates || one.published != other.published || one.rungs != other.rungs) return "counts";
  if (certificate_details(one.certificate) != certificate_details(other.certificate)) return "certificate";
  return "";
}

}  // namespace unscatter::testing
