// What changes a workspace.
#include "locked_workspace.h"
#include "unscatter/store/receipt.h"

namespace unscatter::python {

Outcome LockedWorkspace::forget(const std::vector<RemovalRequest>& requests, bool keep_salts, bool shred,
                                const py::object& hand_out, const py::object& report) {
  const SaltChoice salts{keep_salts, shred, hand_out};
  Callbacks calls;
  const ForgetOptions how = calls.options(salts);
  return calls.guard([&] { return outcome_of(run(report, [&] { return workspace_->forget(requests, how); })); });
}

py::tuple LockedWorkspace::preview(const std::vector<RemovalRequest>& requests, const py::object& report) {
  Exposure exposure;
  Certificate certificate = run(report, [&] { return workspace_->preview(requests, &exposure); });
  return py::make_tuple(std::move(certificate), exposure);
}

Outcome LockedWorkspace::add(const Dataset& graphs, std::optional<std::int64_t> expires, const py::object& report) {
  refuse_ids_that_occur_twice(graphs);
  return outcome_of(run(report, [&] {
    Dataset more(graphs);
    if (expires) more.due.limit_graphs(more.size(), *expires);
    return workspace_->add(std::move(more));
  }));
}

Outcome LockedWorkspace::correct(const std::vector<std::string>& texts, const py::object& report) {
  std::vector<Correction> corrections;
  for (const std::string& text : texts) corrections.push_back(value_or_raise(parse_correction(text)));
  return outcome_of(run(report, [&] { return workspace_->correct(corrections); }));
}

Outcome LockedWorkspace::replay(const std::string& openings, bool keep_salts, bool shred, const py::object& hand_out,
                                const py::object& report) {
  const std::vector<Opening> known = value_or_raise(parse_openings(openings, "openings"));
  const SaltChoice salts{keep_salts, shred, hand_out};
  Callbacks calls;
  const ForgetOptions how = calls.options(salts);
  return calls.guard([&] { return outcome_of(run(report, [&] { return workspace_->replay(known, how); })); });
}

std::size_t LockedWorkspace::shred(const RemovalRequest& request) {
  return run(py::none(), [&] { return workspace_->shred(request); });
}

std::string LockedWorkspace::release(bool fresh) {
  return run(py::none(), [&]() -> Result<std::string> {
    UNSCATTER_CHECK_OK(workspace_->release(fresh));
    UNSCATTER_TRY(document, workspace_->published_document());
    return published_model_text(document);
  });
}

std::string LockedWorkspace::renew() {
  return run(py::none(), [&]() -> Result<std::string> {
    UNSCATTER_TRY(record, workspace_->renew());
    return ledger_text(record);
  });
}

py::tuple LockedWorkspace::forget_list(const std::vector<RemovalRequest>& requests, std::optional<std::size_t> batch,
                                       bool skip_refused, bool keep_salts, bool shred, const py::object& hand_out,
                                       const py::object& acknowledge, const py::object& report) {
  const SaltChoice salts{keep_salts, shred, hand_out};
  Callbacks calls;
  std::vector<Outcome> updates;
  Workspace::ListOptions how;
  if (batch) how.batch = *batch;
  how.skip_refused = skip_refused;
  how.keep_salts = keep_salts;
  how.shred = shred;
  how.hand_out = calls.options(salts).hand_out;
  how.stop = [&] { return !calls.go_on(); };
  how.acknowledge = [&](std::size_t done, const Forgotten& outcome) {
    updates.push_back(outcome_of(outcome));
    // What is raised here ends the list before its next update.
    if (!acknowledge.is_none()) calls.call(acknowledge, [&] { return py::args(py::make_tuple(done, updates.back())); });
  };
  const Workspace::ListOutcome found =
      calls.guard([&] { return run(report, [&] { return workspace_->forget_list(requests, how); }); });
  py::list refused;
  for (const Error& error : found.refused) refused.append(exception_of(error));
  return py::make_tuple(found.done_before, found.entries_before, found.honoured, updates, refused);
}

}  // namespace unscatter::python
