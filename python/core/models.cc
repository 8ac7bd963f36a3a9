#include "models.h"

#include <tuple>
#include <utility>

namespace unscatter::python {

Result<SharedModel> make_model(const TransformSpec& spec, const std::shared_ptr<const Embedder>& embedder,
                               PublishedModel published) {
  UNSCATTER_TRY(predictor, Predictor::create(embedder, published));
  return std::make_shared<Model>(
      Model{spec, embedder->blocks().front().features.describe(), std::move(published), std::move(predictor)});
}

namespace {

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

// The class of each graph by the rule of the library, and how far it is ahead.
py::tuple choices_of(const Model& model, const std::vector<SharedGraph>& graphs, std::size_t threads) {
  std::vector<const Graph*> pointers;
  pointers.reserve(graphs.size());
  for (const SharedGraph& graph : graphs) pointers.push_back(graph.get());
  PythonProgress progress{py::none()};
  std::vector<Prediction> predictions;
  without_lock(progress, [&]() -> Status {
    UNSCATTER_TRY(rows, model.predictor.embedder().embed(std::span<const Graph* const>(pointers),
                                                         {.threads = threads, .progress = &progress}));
    for (std::size_t i = 0; i < rows.rows(); ++i) predictions.push_back(model.predictor.predict(rows.row(i)));
    return ok_status();
  });
  py::list chosen;
  for (Prediction& prediction : predictions) {
    chosen.append(py::make_tuple(prediction.predicted, prediction.lead, owned(std::move(prediction.scores))));
  }
  return py::tuple(chosen);
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

std::optional<std::pair<double, double>> pair_of(const std::optional<RemovalGuarantee>& guarantee) {
  if (!guarantee) return std::nullopt;
  return std::pair(guarantee->epsilon, guarantee->delta);
}

std::optional<RemovalGuarantee> guarantee_of(const py::handle& state) {
  const auto pair = state.cast<std::optional<std::pair<double, double>>>();
  if (!pair) return std::nullopt;
  return RemovalGuarantee{pair->first, pair->second};
}

py::list earlier_state(const std::vector<EarlierCount>& counts) {
  py::list state;
  for (const EarlierCount& count : counts) {
    state.append(py::make_tuple(std::string(name(count.mechanism)), std::string(name(count.protection)),
                                count.guarantee.epsilon, count.guarantee.delta, count.shift, count.grid_delta,
                                count.releases, count.published, count.trained_again));
  }
  return state;
}

std::vector<EarlierCount> earlier_from_state(const py::list& state) {
  using Fields = std::tuple<std::string, std::string, double, double, double, double, std::size_t, std::size_t, bool>;
  std::vector<EarlierCount> counts;
  for (const py::handle& one : state) {
    const auto [mechanism, protection, epsilon, delta, shift, grid, releases, published, again] = one.cast<Fields>();
    counts.push_back({value_or_raise(parse_mechanism(mechanism)),
                      value_or_raise(parse_protection(protection)),
                      {epsilon, delta},
                      shift,
                      grid,
                      releases,
                      published,
                      again});
  }
  return counts;
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
  state["rule"] = std::string(name(promise.rule));
  state["delta_for_shift"] = promise.delta_for_shift;
  state["earlier"] = earlier_state(promise.earlier);
  state["together"] = pair_of(promise.together);
  state["embedding"] = pair_of(promise.embedding);
  state["with_embedding"] = pair_of(promise.with_embedding);
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
  promise.rule = value_or_raise(parse_budget_rule(state["rule"].cast<std::string>()));
  promise.delta_for_shift = state["delta_for_shift"].cast<double>();
  promise.earlier = earlier_from_state(state["earlier"].cast<py::list>());
  promise.together = guarantee_of(state["together"]);
  promise.embedding = guarantee_of(state["embedding"]);
  promise.with_embedding = guarantee_of(state["with_embedding"]);
  return value_or_raise(make_model(transform.spec, embedder, std::move(published)));
}

SharedModel read_model(const std::string& text) {
  const PublishedDocument document = value_or_raise(parse_published_model(text));
  Predictor predictor = value_or_raise(Predictor::create(document));
  return std::make_shared<Model>(Model{document.transform, document.features, document.model, std::move(predictor)});
}

}  // namespace

void bind_models(py::module_& module) {
  py::class_<Model, SharedModel>(module, "Model", "A published model, ready for use.")
      .def("graph_scores", &graph_scores, py::arg("graphs"), py::arg("threads"), py::arg("report"),
           "Scores of a list of graphs, one column per class.")
      .def("graph_choices", &choices_of, py::arg("graphs"), py::arg("threads"),
           "For each graph the place of its class, how far that is ahead, and the scores.")
      .def("dataset_scores", &dataset_scores, py::arg("dataset"), py::arg("threads"), py::arg("report"),
           "The same for the compiled part of a data set.")
      .def("row_scores", &scores_of, py::arg("rows"), "The same for rows that are embedded already.")
      .def_property_readonly(
          "class_names", [](const Model& model) { return model.published.class_names; },
          "The classes as files spell them, in the order of the columns.")
      .def_property_readonly(
          "weights", [](const Model& model) { return owned(model.published.weights); },
          "With their noise, one column per class.")
      .def_property_readonly(
          "bias", [](const Model& model) { return model.published.bias; },
          "Whether a constant coordinate is added to every row.")
      .def_property_readonly(
          "release_number", [](const Model& model) { return model.published.release_number; },
          "The how-manieth model of its count this is, from 1.")
      .def_property_readonly(
          "promise", [](const Model& model) { return model.published.promise; }, "What is promised about it.")
      .def_property_readonly(
          "features", [](const Model& model) { return model.features; }, "Signals on the nodes, with all constants.")
      .def_property_readonly(
          "transform", [](const Model& model) { return transform_fields(model.spec); },
          "All constants of the transform by name.")
      .def(py::pickle(&model_state, &model_from_state));
  module.def("read_model", &read_model);
}

}  // namespace unscatter::python
