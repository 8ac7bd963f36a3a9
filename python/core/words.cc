#include "words.h"

#include <array>
#include <functional>
#include <map>
#include <set>
#include <string_view>

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

// Mechanism, level, and what goes with them.
void set_promise(Words& words, Protection level_before, SessionOptions& options) {
  const Mechanism mechanism_before = options.mechanism;
  words.parse("mechanism", options.mechanism, parse_mechanism);
  if (options.mechanism != mechanism_before) {
    // Noise of another mechanism would mean something else.
    const SessionOptions usual;
    options.noise_stddev = usual_noise(options.mechanism);
    options.releases = usual.releases;
    options.distance_limit = usual.distance_limit;
  }
  const bool everyone = options.protection == Protection::kEveryone;
  if (options.protection != level_before) {
    // The noise of level everyone was derived.
    if (everyone) {
      options.releases = usual_releases(options.protection);
    } else {
      options.noise_stddev = usual_noise(options.mechanism);
      options.per_subject = 0;
    }
  }
  if (options.mechanism == Mechanism::kObjective) {
    set_objective_noise(words, options);
  } else {
    set_release_noise(words, options);
  }
  words.set("per_subject", options.per_subject);
}

// Everything but what depends on whether this is the first training.
void set_choices(Words& words, Protection level_before, SessionOptions& options) {
  words.set("regularisation", options.regularisation);
  words.parse("loss", options.loss, Loss::parse);
  words.parse("optimizer", options.optimizer, parse_optimizer);
  words.set("bias", options.bias);
  words.set("ridge", options.ridge);
  if (const auto guarantee = words.take<std::pair<double, double>>("guarantee")) {
    options.guarantee = {guarantee->first, guarantee->second};
  }
  set_promise(words, level_before, options);
  words.parse("bound", options.bound, parse_residual_bound);
  words.parse("removal", options.removal, parse_node_removal);
  words.parse("method", options.method, parse_method);
  words.parse("classes", options.classes, parse_constant_kind);
  if (const auto guarantee = words.take<std::pair<double, double>>("embedding_guarantee")) {
    options.embedding_guarantee = {guarantee->first, guarantee->second};
  }
  words.set("threads", options.threads);
  words.finish();
}

void set_origin(SessionOptions& options, std::string_view constant, bool stated) {
  std::erase_if(options.constants, [&](const ConstantOrigin& origin) { return origin.name == constant; });
  options.constants.push_back({std::string(constant), stated ? ConstantKind::kStated : ConstantKind::kBuiltIn});
}

}  // namespace

std::map<std::string, py::object> given_words(const py::dict& words) {
  std::map<std::string, py::object> given;
  for (const auto& [name, value] : words) {
    if (!value.is_none()) given[name.cast<std::string>()] = py::reinterpret_borrow<py::object>(value);
  }
  return given;
}

void refuse_value(const std::string& name, const py::handle& value) {
  raise({ErrorCode::kInvalidArgument, name + " does not take " + py::repr(value).cast<std::string>()});
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
    try {
      found->second(named.spec, value);
    } catch (const py::cast_error&) {
      refuse_value(name, value);
    }
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
  const Protection usual_level = options.protection;
  words.parse("protect", options.protection, parse_protection);
  set_usual_learning(transform.spec, options);
  const bool states_lambda = words.has("regularisation");
  set_choices(words, usual_level, options);
  set_origin(options, "transform", !transform.built_in);
  if (!options.ridge) set_origin(options, "lambda", states_lambda);
  if (const Status checked = check_options(options); !checked.ok()) raise(checked.error());
  return options;
}

SessionOptions make_options_again(const SessionOptions& before, const std::optional<NamedTransform>& transform,
                                  const py::dict& given) {
  Words words(given);
  SessionOptions options = before;
  words.parse("protect", options.protection, parse_protection);
  const bool states_lambda = words.has("regularisation");
  set_choices(words, before.protection, options);
  if (transform) set_origin(options, "transform", !transform->built_in);
  if (!options.ridge && states_lambda) set_origin(options, "lambda", true);
  if (const Status checked = check_options(options); !checked.ok()) raise(checked.error());
  return options;
}

py::dict option_words(const SessionOptions& options) {
  const bool released = options.mechanism == Mechanism::kRelease;
  py::dict words;
  words["regularisation"] = options.regularisation;
  words["loss"] = options.loss.describe();
  words["optimizer"] = std::string(name(options.optimizer));
  words["bias"] = options.bias;
  words["mechanism"] = std::string(name(options.mechanism));
  words["guarantee"] = py::make_tuple(options.guarantee.epsilon, options.guarantee.delta);
  words["protect"] = std::string(name(options.protection));
  words["ridge"] = options.ridge;
  if (options.protection == Protection::kEveryone) {
    words["per_subject"] = options.per_subject;
  } else {
    words[released ? "noise" : "alpha"] = options.noise_stddev;
  }
  if (released) {
    words["releases"] = options.releases;
    words["distance_limit"] = options.distance_limit;
  }
  words["bound"] = std::string(name(options.bound));
  words["removal"] = std::string(name(options.removal));
  return words;
}

std::string stated_features(std::string features, const TransformSpec& spec) {
  if (spec.family == "blocks" && !features.starts_with("form")) {
    raise({ErrorCode::kInvalidArgument,
           "a recipe names its own features: features='" + features + "' does not go with '" + spec.recipe + "'"});
  }
  return features;
}

std::string features_or_usual(const py::object& features, const NamedTransform& transform, const Dataset& dataset) {
  if (!features.is_none()) return stated_features(features.cast<std::string>(), transform.spec);
  // The width belongs to the function that made the rows, and the user states it with them.
  if (transform.spec.family == "rows" && dataset.size() > 0) {
    return "attributes:" + std::to_string(dataset.graphs.front().attribute_count());
  }
  return usual_features(transform.spec);
}

void refuse_ids_that_occur_twice(const Dataset& dataset) {
  std::set<std::string_view> seen;
  for (const std::string& id : dataset.graph_ids) {
    if (id.empty() || seen.insert(id).second) continue;
    raise({ErrorCode::kInvalidArgument, "the graph id '" + id + "' occurs twice: a request names one graph by it"});
  }
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
