#include "words.h"

#include <array>
#include <functional>
#include <map>

namespace unscatter::python {
namespace {

constexpr std::array kOperators = {WalkOperator::kRow, WalkOperator::kColumn, WalkOperator::kSymmetric};
constexpr std::array kMethods = {SpectralMethod::kAutomatic, SpectralMethod::kEigen, SpectralMethod::kChebyshev};

Error unknown(const std::string& what, const std::string& name) {
  return {ErrorCode::kInvalidArgument, "there is no " + what + " '" + name + "'"};
}

template <typename Values, typename Name>
auto named_value(const Values& values, Name name, const std::string& text, const char* what) {
  for (const auto value : values) {
    if (name(value) == text) return value;
  }
  raise(unknown(what, text));
}

using SpecField = std::function<void(TransformSpec&, const py::handle&)>;

template <typename T>
SpecField field(T TransformSpec::*member) {
  return [member](TransformSpec& spec, const py::handle& value) { spec.*member = value.cast<T>(); };
}

const std::map<std::string, SpecField>& spec_fields() {
  static const std::map<std::string, SpecField> fields = {
      {"family", field(&TransformSpec::family)},
      {"operator",
       [](TransformSpec& spec, const py::handle& value) {
         spec.op = named_value(kOperators, walk_operator_name, value.cast<std::string>(), "operator");
       }},
      {"scales", field(&TransformSpec::scales)},
      {"moments", field(&TransformSpec::moments)},
      {"layers", field(&TransformSpec::layers)},
      {"linear", field(&TransformSpec::linear)},
      {"kernel", field(&TransformSpec::kernel)},
      {"method",
       [](TransformSpec& spec, const py::handle& value) {
         spec.spectral.method = named_value(kMethods, spectral_method_name, value.cast<std::string>(), "method");
       }},
      {"degree",
       [](TransformSpec& spec, const py::handle& value) { spec.spectral.degree = value.cast<std::size_t>(); }},
      {"damping", field(&TransformSpec::pagerank_damping)},
      {"windows", field(&TransformSpec::windows)},
      {"random_features", field(&TransformSpec::random_features)},
      {"sharpness", field(&TransformSpec::sharpness)},
      {"recipe", field(&TransformSpec::recipe)},
      {"row_scale", field(&TransformSpec::row_scale)},
      {"row_norm",
       [](TransformSpec& spec, const py::handle& value) {
         spec.row_norm = value_or_raise(parse_row_norm(value.cast<std::string>()));
       }},
      {"symmetrise", field(&TransformSpec::symmetrise)}};
  return fields;
}

// An option that the mechanism does not use is refused, as on the command line.  Passing over it would let somebody
// believe in noise that is not there.
void set_objective_noise(Words& words, SessionOptions& options) {
  for (const char* option : {"noise", "releases", "distance_limit"}) {
    if (!words.has(option)) continue;
    const bool noise = std::string_view(option) == "noise";
    raise({ErrorCode::kInvalidArgument, std::string(option) + " belongs to mechanism='release'" +
                                            (noise ? "; for 'objective' the noise is alpha" : "")});
  }
  words.set("alpha", options.noise_stddev);
}

void set_release_noise(Words& words, SessionOptions& options) {
  if (words.has("alpha")) {
    raise({ErrorCode::kInvalidArgument,
           "alpha is the noise in the objective and belongs to mechanism='objective'; for 'release' the noise is "
           "noise, and the strength of the regularisation is regularisation"});
  }
  const auto noise = words.take<double>("noise");
  if (noise && options.protection == Protection::kEveryone) {
    raise({ErrorCode::kInvalidArgument,
           "noise does not go with protect='everyone': there the noise follows from guarantee, releases and ridge"});
  }
  if (noise) options.noise_stddev = *noise;
  words.set("releases", options.releases);
  words.set("distance_limit", options.distance_limit);
}

void set_mechanism(Words& words, SessionOptions& options) {
  words.parse("mechanism", options.mechanism, parse_mechanism);
  options.noise_stddev = usual_noise(options.mechanism);
  options.releases = usual_releases(options.protection);
  if (options.mechanism == Mechanism::kObjective) {
    set_objective_noise(words, options);
  } else {
    set_release_noise(words, options);
  }
}

}  // namespace

std::map<std::string, py::object> given_words(const py::dict& words) {
  std::map<std::string, py::object> given;
  for (const auto& [name, value] : words) {
    if (!value.is_none()) given[name.cast<std::string>()] = py::reinterpret_borrow<py::object>(value);
  }
  return given;
}

void Words::finish() const {
  if (!given_.empty()) raise(unknown("option", given_.begin()->first));
}

NamedTransform make_named_transform(const py::object& embedding, const py::dict& fields) {
  NamedTransform named{default_transform(), true};
  if (!embedding.is_none()) {
    const auto text = embedding.cast<std::string>();
    named.spec = value_or_raise(parse_embedding(text));
    named.built_in = embedding_is_built_in(text);
  }
  for (const auto& [name, value] : given_words(fields)) {
    const auto found = spec_fields().find(name);
    if (found == spec_fields().end()) raise(unknown("constant of a transform", name));
    found->second(named.spec, value);
    // As `unscatter train` says it: these three are stated constants; others are choices.
    if (name == "scales" || name == "moments" || name == "layers") named.built_in = false;
  }
  return named;
}

py::dict transform_fields(const TransformSpec& spec) {
  py::dict fields;
  fields["family"] = spec.family;
  fields["operator"] = std::string(walk_operator_name(spec.op));
  fields["scales"] = spec.scales;
  fields["moments"] = spec.moments;
  fields["layers"] = spec.layers;
  fields["linear"] = spec.linear;
  fields["kernel"] = spec.kernel;
  fields["method"] = std::string(spectral_method_name(spec.spectral.method));
  fields["degree"] = spec.spectral.degree;
  fields["damping"] = spec.pagerank_damping;
  fields["windows"] = spec.windows;
  fields["random_features"] = spec.random_features;
  fields["sharpness"] = spec.sharpness;
  fields["recipe"] = spec.recipe;
  fields["row_scale"] = spec.row_scale;
  fields["row_norm"] = std::string(name(spec.row_norm));
  fields["symmetrise"] = spec.symmetrise;
  return fields;
}

SessionOptions make_options(const NamedTransform& transform, const py::dict& given) {
  Words words(given);
  SessionOptions options;
  words.parse("protect", options.protection, parse_protection);
  set_usual_learning(transform.spec, options);
  const bool states_lambda = words.has("regularisation");
  words.set("regularisation", options.regularisation);
  words.parse("loss", options.loss, Loss::parse);
  words.parse("optimizer", options.optimizer, parse_optimizer);
  words.set("bias", options.bias);
  words.set("ridge", options.ridge);
  if (const auto guarantee = words.take<std::pair<double, double>>("guarantee")) {
    options.guarantee = {guarantee->first, guarantee->second};
  }
  set_mechanism(words, options);
  words.set("per_subject", options.per_subject);
  words.parse("bound", options.bound, parse_residual_bound);
  words.parse("removal", options.removal, parse_node_removal);
  words.parse("method", options.method, parse_method);
  words.parse("classes", options.classes, parse_constant_kind);
  if (const auto guarantee = words.take<std::pair<double, double>>("embedding_guarantee")) {
    options.embedding_guarantee = {guarantee->first, guarantee->second};
  }
  words.set("threads", options.threads);
  words.finish();
  options.constants.push_back({"transform", transform.built_in ? ConstantKind::kBuiltIn : ConstantKind::kStated});
  if (!options.ridge)
    options.constants.push_back({"lambda", states_lambda ? ConstantKind::kStated : ConstantKind::kBuiltIn});
  if (const Status checked = check_options(options); !checked.ok()) raise(checked.error());
  return options;
}

std::string features_or_usual(const py::object& features, const NamedTransform& transform, const Dataset& dataset) {
  if (!features.is_none()) return features.cast<std::string>();
  // The width belongs to the function that made the rows, and the user states it with them.
  if (transform.spec.family == "rows" && dataset.size() > 0) {
    return "attributes:" + std::to_string(dataset.graphs.front().attribute_count());
  }
  return usual_features(transform.spec);
}

FitSource fit_source(const py::object& fit) {
  if (fit.is_none()) return {};
  if (py::isinstance<Dataset>(fit)) {
    const auto& open = fit.cast<const Dataset&>();
    if (open.size() == 0) raise({ErrorCode::kInvalidArgument, "the public data set has no graph"});
    return FitSource::on_public(open);
  }
  const auto text = fit.cast<std::string>();
  if (text == "none") return FitSource::none();
  if (text == "private") return FitSource::private_refit();
  if (text == "once") return FitSource::once();
  raise(unknown("fit", text));
}

}  // namespace unscatter::python
