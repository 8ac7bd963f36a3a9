#include "locked_workspace.h"

#include <utility>

namespace unscatter::python {

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

bool Callbacks::call(const py::object& function, const std::function<py::args()>& arguments) {
  const py::gil_scoped_acquire locked;
  try {
    function(*arguments());
    return true;
  } catch (py::error_already_set& error) {
    raised_.emplace(std::move(error));
    return false;
  }
}

bool Callbacks::go_on() {
  if (raised_) return false;
  const py::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() == 0) return true;
  raised_.emplace();
  return false;
}

ForgetOptions Callbacks::options(const SaltChoice& salts) {
  ForgetOptions how{.keep_salts = salts.keep, .shred = salts.shred};
  how.hand_out = [this, &salts](const Forgotten& done) -> Status {
    // The last moment at which nothing has happened yet.
    if (!go_on()) return Error{ErrorCode::kUnavailable, "the work was ended from outside"};
    if (salts.hand_out.is_none()) return ok_status();
    if (call(salts.hand_out, [&] { return py::args(py::make_tuple(outcome_of(done))); })) return ok_status();
    return Error{ErrorCode::kUnavailable, "the openings were not taken"};
  };
  return how;
}

void Callbacks::throw_raised() {
  py::error_already_set error(std::move(*raised_));
  raised_.reset();
  throw error;
}

std::shared_ptr<LockedWorkspace> LockedWorkspace::create(const std::filesystem::path& path, const Dataset& dataset,
                                                         const NamedTransform& transform, const py::object& features,
                                                         const py::object& fit, const py::dict& words,
                                                         std::optional<std::int64_t> expires,
                                                         const std::optional<std::filesystem::path>& key,
                                                         const py::object& report) {
  refuse_ids_that_occur_twice(dataset);
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
    if (expires) setup.dataset.due.limit_graphs(dataset.size(), *expires);
    UNSCATTER_TRY(workspace, Workspace::create(path, std::move(setup), options));
    made->workspace_.emplace(std::move(workspace));
    return ok_status();
  });
  return made;
}

std::shared_ptr<LockedWorkspace> LockedWorkspace::open(const std::filesystem::path& path, bool read_only,
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

void LockedWorkspace::close() {
  turns_.refuse_its_own_functions();
  const py::gil_scoped_release unlocked;
  const OneAtATime::Turn ours(turns_);
  workspace_.reset();
}

WorkspaceOptions LockedWorkspace::options(std::size_t threads, std::filesystem::path record) {
  WorkspaceOptions made;
  made.threads = threads;
  made.record = std::move(record);
  made.progress = &relay_;
  return made;
}

}  // namespace unscatter::python
