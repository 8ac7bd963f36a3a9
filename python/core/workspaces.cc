#include <map>
#include <mutex>

#include "core.h"
#include "unscatter/store/request_text.h"
#include "unscatter/store/verify.h"
#include "unscatter/store/workspace.h"
#include "words.h"

namespace unscatter::python {
namespace {

// A removal, an addition or corrections, in force and on disk, as texts that files hold.
struct Outcome {
  Certificate certificate;
  Exposure exposure;
  std::string entry;  // of the ledger
  std::string receipt;
  std::vector<std::string> openings;  // one per request
};

Outcome outcome_of(const Forgotten& done) {
  Outcome outcome{done.certificate, done.exposure, ledger_text(done.entry), receipt_text(done.receipt), {}};
  for (std::size_t i = 0; i < done.salts.size(); ++i) {
    const Digest& commitment = done.receipt.commitments[i];
    if (i < done.requests.size()) {
      const Opening opening{static_cast<std::size_t>(done.entry.sequence), commitment, done.requests[i], done.salts[i]};
      outcome.openings.push_back(opening_text(opening));
    } else if (i < done.asked.size()) {
      outcome.openings.push_back(
          opening_text(static_cast<std::size_t>(done.entry.sequence), commitment, done.asked[i], done.salts[i]));
    }
  }
  return outcome;
}

py::tuple checks_of(const Verification& verification) {
  py::list checks;
  for (const Check& check : verification.checks) checks.append(py::make_tuple(check.name, check.passed, check.detail));
  return py::make_tuple(verification.passed, checks);
}

const char* direction_word(HeldEdge::Direction direction) {
  switch (direction) {
    case HeldEdge::Direction::kBoth: return "both";
    case HeldEdge::Direction::kFromSubject: return "from";
    case HeldEdge::Direction::kToSubject: return "to";
  }
  return "both";
}

// Everything that the library tells about a subject: an access request leaves nothing out.
py::dict held(const HeldSubject& subject) {
  py::list graphs;
  for (const HeldGraph& graph : subject.graphs) {
    py::list nodes;
    for (const HeldNode& node : graph.nodes) {
      py::list edges;
      for (const HeldEdge& edge : node.edges) {
        py::dict one;
        one["node"] = edge.node;
        one["id"] = edge.id;
        one["direction"] = direction_word(edge.direction);
        one["weight"] = edge.weight;
        edges.append(one);
      }
      py::dict one;
      one["number"] = node.number;
      one["has_features"] = node.has_features;
      one["label"] = node.label;
      one["attributes"] = node.attributes;
      one["position"] = node.position;
      one["edges"] = edges;
      nodes.append(one);
    }
    py::dict one;
    one["number"] = graph.number;
    one["id"] = graph.id;
    one["class"] = graph.class_name;
    one["due"] = graph.due;
    one["nodes"] = nodes;
    graphs.append(one);
  }
  py::dict all;
  all["due"] = subject.due;
  all["graphs"] = graphs;
  return all;
}

// A workspace that several Python threads may hold, one at a time.
class LockedWorkspace {
 public:
  static std::shared_ptr<LockedWorkspace> create(const std::filesystem::path& path, const Dataset& dataset,
                                                 const NamedTransform& transform, const py::object& features,
                                                 const std::string& fit, const py::dict& words,
                                                 const std::optional<std::filesystem::path>& key,
                                                 const py::object& report) {
    WorkspaceSetup setup;
    setup.options = make_options(transform, words);
    setup.transform = transform.spec;
    setup.features = features_or_usual(features, transform, dataset);
    setup.fit = fit_source(fit);
    const std::size_t threads = setup.options.threads;
    KeyFile signing = value_or_raise(load_or_create_key(key ? *key : value_or_raise(usual_key_path())));
    auto made = std::make_shared<LockedWorkspace>();
    PythonProgress progress(report);
    const RelayProgress::Turn turn(made->relay_, progress);
    WorkspaceOptions options = made->options(threads, signing.path);
    options.key = std::move(signing.key);
    without_lock(progress, [&]() -> Status {
      setup.dataset = dataset;
      UNSCATTER_TRY(workspace, Workspace::create(path, std::move(setup), options));
      made->workspace_.emplace(std::move(workspace));
      return ok_status();
    });
    return made;
  }

  static std::shared_ptr<LockedWorkspace> open(const std::filesystem::path& path, bool read_only,
                                               const std::optional<std::filesystem::path>& key,
                                               std::optional<double> wait_seconds, std::size_t threads,
                                               const py::object& report) {
    auto made = std::make_shared<LockedWorkspace>();
    const std::filesystem::path place = key ? *key : value_or_raise(usual_key_path());
    WorkspaceOptions options = made->options(threads, place);
    options.read_only = read_only;
    if (wait_seconds) options.wait = std::chrono::milliseconds(static_cast<std::int64_t>(1000 * *wait_seconds));
    if (!read_only) options.key = std::make_shared<const SigningKey>(value_or_raise(SigningKey::load(place)));
    PythonProgress progress(report);
    const RelayProgress::Turn turn(made->relay_, progress);
    without_lock(progress, [&]() -> Status {
      UNSCATTER_TRY(workspace, Workspace::open(path, options));
      made->workspace_.emplace(std::move(workspace));
      return ok_status();
    });
    return made;
  }

  void close() {
    const py::gil_scoped_release unlocked;
    const std::scoped_lock lock(mutex_);
    workspace_.reset();
  }

  Outcome forget(const std::vector<RemovalRequest>& requests, bool keep_salts, bool shred, const py::object& report) {
    const ForgetOptions how{.keep_salts = keep_salts, .shred = shred};
    return outcome_of(run(report, [&] { return workspace_->forget(requests, how); }));
  }
  py::tuple preview(const std::vector<RemovalRequest>& requests, const py::object& report) {
    Exposure exposure;
    Certificate certificate = run(report, [&] { return workspace_->preview(requests, &exposure); });
    return py::make_tuple(std::move(certificate), exposure);
  }
  Outcome add(const Dataset& graphs, const py::object& report) {
    return outcome_of(run(report, [&] { return workspace_->add(Dataset(graphs)); }));
  }
  Outcome correct(const std::vector<std::string>& texts, const py::object& report) {
    std::vector<Correction> corrections;
    for (const std::string& text : texts) corrections.push_back(value_or_raise(parse_correction(text)));
    return outcome_of(run(report, [&] { return workspace_->correct(corrections); }));
  }
  std::string release(bool fresh) {
    return run(py::none(), [&]() -> Result<std::string> {
      UNSCATTER_CHECK_OK(workspace_->release(fresh));
      UNSCATTER_TRY(document, workspace_->published_document());
      return published_model_text(document);
    });
  }
  std::string renew() {
    return run(py::none(), [&]() -> Result<std::string> {
      UNSCATTER_TRY(record, workspace_->renew());
      return ledger_text(record);
    });
  }
  std::string entry(std::size_t sequence) {
    return run(py::none(), [&]() -> Result<std::string> {
      UNSCATTER_TRY(record, workspace_->entry(sequence));
      return ledger_text(record);
    });
  }
  std::string receipt(std::size_t sequence) {
    return run(py::none(), [&]() -> Result<std::string> {
      UNSCATTER_TRY(found, workspace_->receipt(sequence));
      return receipt_text(found);
    });
  }
  SharedDataset remaining() {
    return run(py::none(), [&]() -> Result<SharedDataset> {
      UNSCATTER_TRY(left, workspace_->remaining());
      return std::make_shared<Dataset>(std::move(left));
    });
  }
  py::dict subject(const std::string& id) {
    return held(run(py::none(), [&] { return workspace_->subject(id); }));
  }
  py::list subjects(const std::string& text, std::size_t limit, std::size_t offset) {
    const SubjectList found =
        run(py::none(), [&] { return workspace_->subjects({.text = text, .limit = limit, .offset = offset}); });
    py::list entries;
    for (const SubjectList::Entry& one : found.entries) entries.append(py::make_tuple(one.id, one.graphs, one.due));
    return entries;
  }
  std::string replay_digest() {
    return run(py::none(), [&]() -> Result<Digest> { return workspace_->replay_digest(); }).hex();
  }
  std::string state_digest() {
    return run(py::none(), [&]() -> Result<Digest> { return workspace_->state_digest(); }).hex();
  }
  py::array_t<double> kept_weights() {
    return owned(run(py::none(), [&]() -> Result<Matrix> { return Matrix(workspace_->kept_weights()); }));
  }
  std::string backup(const std::filesystem::path& to, bool replace) {
    return run(py::none(), [&] { return workspace_->backup(to, {.replace = replace}); }).head.hex();
  }

  py::dict status() {
    const WorkspaceInfo info = run(py::none(), [&]() -> Result<WorkspaceInfo> { return workspace_->info(); });
    py::dict all;
    all["path"] = info.path;
    all["id"] = info.id;
    all["name"] = info.name;
    all["created"] = info.created;
    all["format"] = info.format;
    all["signer"] = info.signer.hex();
    all["features"] = info.features;
    all["transform"] = transform_fields(info.transform);
    all["regularisation"] = info.options.regularisation;
    all["class_names"] = info.class_names;
    all["slots"] = info.slots;
    all["graphs"] = info.graphs;
    all["entries"] = info.entries;
    all["head"] = info.head.hex();
    all["updates"] = info.updates;
    all["published"] = info.published;
    all["published_in_count"] = info.published_in_count;
    all["rungs"] = counts_by_name(info.rungs, std::map<std::string, std::size_t>());
    all["outdated"] = info.outdated ? py::object(py::str(info.outdated->message)) : py::object(py::none());
    return all;
  }
  Certificate certificate() {
    return run(py::none(), [&]() -> Result<Certificate> { return workspace_->info().certificate; });
  }

 private:
  WorkspaceOptions options(std::size_t threads, std::filesystem::path record) {
    WorkspaceOptions made;
    made.threads = threads;
    made.record = std::move(record);
    made.progress = &relay_;
    return made;
  }
  template <typename Work>
  typename std::invoke_result_t<Work>::value_type run(const py::object& report, Work work) {
    PythonProgress progress(report);
    return without_lock(progress, [&]() -> decltype(work()) {
      const std::scoped_lock lock(mutex_);
      if (!workspace_) return Error{ErrorCode::kInvalidArgument, "the workspace is closed"};
      const RelayProgress::Turn turn(relay_, progress);
      return work();
    });
  }

  std::mutex mutex_;
  RelayProgress relay_;
  std::optional<Workspace> workspace_;  // after the relay, which it points to
};

py::tuple verify(const std::filesystem::path& path, bool retrain, const std::optional<std::filesystem::path>& key,
                 const std::optional<std::string>& signer) {
  VerifyOptions options;
  options.retrain = retrain;
  if (signer) options.signer = value_or_raise(read_public_key(*signer));
  WorkspaceOptions how;
  how.record = key ? *key : value_or_raise(usual_key_path());
  PythonProgress progress{py::none()};
  how.progress = &progress;
  return checks_of(without_lock(progress, [&] { return verify_workspace(path, options, how); }));
}

}  // namespace

void bind_workspaces(py::module_& module) {
  py::class_<Outcome>(module, "Outcome", "An update of a workspace, in force and on disk.")
      .def_readonly("certificate", &Outcome::certificate)
      .def_readonly("exposure", &Outcome::exposure)
      .def_readonly("entry_text", &Outcome::entry)
      .def_readonly("receipt", &Outcome::receipt)
      .def_readonly("openings", &Outcome::openings);
  py::class_<LockedWorkspace, std::shared_ptr<LockedWorkspace>>(module, "CoreWorkspace", "A workspace file.")
      .def_static("create", &LockedWorkspace::create)
      .def_static("open", &LockedWorkspace::open)
      .def("close", &LockedWorkspace::close)
      .def("forget", &LockedWorkspace::forget)
      .def("preview", &LockedWorkspace::preview)
      .def("add", &LockedWorkspace::add)
      .def("correct", &LockedWorkspace::correct)
      .def("release", &LockedWorkspace::release)
      .def("renew", &LockedWorkspace::renew)
      .def("entry", &LockedWorkspace::entry)
      .def("receipt", &LockedWorkspace::receipt)
      .def("remaining", &LockedWorkspace::remaining)
      .def("subject", &LockedWorkspace::subject)
      .def("subjects", &LockedWorkspace::subjects)
      .def("replay_digest", &LockedWorkspace::replay_digest)
      .def("state_digest", &LockedWorkspace::state_digest)
      .def("kept_weights", &LockedWorkspace::kept_weights)
      .def("backup", &LockedWorkspace::backup)
      .def("status", &LockedWorkspace::status)
      .def("certificate", &LockedWorkspace::certificate);
  module.def("verify", &verify);
  module.def("usual_key_path", [] { return value_or_raise(usual_key_path()); });
  module.def("check_receipt", [](const std::string& text, const std::string& key) {
    const Receipt receipt = value_or_raise(parse_receipt(text));
    value_or_raise(check_signature(receipt, value_or_raise(read_public_key(key))));
  });
  module.def("check_model", [](const std::string& text, const std::string& key) {
    const PublishedDocument document = value_or_raise(parse_published_model(text));
    value_or_raise(check_signature(document, value_or_raise(read_public_key(key))));
  });
}

}  // namespace unscatter::python
