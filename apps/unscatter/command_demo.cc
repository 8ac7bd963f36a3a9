// A first look, without files or downloads: generate groups, train, forget, and check against training from scratch.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/graph/generate.h"
#include "unscatter/graph/split.h"
#include "unscatter/learn/predict.h"
#include "unscatter/unlearn/session.h"

namespace unscatter::cli {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::string milliseconds(double value) { return fmt::format("{:.1f} ms", value); }

// The user in most groups, and in how many.
std::pair<std::string, std::size_t> busiest_user(const Dataset& dataset) {
  std::map<std::string, std::size_t> groups;
  for (const Graph& graph : dataset.graphs) {
    for (std::size_t i = 0; i < graph.node_count(); ++i) ++groups[graph.node_id(i)];
  }
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  return *std::max_element(groups.begin(), groups.end(), fewer);
}

// A member, a tie and a member's features, from ten groups each.
std::vector<RemovalRequest> mixed_batch(const Session& session) {
  std::vector<RemovalRequest> batch;
  for (std::size_t g = 0; g < 30; ++g) {
    const Graph& graph = *session.graph(g);
    const std::string& member = graph.node_id(0);
    if (g % 3 == 0) batch.emplace_back(ForgetNode{g, member});
    if (g % 3 == 1) batch.emplace_back(ForgetFeatures{g, member});
    if (g % 3 == 2 && graph.degree(0) > 0) batch.emplace_back(ForgetEdge{g, member, graph.node_id(graph.neighbours(0)[0])});
  }
  return batch;
}

class Story {
 public:
  Story(Session session, std::shared_ptr<const Embedder> embedder)
      : session_(std::move(session)), embedder_(std::move(embedder)) {}

  // Honours the requests, then trains from scratch on what is left, to compare in time and in weights.
  Status forget(const std::string& step, const std::string& what, const std::vector<RemovalRequest>& requests) {
    auto start = Clock::now();
    UNSCATTER_TRY(certificate, session_.forget(requests));
    const double update_ms = milliseconds_since(start);
    Dataset left = session_.remaining();
    start = Clock::now();
    UNSCATTER_TRY(scratch, Session::create(std::move(left), embedder_, session_.options()));
    const double retrain_ms = milliseconds_since(start);
    const double distance = (session_.weights() - scratch.weights()).norm();
    const double allowed = certificate.distance_upper_bound + scratch.certificate().distance_upper_bound;
    if (distance > allowed) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("{}: the weights are {:.2g} from those of retraining, and the certificates "
                               "say at most {:.2g}",
                               step, distance, allowed)};
    }
    largest_distance_ = std::max(largest_distance_, distance / scratch.weights().norm());
    table_.add_row({step, what, milliseconds(update_ms), milliseconds(retrain_ms)});
    removals_.push_back({{"step", step},
                         {"requests", requests.size()},
                         {"rung", name(certificate.rung)},
                         {"milliseconds", update_ms},
                         {"retraining_milliseconds", retrain_ms},
                         {"distance", distance},
                         {"distance_upper_bound", certificate.distance_upper_bound},
                         {"shift_upper_bound", certificate.shift_upper_bound},
                         {"shift_limit", certificate.shift_limit},
                         {"satisfied", certificate.satisfied}});
    return ok_status();
  }

  [[nodiscard]] Session& session() { return session_; }
  [[nodiscard]] Table& table() { return table_; }
  [[nodiscard]] const Json& removals() const { return removals_; }
  [[nodiscard]] double largest_distance() const { return largest_distance_; }

 private:
  Session session_;
  std::shared_ptr<const Embedder> embedder_;
  Table table_{{{"step"}, {"what happened"}, {"time", Table::Align::kRight}, {"retraining", Table::Align::kRight}}};
  Json removals_ = Json::array();
  double largest_distance_ = 0;
};

Result<Report> demo(Context& context) {
  context.say("unscatter demo: train on social groups, forget, and compare with training from scratch\n\n");
  auto start = Clock::now();
  UNSCATTER_TRY(groups, generate_interest_groups({}));
  const double generate_ms = milliseconds_since(start);
  const DatasetSummary summary = summarise(groups);
  UNSCATTER_TRY(split, random_split(groups.size(), {.train = 0.5, .validation = 0, .test = 0.5}, 1));
  Dataset train = subset(groups, split.train);
  const Dataset test = subset(groups, split.test);
  const std::string group = train.graph_ids.back();

  UNSCATTER_TRY(embedder, make_embedder("auto", {}, groups));
  UNSCATTER_TRY(test_rows, embedder->embed(test));
  const auto [user, appearances] = busiest_user(train);

  SessionOptions options;
  options.regularisation = 1e-4;
  options.progress = &context.progress();
  start = Clock::now();
  UNSCATTER_TRY(session, Session::create(std::move(train), embedder, options));
  const double train_ms = milliseconds_since(start);
  const double accuracy_before = accuracy(test_rows, test.labels, session.weights());

  Story story(std::move(session), embedder);
  story.table().add_row({"generate",
                         fmt::format("{} groups of {} users, half to train on and half to test", grouped(summary.graphs),
                                     grouped(summary.distinct_node_ids)),
                         milliseconds(generate_ms), ""});
  story.table().add_row(
      {"train", fmt::format("embed and fit {} weights per class", grouped(embedder->width())), milliseconds(train_ms), ""});
  UNSCATTER_CHECK_OK(
      story.forget("forget a user", fmt::format("{}, a member of {} groups", user, appearances), {ForgetSubject{user}}));
  const std::vector<RemovalRequest> batch = mixed_batch(story.session());
  UNSCATTER_CHECK_OK(
      story.forget("forget a batch", fmt::format("{} members, features and ties in one update", batch.size()), batch));
  UNSCATTER_CHECK_OK(story.forget("forget a group", group + ", whole", {ForgetGraph{group}}));
  UNSCATTER_TRY(model, story.session().release());
  const double accuracy_published = accuracy(test_rows, test.labels, model.weights);

  const Certificate& certificate = story.session().certificate();
  Report report;
  report.json = {{"groups", summary.graphs},
                 {"users", summary.distinct_node_ids},
                 {"coordinates", embedder->width()},
                 {"train_milliseconds", train_ms},
                 {"forgotten_user", {{"id", user}, {"groups", appearances}}},
                 {"removals", story.removals()},
                 {"accuracy_before", accuracy_before},
                 {"accuracy_published", accuracy_published},
                 {"epsilon", certificate.guarantee.epsilon},
                 {"delta", certificate.guarantee.delta}};
  report.text =
      story.table().str() +
      fmt::format(
          "\nThe certificate: whoever sees the published models, {} of them at most, can hardly tell them from models that "
          "were\ntrained without what was forgotten: (epsilon, delta) = ({}, {}). The kept weights are within {:.0e} of the "
          "retrained\nones, and noise of {} hides even that.\n"
          "Checked: after each step, weights and training from scratch agree to {:.0e}, as certified.\n"
          "Accuracy on the other half: {:.1f} % before, {:.1f} % for the model published after.\n"
          "\nNext: examples/forget_a_user.cc shows how a program does this; docs/certificates.md what it means.\n",
          options.releases, certificate.guarantee.epsilon, certificate.guarantee.delta, certificate.distance_upper_bound,
          certificate.noise_stddev, story.largest_distance(), 100 * accuracy_before, 100 * accuracy_published);
  return report;
}

}  // namespace

void add_demo_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("demo", "Generate, train, forget, check: a first look in a few seconds");
  command.footer(R"(
Examples:
  unscatter demo
  unscatter demo --json)");
  context.add_action(command, [&context] { return demo(context); });
}

}  // namespace unscatter::cli
