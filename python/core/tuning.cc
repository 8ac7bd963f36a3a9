// Choices on public data.
#include "unscatter/unlearn/tune.h"
#include "words.h"

namespace unscatter::python {
namespace {

// An option that the level does not use is refused, as on the command line.
void refuse_others(const Words& words, Protection level) {
  const bool everyone = level == Protection::kEveryone;
  if (everyone && words.has("noises")) {
    raise({ErrorCode::kInvalidArgument,
           "noises does not go with protect='everyone': there the noise follows from guarantee, releases and ridge"});
  }
  for (const char* option : {"guarantee", "per_subject", "releases", "graphs"}) {
    if (everyone || !words.has(option)) continue;
    raise({ErrorCode::kInvalidArgument,
           std::string(option) + " belongs to protect='everyone': at level removed it changes no accuracy"});
  }
}

TuneOptions tune_options(const py::dict& given) {
  Words words(given);
  TuneOptions options;
  words.parse("protect", options.session.protection, parse_protection);
  refuse_others(words, options.session.protection);
  options.session.releases = usual_releases(options.session.protection);
  if (const auto guarantee = words.take<std::pair<double, double>>("guarantee")) {
    options.session.guarantee = {guarantee->first, guarantee->second};
  }
  words.set("per_subject", options.session.per_subject);
  words.set("releases", options.session.releases);
  words.set("recipes", options.recipes);
  if (const auto losses = words.take<std::vector<std::string>>("losses")) {
    for (const std::string& text : *losses) options.losses.push_back(value_or_raise(Loss::parse(text)));
  }
  words.set("lambdas", options.lambdas);
  words.set("noises", options.noises);
  words.set("folds", options.folds);
  words.set("hold_out", options.hold_out);
  if (options.folds > 0 && options.hold_out > 0) {
    raise({ErrorCode::kInvalidArgument, "folds and hold_out are two ways to say one thing"});
  }
  words.set("graphs", options.graphs);
  words.set("seed", options.seed);
  words.set("threads", options.threads);
  words.finish();
  return options;
}

py::dict tune(const Dataset& open, const py::dict& words, const py::object& report) {
  TuneOptions options = tune_options(words);
  PythonProgress progress(report);
  options.progress = &progress;
  const TuneReport tuned = without_lock(progress, [&] { return tune_on_public(open, options); });
  py::list lines;
  for (const TuneLine& line : tuned.lines) {
    lines.append(py::make_tuple(line.recipe, line.loss.describe(), line.lambda, line.noise_stddev, line.accuracy / 100,
                                line.coordinates));
  }
  py::dict found;
  found["lines"] = lines;
  found["chosen"] = tuned.chosen;
  found["folds"] = tuned.folds;
  found["held_out"] = tuned.held_out;
  found["graphs"] = tuned.graphs;
  found["uncertainty"] = tuned.uncertainty / 100;
  return found;
}

}  // namespace

void bind_tuning(py::module_& module) { module.def("tune", &tune); }

}  // namespace unscatter::python
