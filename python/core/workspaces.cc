#include "locked_workspace.h"
#include "unscatter/store/receipt.h"
#include "unscatter/store/verify.h"

namespace unscatter::python {
namespace {

py::tuple checks_of(const Verification& verification) {
  py::list checks;
  for (const Check& check : verification.checks) checks.append(py::make_tuple(check.name, check.passed, check.detail));
  return py::make_tuple(verification.passed, checks);
}

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

py::tuple check(const std::filesystem::path& path, const std::optional<std::filesystem::path>& key) {
  WorkspaceOptions how;
  how.record = key ? *key : value_or_raise(usual_key_path());
  return checks_of(without_lock([&] { return check_workspace(path, how); }));
}

// For functions that open a file themselves.  They ask for the key only if they need it.
WorkspaceOptions keyed_options(const std::optional<std::filesystem::path>& key, bool signs) {
  WorkspaceOptions options;
  options.record = key ? *key : value_or_raise(usual_key_path());
  if (signs && std::filesystem::exists(options.record))
    options.key = std::make_shared<const SigningKey>(value_or_raise(SigningKey::load(options.record)));
  return options;
}

py::tuple compact(const std::filesystem::path& path, const std::optional<std::filesystem::path>& key) {
  const WorkspaceOptions options = keyed_options(key, false);
  const Compaction done = without_lock([&] { return compact_workspace(path, options); });
  return py::make_tuple(done.bytes_before, done.bytes_after);
}

py::tuple upgrade(const std::filesystem::path& path, bool dry_run, const std::optional<std::filesystem::path>& key) {
  const WorkspaceOptions options = keyed_options(key, true);
  const FormatUpgrade done = without_lock([&] { return upgrade_workspace(path, options, dry_run); });
  return py::make_tuple(done.from, done.to, done.done);
}

// (requests, their lines, wrong lines with their errors)
py::tuple scan_list(const std::filesystem::path& path, const std::optional<std::string>& format) {
  ListReading how;
  if (format == "jsonl") {
    how.format = ListFormat::kJsonLines;
  } else if (format == "csv") {
    how.format = ListFormat::kCsv;
  } else if (format) {
    raise({ErrorCode::kInvalidArgument, "there is no format '" + *format + "' of lists; choose from jsonl, csv"});
  }
  const RequestFile file = without_lock([&] { return scan_request_file(path, how); });
  py::list wrong;
  for (const RequestFile::WrongLine& line : file.wrong) {
    wrong.append(py::make_tuple(line.line, exception_of(line.error)));
  }
  return py::make_tuple(file.requests, file.lines, wrong);
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
      .def_static("create_from_file", &LockedWorkspace::create_from_file)
      .def("retrain", &LockedWorkspace::retrain)
      .def_static("open", &LockedWorkspace::open)
      .def("close", &LockedWorkspace::close)
      .def("forget", &LockedWorkspace::forget)
      .def("preview", &LockedWorkspace::preview)
      .def("add", &LockedWorkspace::add)
      .def("correct", &LockedWorkspace::correct)
      .def("forget_list", &LockedWorkspace::forget_list)
      .def("replay", &LockedWorkspace::replay)
      .def("shred", &LockedWorkspace::shred)
      .def("due", &LockedWorkspace::due)
      .def("due_summary", &LockedWorkspace::due_summary)
      .def("set_due", &LockedWorkspace::set_due)
      .def("expire", &LockedWorkspace::expire)
      .def("audit", &LockedWorkspace::audit)
      .def("release", &LockedWorkspace::release)
      .def("renew", &LockedWorkspace::renew)
      .def("entry", &LockedWorkspace::entry)
      .def("receipt", &LockedWorkspace::receipt)
      .def("remaining", &LockedWorkspace::remaining)
      .def("slot", &LockedWorkspace::slot)
      .def("export_graphs", &LockedWorkspace::export_graphs)
      .def("subject", &LockedWorkspace::subject)
      .def("subjects", &LockedWorkspace::subjects)
      .def("replay_digest", &LockedWorkspace::replay_digest)
      .def("state_digest", &LockedWorkspace::state_digest)
      .def("kept_weights", &LockedWorkspace::kept_weights)
      .def("backup", &LockedWorkspace::backup)
      .def("status", &LockedWorkspace::status)
      .def("certificate", &LockedWorkspace::certificate);
  module.def("verify", &verify);
  module.def("check", &check);
  module.def("compact", &compact);
  module.def("upgrade", &upgrade);
  module.def("scan_list", &scan_list);
  module.def("read_request", [](const std::string& text) { return value_or_raise(parse_request(text)); });
  module.def("request_text", [](const RemovalRequest& request) { return request_text(request); });
  module.def("parse_due_date", [](const std::string& text) { return value_or_raise(parse_due_date(text)); });
  module.def("public_key", [](const std::optional<std::filesystem::path>& key) {
    const std::filesystem::path place = key ? *key : value_or_raise(usual_key_path());
    const KeyFile file = value_or_raise(load_or_create_key(place));
    return py::make_tuple(file.path, file.key->public_key().hex());
  });
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
