#include <map>
#include <mutex>

#include "core.h"
#include "unscatter/store/receipt.h"
#include "unscatter/unlearn/session.h"
#include "words.h"

namespace unscatter::python {
namespace {

// A published model that is ready for use.
struct Model {
  TransformSpec spec;
  std::string features;
  PublishedModel published;
  Predictor predictor;
};
using SharedModel = std::shared_ptr<Model>;

Result<SharedModel> make_model(const TransformSpec& spec, const std::shared_ptr<const Embedder>& embedder,
                               PublishedModel published) {
  UNSCATTER_TRY(predictor, Predictor::create(embedder, published));
  return std::make_shared<Model>(
      Model{spec, embedder->blocks().front().features.describe(), std::move(published), std::move(predictor)});
}

py::array_t<double> scores_of(const Model& model, const SparseBlockRows& rows) {
  const std::size_t classes = model.published.class_names.size();
  py::array_t<double> scores({rows.rows(), classes});
  double* out = scores.mutable_data();
  const py::gil_scoped_release unlocked;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const Prediction prediction = model.predictor.predict(rows.row(i));
    std::copy(prediction.scores.begin(), prediction.scores.end(), out + i * classes);
  }
  return scores;
}

py::array_t<double> graph_scores(const Model& model, const std::vector<SharedGraph>& graphs, std::size_t threads,
                                 const py::object& report) {
  PythonProgress progress(report);
  std::vector<const Graph*> pointers;
  pointers.reserve(graphs.size());
  for (const SharedGraph& graph : graphs) pointers.push_back(graph.get());
  const SparseBlockRows rows = without_lock(progress, [&] {
    return model.predictor.embedder().embed(std::span<const Graph* const>(pointers),
                                            {.threads = threads, .progress = &progress});
  });
  return scores_of(model, rows);
}

py::array_t<double> dataset_scores(const Model& model, const Dataset& dataset, std::size_t threads,
                                   const py::object& report) {
  PythonProgress progress(report);
  const SparseBlockRows rows = without_lock(
      progress, [&] { return model.predictor.embedder().embed(dataset, {.threads = threads, .progress = &progress}); });
  return scores_of(model, rows);
}

// What a pickle holds: the published model, and not one number beside it.
py::dict model_state(const Model& model) {
  const Promise& promise = model.published.promise;
  py::list constants;
  for (const ConstantOrigin& origin : promise.constants) {
    constants.append(py::make_tuple(origin.name, std::string(name(origin.kind))));
  }
  py::dict state;
  state["transform"] = transform_fields(model.spec);
  state["features"] = model.features;
  state["weights"] = owned(model.published.weights);
  state["class_names"] = model.published.class_names;
  state["bias"] = model.published.bias;
  state["release_number"] = model.published.release_number;
  state["mechanism"] = std::string(name(promise.mechanism));
  state["protect"] = std::string(name(promise.protection));
  state["guarantee"] = py::make_tuple(promise.guarantee.epsilon, promise.guarantee.delta);
  state["noise"] = promise.noise_stddev;
  state["shift_limit"] = promise.shift_limit;
  state["releases"] = promise.releases;
  state["assumptions"] = promise.assumptions;
  state["constants"] = constants;
  state["per_subject"] = promise.per_subject;
  state["sensitivity"] = promise.sensitivity;
  return state;
}

SharedModel model_from_state(const py::dict& state) {
  const NamedTransform transform = make_named_transform(py::none(), state["transform"].cast<py::dict>());
  FeatureMap features = value_or_raise(FeatureMap::parse(state["features"].cast<std::string>()));
  const std::shared_ptr<const Embedder> embedder = value_or_raise(make_embedder(std::move(features), transform.spec));
  PublishedModel published;
  const auto weights = state["weights"].cast<py::array_t<double, py::array::f_style | py::array::forcecast>>();
  if (weights.ndim() != 2) raise({ErrorCode::kMalformedInput, "the weights of the model are no matrix"});
  published.weights = Eigen::Map<const Matrix>(weights.data(), weights.shape(0), weights.shape(1));
  published.class_names = state["class_names"].cast<std::vector<std::string>>();
  published.bias = state["bias"].cast<bool>();
  published.release_number = state["release_number"].cast<std::size_t>();
  Promise& promise = published.promise;
  promise.mechanism = value_or_raise(parse_mechanism(state["mechanism"].cast<std::string>()));
  promise.protection = value_or_raise(parse_protection(state["protect"].cast<std::string>()));
  const auto guarantee = state["guarantee"].cast<std::pair<double, double>>();
  promise.guarantee = {guarantee.first, guarantee.second};
  promise.noise_stddev = state["noise"].cast<double>();
  promise.shift_limit = state["shift_limit"].cast<double>();
  promise.releases = state["releases"].cast<std::size_t>();
  promise.assumptions = state["assumptions"].cast<std::vector<std::string>>();
  for (const auto& [origin, kind] : state["constants"].cast<std::vector<std::pair<std::string, std::string>>>()) {
    promise.constants.push_back({origin, value_or_raise(parse_constant_kind(kind))});
  }
  promise.per_subject = state["per_subject"].cast<std::size_t>();
  promise.sensitivity = state["sensitivity"].cast<double>();
  return value_or_raise(make_model(transform.spec, embedder, std::move(published)));
}

SharedModel read_model(const std::string& text) {
  const PublishedDocument document = value_or_raise(parse_published_model(text));
  Predictor predictor = value_or_raise(Predictor::create(document));
  return std::make_shared<Model>(Model{document.transform, document.features, document.model, std::move(predictor)});
}

// A session that several Python threads may hold.  One works at a time; the others wait without the interpreter's
// lock.
class LockedSession {
 public:
  static std::shared_ptr<LockedSession> create(const Dataset& dataset, const NamedTransform& transform,
                                               const py::object& features, const std::string& fit,
                                               const py::dict& words, const py::object& report) {
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

  py::tuple forget(const std::vector<RemovalRequest>& requests, const py::object& report) {
    Exposure exposure;
    Certificate certificate = run(report, [&] {
      auto updated = session_->forget(std::span<const RemovalRequest>(requests), &exposure);
      if (updated.ok()) model_.reset();
      return updated;
    });
    return py::make_tuple(std::move(certificate), exposure);
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

  // A value of the session, read while no other thread changes it.
  template <typename Read>
  auto read(Read read) {
    const py::gil_scoped_release unlocked;
    const std::scoped_lock lock(mutex_);
    return read(static_cast<const Session&>(*session_));
  }

 private:
  template <typename Work>
  typename std::invoke_result_t<Work>::value_type run(const py::object& report, Work work) {
    PythonProgress progress(report);
    return without_lock(progress, [&] {
      const std::scoped_lock lock(mutex_);
      const RelayProgress::Turn turn(relay_, progress);
      return work();
    });
  }

  std::mutex mutex_;
  RelayProgress relay_;
  TransformSpec spec_;
  SharedModel model_;
  std::optional<Session> session_;  // after the relay, which it points to
};

void bind_model(py::module_& module) {
  py::class_<Model, SharedModel>(module, "Model", "A published model, ready for use.")
      .def("graph_scores", &graph_scores)
      .def("dataset_scores", &dataset_scores)
      .def("row_scores", &scores_of)
      .def_property_readonly("class_names", [](const Model& model) { return model.published.class_names; })
      .def_property_readonly("weights", [](const Model& model) { return owned(model.published.weights); })
      .def_property_readonly("bias", [](const Model& model) { return model.published.bias; })
      .def_property_readonly("release_number", [](const Model& model) { return model.published.release_number; })
      .def_property_readonly("promise", [](const Model& model) { return model.published.promise; })
      .def_property_readonly("features", [](const Model& model) { return model.features; })
      .def_property_readonly("transform", [](const Model& model) { return transform_fields(model.spec); })
      .def(py::pickle(&model_state, &model_from_state));
  module.def("read_model", &read_model);
}

}  // namespace

void bind_sessions(py::module_& module) {
  bind_model(module);
  py::class_<LockedSession, std::shared_ptr<LockedSession>>(module, "Session", "A classifier that can forget.")
      .def_static("create", &LockedSession::create)
      .def("forget", &LockedSession::forget)
      .def("preview", &LockedSession::preview)
      .def("release", &LockedSession::release)
      .def_property_readonly(
          "certificate",
          [](LockedSession& self) { return self.read([](const Session& session) { return session.certificate(); }); })
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
