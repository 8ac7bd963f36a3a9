#include <map>

#include "audits.h"
#include "models.h"
#include "one_at_a_time.h"
#include "unscatter/unlearn/session.h"

namespace unscatter::python {
namespace {

// A session that several Python threads may hold.  One works at a time; the others wait without the interpreter's
// lock.
class LockedSession {
 public:
  static std::shared_ptr<LockedSession> create(const Dataset& dataset, const NamedTransform& transform,
                                               const py::object& features, const py::object& fit, const py::dict& words,
                                               const py::object& report) {
    refuse_ids_that_occur_twice(dataset);
    SessionOptions options = make_options(transform, words);
    const std::string chosen = features_or_usual(features, transform, dataset);
    const FitSource source = fit_source(fit);
    auto made = std::make_shared<LockedSession>();
    made->spec_ = transform.spec;
    options.progress = &made->relay_;
    PythonProgress progress(report);
    const RelayProgress::Turn turn(made->relay_, progress);
    without_lock(progress, [&]() -> Status {
      UNSCATTER_TRY(embedder, make_embedder(chosen, transform.spec, dataset, source));
      // The session owns its data, because it overwrites what is removed.
      UNSCATTER_TRY(session, Session::create(Dataset(dataset), std::move(embedder), options));
      made->session_.emplace(std::move(session));
      return ok_status();
    });
    return made;
  }

  // What it found is read from the session afterwards.  A return value is lost if Ctrl-C comes after the update.
  void forget(const std::vector<RemovalRequest>& requests, const py::object& report) {
    turns_.refuse_its_own_functions();
    PythonProgress progress(report);
    without_lock(progress, [&]() -> Status {
      const OneAtATime::Turn ours(turns_);
      const RelayProgress::Turn turn(relay_, progress);
      UNSCATTER_TRY(removal, session_->prepare(requests));
      progress.look_for_signals();
      exposure_ = removal.exposure();
      removal.commit();
      model_.reset();
      return ok_status();
    });
  }

  py::tuple preview(const std::vector<RemovalRequest>& requests, const py::object& report) {
    Exposure exposure;
    Certificate certificate = run(report, [&] { return session_->preview(requests, &exposure); });
    return py::make_tuple(std::move(certificate), exposure);
  }

  // The published model of the present state: the same one until the next update, unless a fresh one is asked for.
  SharedModel release(bool fresh) {
    return run(py::none(), [&]() -> Result<SharedModel> {
      if (model_ != nullptr && !fresh) return model_;
      UNSCATTER_TRY(published, session_->release());
      UNSCATTER_TRY(model, make_model(spec_, session_->embedder(), std::move(published)));
      model_ = std::move(model);
      return model_;
    });
  }

  Audit audit(const py::dict& words, const py::object& report) {
    AuditOptions options = audit_options(words);
    Audit made;
    made.confidence = options.confidence;
    made.report = run(report, [&] {
      options.progress = &relay_;
      return unscatter::audit(*session_, session_->embedder(), options);
    });
    return made;
  }

  // A value of the session, read while no other thread changes it.
  template <typename Read>
  auto read(Read read) {
    turns_.refuse_its_own_functions();
    const py::gil_scoped_release unlocked;
    const OneAtATime::Turn ours(turns_);
    return read(static_cast<const Session&>(*session_));
  }
  // Of the last removal.
  std::optional<Exposure> exposure() {
    return read([this](const Session&) { return exposure_; });
  }

 private:
  template <typename Work>
  typename std::invoke_result_t<Work>::value_type run(const py::object& report, Work work) {
    turns_.refuse_its_own_functions();
    PythonProgress progress(report);
    return without_lock(progress, [&] {
      const OneAtATime::Turn ours(turns_);
      const RelayProgress::Turn turn(relay_, progress);
      return work();
    });
  }

  OneAtATime turns_;
  RelayProgress relay_;
  TransformSpec spec_;
  SharedModel model_;
  std::optional<Exposure> exposure_;
  std::optional<Session> session_;  // after the relay, which it points to
};

}  // namespace

void bind_sessions(py::module_& module) {
  py::class_<LockedSession, std::shared_ptr<LockedSession>>(module, "Session", "A classifier that can forget.")
      .def_static("create", &LockedSession::create)
      .def("forget", &LockedSession::forget)
      .def("preview", &LockedSession::preview)
      .def("release", &LockedSession::release)
      .def("audit", &LockedSession::audit)
      .def_property_readonly(
          "certificate",
          [](LockedSession& self) { return self.read([](const Session& session) { return session.certificate(); }); })
      .def_property_readonly("exposure", &LockedSession::exposure)
      .def_property_readonly(
          "class_names",
          [](LockedSession& self) { return self.read([](const Session& session) { return session.class_names(); }); })
      .def_property_readonly(
          "graph_count",
          [](LockedSession& self) { return self.read([](const Session& session) { return session.graph_count(); }); })
      .def_property_readonly(
          "releases",
          [](LockedSession& self) { return self.read([](const Session& session) { return session.releases(); }); })
      .def_property_readonly(
          "updates",
          [](LockedSession& self) { return self.read([](const Session& session) { return session.updates(); }); })
      .def_property_readonly("kept_weights",
                             [](LockedSession& self) {
                               return owned(self.read([](const Session& session) { return session.weights(); }));
                             })
      .def_property_readonly("rungs",
                             [](LockedSession& self) {
                               const RungCounts counts =
                                   self.read([](const Session& session) { return session.rungs(); });
                               return counts_by_name(counts, std::map<std::string, std::size_t>());
                             })
      .def("graph",
           [](LockedSession& self, std::size_t slot) {
             return self.read([slot](const Session& session) -> std::optional<SharedGraph> {
               if (slot >= session.slots() || session.graph(slot) == nullptr) return std::nullopt;
               return std::make_shared<Graph>(*session.graph(slot));
             });
           })
      .def("remaining", [](LockedSession& self) {
        return self.read([](const Session& session) { return std::make_shared<Dataset>(session.remaining()); });
      });
}

}  // namespace unscatter::python
