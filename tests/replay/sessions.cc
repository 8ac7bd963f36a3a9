#include <utility>

#include "adapters.h"
#include "report.h"
#include "sequences.h"

namespace replay {
namespace {

using unscatter::Session;
using unscatter::SessionOptions;

struct SessionChoice {
  std::string name;
  SessionOptions options;
  bool preview = false;  // before every removal
};

// Updates that may be as far from the optimum as they like: their bounds are seen as they are.
SessionOptions limitless() {
  SessionOptions options = usual_options();
  options.noise_stddev = 1e3;
  options.releases = 3;
  set_distance_limit(options, 1.0);
  return options;
}

// The choices of the paper with another mechanism or bound in their place.
SessionOptions bounded(unscatter::Mechanism mechanism, unscatter::ResidualBound bound, bool all) {
  SessionOptions options = limitless();
  options.mechanism = mechanism;
  if (mechanism == unscatter::Mechanism::kObjective) options.noise_stddev = 0.1;
  options.bound = bound;
  options.report_all_bounds = all;
  return options;
}

std::vector<SessionChoice> by_loss() {
  std::vector<SessionChoice> choices;
  for (const char* loss : {"logistic", "squared", "huber-svm", "huber-svm:0.25"}) {
    SessionChoice choice{std::string("loss-") + loss, usual_options()};
    choice.options.loss = unscatter::Loss::parse(loss).value();
    choices.push_back(choice);
    choice.name += "-bias-tombstone";
    choice.options.bias = true;
    choice.options.removal = unscatter::NodeRemoval::kTombstone;
    choices.push_back(choice);
    // The drift bound then holds for long: the fast rung.
    choice.name += "-coarse";
    set_distance_limit(choice.options, 1e-3);
    choice.options.noise_stddev = 1.0;
    choices.push_back(choice);
  }
  return choices;
}

std::vector<SessionChoice> by_bound() {
  std::vector<SessionChoice> choices;
  for (const auto mechanism : {unscatter::Mechanism::kRelease, unscatter::Mechanism::kObjective}) {
    for (const auto bound : {unscatter::ResidualBound::kWorst, unscatter::ResidualBound::kData,
                             unscatter::ResidualBound::kTight, unscatter::ResidualBound::kExact}) {
      for (const bool all : {false, true}) {
        const std::string name =
            std::string(unscatter::name(mechanism)) + "-" + std::string(unscatter::name(bound)) + (all ? "-all" : "");
        choices.push_back({"bound-" + name, bounded(mechanism, bound, all)});
      }
    }
  }
  return choices;
}

std::vector<SessionChoice> by_method(std::size_t layers) {
  std::vector<SessionChoice> choices;
  const auto add = [&](std::string name, const SessionOptions& start = usual_options()) -> SessionOptions& {
    choices.push_back({std::move(name), start});
    return choices.back().options;
  };
  add("paper", unscatter::paper_options(1e-2, layers));
  add("paper-compact", unscatter::paper_options(1e-4, layers)).removal = unscatter::NodeRemoval::kCompact;
  add("objective").mechanism = unscatter::Mechanism::kObjective;
  choices.back().options.noise_stddev = 0.1;
  add("retrain").method = unscatter::Method::kRetrain;
  add("whole-graph").method = unscatter::Method::kWholeGraph;
  add("objective-retrain", choices[2].options).method = unscatter::Method::kRetrain;
  SessionOptions& strict =
      add("exceeded", bounded(unscatter::Mechanism::kRelease, unscatter::ResidualBound::kData, false));
  set_distance_limit(strict, 1e-7);
  strict.retrain_when_exceeded = true;
  add("exceeded-warm", strict).warm_retraining = true;
  SessionOptions& polished =
      add("polished", bounded(unscatter::Mechanism::kRelease, unscatter::ResidualBound::kTight, true));
  set_distance_limit(polished, 1e-7);
  add("lbfgs").optimizer = unscatter::Optimizer::kLbfgs;
  set_distance_limit(choices.back().options, 1e-6);
  add("no-fast-rung").fast_rung = false;
  add("given-row-norm", bounded(unscatter::Mechanism::kObjective, unscatter::ResidualBound::kData, true)).row_norm = 3;
  return choices;
}

std::vector<SessionChoice> with_previews() {
  std::vector<SessionChoice> choices;
  choices.push_back({"preview-release", usual_options(), true});
  choices.push_back({"preview-coarse", limitless(), true});
  choices.push_back({"preview-objective", usual_options(), true});
  choices.back().options.mechanism = unscatter::Mechanism::kObjective;
  choices.back().options.noise_stddev = 0.1;
  choices.push_back(
      {"preview-tight", bounded(unscatter::Mechanism::kRelease, unscatter::ResidualBound::kTight, false), true});
  choices.push_back({"preview-paper", unscatter::paper_options(1e-2, 2), true});
  return choices;
}

void report_state(const Report& report, const Session& session) {
  report.matrix("weights", session.weights());
  report.embeddings(session.embeddings());
  if (session.perturbation() != nullptr) report.matrix("perturbation", *session.perturbation());
}

// One removal, and everything that it left.
void remove(Report& report, Session& session, const std::vector<unscatter::RemovalRequest>& requests, bool preview) {
  report.next_step();
  for (const auto& request : requests) report.line("request", unscatter::request_text(request));
  if (preview) {
    const auto expected = session.preview(requests);
    report.line("preview", expected.ok());
    if (expected.ok()) report.certificate(*expected);
    if (!expected.ok()) report.error(expected.error());
  }
  const auto done = session.forget(requests);
  if (done.ok()) {
    report.certificate(*done);
  } else {
    report.error(done.error());
  }
  report_state(report, session);
}

void release(Report& report, Session& session) {
  report.next_step();
  const auto model = session.release();
  if (model.ok()) {
    report.published(*model);
  } else {
    report.error(model.error());
  }
}

void record_session(const Material& material, const SessionChoice& choice, std::size_t steps, std::size_t threads) {
  Report report("session/" + material.name + "-" + material.shape + "/" + choice.name);
  unscatter::WorkspaceSetup setup{material.dataset, material.features, material.transform, choice.options};
  as_version_0_1(setup);
  SessionOptions options = setup.options;
  options.threads = threads;
  const auto embedder = make_embedder(setup).value();
  auto created = create_session<Session>(material.dataset, embedder, options, std::make_unique<SeededSource>(5));
  if (!created.ok()) {
    report.error(created.error());
    return;
  }
  Session session = *std::move(created);
  report.line("slots", session.slots());
  report.line("width", session.embeddings().columns());
  report.certificate(session.certificate());
  report_state(report, session);

  Requests requests(material.dataset, 7);
  for (std::size_t step = 0; step < steps; ++step) {
    const std::size_t turn = step % (kRequestKinds + 1);
    if (turn == kRequestKinds) {
      remove(report, session, requests.batch(session, 4), choice.preview);
      release(report, session);
    } else {
      remove(report, session, {requests.next(session, static_cast<RequestKind>(turn))}, choice.preview);
    }
  }
  // Refused: the graph is not there.
  remove(report, session, {unscatter::ForgetGraph{std::size_t{1000000}}}, false);

  report.next_step();
  const auto evaluated = session.evaluate();
  report.line("evaluated.lower", evaluated.lower_bound);
  report.line("evaluated.upper", evaluated.upper_bound);
  report.line("evaluated.satisfied", evaluated.satisfied);
  report.line("remaining", unscatter::content_digest(session.remaining()));
  report.line("updates", session.updates());
  report.line("releases", session.releases());
  report.rungs(session.rungs());
  count_rungs(material.shape, session.rungs());
}

}  // namespace

void record_sessions(const std::vector<Material>& materials, std::size_t threads) {
  constexpr std::size_t kSteps = 12;  // every kind of request twice
  for (const Material& material : materials) {
    for (const auto& choices : {by_loss(), by_bound(), by_method(material.transform.layers), with_previews()}) {
      for (const SessionChoice& choice : choices) record_session(material, choice, kSteps, threads);
    }
  }
}

void record_long_sessions(const std::vector<Material>& materials, std::size_t threads) {
  constexpr std::size_t kSteps = 90;
  std::vector<SessionChoice> choices;
  choices.push_back({"long-default", usual_options()});
  choices.push_back({"long-coarse", limitless()});
  choices.push_back({"long-tight", bounded(unscatter::Mechanism::kRelease, unscatter::ResidualBound::kTight, true)});
  choices.push_back({"long-squared", usual_options()});
  choices.back().options.loss = unscatter::Loss::squared();
  choices.push_back({"long-paper", unscatter::paper_options(1e-2, 2)});
  choices.push_back(
      {"long-objective", bounded(unscatter::Mechanism::kObjective, unscatter::ResidualBound::kExact, false)});
  for (const Material& material : materials) {
    for (const SessionChoice& choice : choices) record_session(material, choice, kSteps, threads);
  }
}

void record_real_sessions(const std::vector<Material>& materials, std::size_t threads) {
  constexpr std::size_t kSteps = 12;
  for (const Material& material : materials) {
    std::vector<SessionChoice> choices = by_method(material.transform.layers);
    std::erase_if(choices, [](const SessionChoice& choice) { return choice.name == "lbfgs"; });
    choices.push_back({"default", usual_options()});
    choices.push_back({"coarse", limitless()});
    for (const SessionChoice& choice : choices) record_session(material, choice, kSteps, threads);
  }
}

}  // namespace replay
