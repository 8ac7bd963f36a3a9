#include "audits.h"

#include "words.h"

namespace unscatter::python {
namespace {

template <typename Part>
std::string game_name(const Part& part) {
  return std::string(name(part.game));
}

void bind_game(py::module_& module) {
  py::class_<AuditLook>(module, "AuditLook", "One way to look at two worlds, and what the counts say about it.")
      .def_readonly("name", &AuditLook::name, "The part of the weights that is looked at.")
      .def_readonly("known_shift", &AuditLook::known_shift, "The shift of the kept weights, which no observer has.")
      .def_readonly("threshold", &AuditLook::threshold, "Fixed before the counted observations.")
      .def_readonly("draws", &AuditLook::draws, "Counted observations per world.")
      .def_readonly("above", &AuditLook::above, "How many of the world that forgot were above the threshold.")
      .def_readonly("above_reference", &AuditLook::reference, "How many of the other world were.")
      .def_readonly("shift_lower_bound", &AuditLook::shift_lower_bound, "On the shift between the worlds.")
      .def_readonly("epsilon_lower_bound", &AuditLook::epsilon_lower_bound, "At the promised delta, from counts.");
  py::class_<NoiseCheck>(module, "NoiseCheck", "A check of the noise itself.")
      .def_readonly("name", &NoiseCheck::name, "What is checked.")
      .def_readonly("passed", &NoiseCheck::passed, "Whether it is as it has to be.")
      .def_readonly("detail", &NoiseCheck::detail, "What was seen, in words.");
  py::class_<AuditHistogram>(module, "AuditHistogram",
                             "How often the statistic of the first look fell where; the outer bins take what lies "
                             "beyond.")
      .def_readonly("low", &AuditHistogram::low, "Where the first bin begins.")
      .def_readonly("high", &AuditHistogram::high, "Where the last bin ends.")
      .def_readonly("reference", &AuditHistogram::reference, "Counts of the world that never knew.")
      .def_readonly("test", &AuditHistogram::test, "Counts of the world that forgot.");
  py::class_<GameReport>(module, "AuditGame", "Two worlds that were compared.")
      .def_property_readonly("game", &game_name<GameReport>, "\"removed\" or \"everyone\".")
      .def_readonly("about", &GameReport::about, "The two worlds, in a sentence.")
      .def_property_readonly(
          "removals", [](const GameReport& game) { return game.requests.total(); }, "How many requests were honoured.")
      .def_readonly("draws", &GameReport::draws, "Observations per world.")
      .def_readonly("noise", &GameReport::noise_stddev, "Standard deviation of the noise of an observation.")
      .def_property_readonly(
          "epsilon", [](const GameReport& game) { return game.guarantee.epsilon; }, "What was promised.")
      .def_property_readonly(
          "delta", [](const GameReport& game) { return game.guarantee.delta; }, "What was promised.")
      .def_readonly("promised_shift", &GameReport::promised_shift,
                    "Of one observation; None if the session does not promise this game.")
      .def_readonly("visible_shift", &GameReport::visible_shift,
                    "A shift from here on would probably have been shown to break the promise.")
      .def_readonly("shift_lower_bound", &GameReport::shift_lower_bound, "Of all looks.")
      .def_readonly("epsilon_lower_bound", &GameReport::epsilon_lower_bound, "Of all looks.")
      .def_readonly("exceeded", &GameReport::exceeded, "Whether a bound is above the promise.")
      .def_property_readonly("passed", &GameReport::passed, "No bound is above the promise, and the noise is right.")
      .def_readonly("looks", &GameReport::looks, "The first one is at all weights.")
      .def_readonly("noise_checks", &GameReport::noise, "Checks of the noise itself.")
      .def_readonly("histogram", &GameReport::histogram, "Of the first look.");
}

void bind_controls(py::module_& module) {
  py::class_<AuditControl>(module, "AuditControl", "A comparison whose answer is known.")
      .def_property_readonly("game", &game_name<AuditControl>, "\"removed\" or \"everyone\".")
      .def_readonly("name", &AuditControl::name, "\"null\" or \"planted shift\".")
      .def_readonly("truth", &AuditControl::truth, "The shift that is there.")
      .def_readonly("shift_lower_bound", &AuditControl::shift_lower_bound, "The shift that was measured, at least.")
      .def_readonly("epsilon_lower_bound", &AuditControl::epsilon_lower_bound, "The same as epsilon.")
      .def_readonly("passed", &AuditControl::passed, "Whether the measurement fits the truth.");
  py::class_<AuditFault>(module, "AuditFault", "A fault that was planted into what observers see.")
      .def_property_readonly("game", &game_name<AuditFault>, "\"removed\" or \"everyone\".")
      .def_readonly("name", &AuditFault::name, "Its name in docs/audit.md.")
      .def_readonly("what", &AuditFault::what, "What it is, in words.")
      .def_readonly("shift", &AuditFault::shift, "The shift that it causes, or None.")
      .def_readonly("visible", &AuditFault::visible, "False: a smaller shift than so many draws can show.")
      .def_readonly("flagged", &AuditFault::flagged, "Whether it was noticed.")
      .def_readonly("flagged_by", &AuditFault::flagged_by, "The look or check that noticed it, or an empty text.");
}

}  // namespace

AuditOptions audit_options(const py::dict& given) {
  AuditOptions options;
  Words words(given);
  if (const auto games = words.take<std::vector<std::string>>("games")) {
    options.games.clear();
    for (const std::string& game : *games) options.games.push_back(value_or_raise(parse_audit_game(game)));
  }
  words.set("draws", options.draws);
  words.set("removals", options.removals);
  words.set("confidence", options.confidence);
  words.set("seed", options.seed);
  words.set("faults", options.faults);
  words.set("threads", options.threads);
  words.finish();
  return options;
}

void bind_audits(py::module_& module) {
  bind_game(module);
  bind_controls(module);
  py::class_<Audit>(module, "Audit", R"(What an observer could measure, beside what was promised.

Bounds are lower bounds: they can show that a promise is broken, and never that it is kept.  They were computed from
private data: an audit is for the owner.  docs/audit.md explains every number.)")
      .def_property_readonly(
          "passed", [](const Audit& audit) { return audit.report.passed(); },
          "No bound is above a promise, noise and controls are right, and every visible fault was noticed.")
      .def_readonly("confidence", &Audit::confidence, "With this probability all bounds hold together.")
      .def_property_readonly(
          "games", [](const Audit& audit) { return audit.report.games; }, "The comparisons.")
      .def_property_readonly(
          "controls", [](const Audit& audit) { return audit.report.controls; }, "Comparisons whose answer is known.")
      .def_property_readonly(
          "faults", [](const Audit& audit) { return audit.report.faults; }, "Faults that were planted.")
      .def_property_readonly(
          "failure",
          [](const Audit& audit) -> std::optional<std::string> {
            if (audit.report.passed()) return std::nullopt;
            return first_failure(audit.report);
          },
          "The first thing that is wrong, in a sentence, or None.")
      .def(
          "svg",
          [](const Audit& audit, std::size_t game) {
            if (game >= audit.report.games.size()) throw py::index_error("there is no such game");
            return draw_game(audit.report.games[game], audit.confidence);
          },
          py::arg("game") = 0, "A picture of a game, as an SVG document, the same as that of the command line.");
}

}  // namespace unscatter::python
