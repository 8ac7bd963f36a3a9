// Train a classifier of social groups, let a user leave all of them, and publish a model that no longer tells of them.
//
// Five steps, in memory: data, embedding, session, removal, release.  Build with `make build`, run
// build/release/examples/forget_a_user.
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "unscatter/unscatter.h"

namespace {

using namespace unscatter;  // NOLINT(google-build-using-namespace): a program to read, not a library

void print(const char* what, const Certificate& certificate) {
  std::printf("%-26s by %s; %zu groups left\n", what, std::string(name(certificate.rung)).c_str(), certificate.graphs);
  std::printf("%26s   within %.1e of the model trained from scratch on them; shift %.1e, at most %.1e allowed\n", "",
              certificate.distance_upper_bound, certificate.shift_upper_bound, certificate.promise.shift_limit);
}

Status run() {
  // 1. Data: groups of users, two kinds that differ in structure; half to train on, half to test.
  UNSCATTER_TRY(groups, generate_interest_groups({.groups = 600, .users = 2000}));
  UNSCATTER_TRY(split, random_split(groups.size(), {.train = 0.5, .validation = 0, .test = 0.5}, 1));
  Dataset train = subset(groups, split.train);
  const Dataset test = subset(groups, split.test);
  const std::string some_group = train.graph_ids.front();

  // 2. Embedding: a function of one graph and of built-in constants.  Nothing in it is learned.
  UNSCATTER_TRY(embedder, make_embedder("soft-degree", {.scales = 4, .moments = 3, .layers = 3}, groups));
  UNSCATTER_TRY(test_rows, embedder->embed(test));

  // 3. A session owns the training data, trains, and keeps the promise: whoever sees a published model can hardly tell
  // it from
  //    one that was trained without what has been removed ((epsilon, delta) = (1, 1e-4), docs/certificates.md).
  SessionOptions options;
  options.regularisation = 1e-4;
  options.guarantee = {1.0, 1e-4};
  UNSCATTER_TRY(session, Session::create(std::move(train), embedder, options));
  print("trained", session.certificate());
  std::printf("%26s   accuracy on groups it has not seen: %.1f %%\n", "",
              100 * accuracy(test_rows, test.labels, session.weights()));

  // 4. Removals.  Each is one update; the certificate says what it took and what holds now.
  const std::string user = session.graph(0)->node_id(0);
  UNSCATTER_TRY(user_left, session.forget(ForgetSubject{user}));
  print("a user left every group", user_left);

  const std::vector<RemovalRequest> batch = {ForgetNode{some_group, 3u}, ForgetFeatures{5u, 0u}, ForgetGraph{7u}};
  UNSCATTER_TRY(batch_done, session.forget(batch));
  print("a node, features, a group", batch_done);

  // What cannot be honoured is refused, with the reason, and nothing changes.
  if (const auto again = session.forget(ForgetSubject{user}); !again.ok()) {
    std::printf("asked again                refused: %s\n", again.error().message.c_str());
  }

  // 5. A model for the outside: the weights plus fresh noise, once per release.
  UNSCATTER_TRY(model, session.release());
  std::printf("published model %zu          accuracy %.1f %%; after %zu updates\n", model.release_number,
              100 * accuracy(test_rows, test.labels, model.weights), session.updates());
  return ok_status();
}

}  // namespace

int main() {
  const Status status = run();
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.error().message.c_str());
  return status.ok() ? 0 : 1;
}
