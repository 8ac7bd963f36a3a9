// Names that differ between versions of the library.  One source of the recorder compiles against all of them.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "unscatter/unscatter.h"

namespace replay {

// The fields of a promise: a part of its own, or fields of the record itself.
template <typename Record>
[[nodiscard]] const auto& promise_of(const Record& record) {
  if constexpr (requires { record.promise; }) {
    return record.promise;
  } else {
    return record;
  }
}

// How close the kept weights stay to the retrained ones, relative to their norm.
template <typename Options>
void set_distance_limit(Options& options, double limit) {
  if constexpr (requires { options.distance_limit; }) {
    options.distance_limit = limit;
  } else {
    options.precision = limit;
  }
}

// The options of a session as they were by default in version 0.1.
[[nodiscard]] inline unscatter::SessionOptions usual_options() {
  unscatter::SessionOptions options;
  options.guarantee = {1.0, 1e-4};
  options.noise_stddev = 1e-4;
  set_distance_limit(options, 1e-8);
  return options;
}

// What a workspace is made of, as version 0.1 would have understood it: constants that the text leaves out are fitted
// once on the data, rows are not clipped, classes stay.
template <typename Setup>
void as_version_0_1(Setup& setup) {
  if constexpr (requires { setup.fit; }) {
    setup.fit.kind = decltype(setup.fit.kind)::kFittedOnce;
    setup.transform.row_norm = decltype(setup.transform.row_norm)::kNone;
    setup.options.classes = decltype(setup.options.classes)::kFittedOnce;
    if (setup.features == "auto") setup.features = "paper";
  }
}

// An embedder of the same kind.
template <typename Setup>
[[nodiscard]] auto make_embedder(Setup setup) {
  as_version_0_1(setup);
  if constexpr (requires { setup.fit; }) {
    return unscatter::make_embedder(setup.features, setup.transform, setup.dataset, setup.fit);
  } else {
    return unscatter::make_embedder(setup.features, setup.transform, setup.dataset);
  }
}

// Which request of a list was refused.
template <typename Refusal>
[[nodiscard]] std::size_t refused_request(const Refusal& refusal) {
  if constexpr (requires { refusal.index; }) {
    return refusal.index;
  } else {
    return refusal.request.value();
  }
}

// How many updates ended on a rung: by an index, or by the name of a field.
template <typename Counts>
[[nodiscard]] auto& count_of(Counts& counts, unscatter::Rung rung) {
  if constexpr (requires { counts.fast; }) {
    switch (rung) {
      case unscatter::Rung::kFast: return counts.fast;
      case unscatter::Rung::kExact: return counts.exact;
      case unscatter::Rung::kNewton: return counts.newton;
      default: return counts.retrain;
    }
  } else {
    return counts[rung];
  }
}

// The digest of data, kept weights and ledger, bit for bit.
template <typename Workspace>
[[nodiscard]] auto state_digest(Workspace& workspace) {
  if constexpr (requires { workspace.state_digest(); }) {
    return workspace.state_digest();
  } else {
    return workspace.replay_digest();
  }
}

// A session that draws its noise from `noise`, with or without a ledger among the arguments.
template <typename Session>
[[nodiscard]] auto create_session(unscatter::Dataset dataset, std::shared_ptr<const unscatter::Embedder> embedder,
                                  const unscatter::SessionOptions& options,
                                  std::unique_ptr<unscatter::RandomSource> noise) {
  if constexpr (requires { Session::create(dataset, embedder, options, nullptr, std::move(noise)); }) {
    return Session::create(std::move(dataset), std::move(embedder), options, nullptr, std::move(noise));
  } else {
    return Session::create(std::move(dataset), std::move(embedder), options, std::move(noise));
  }
}

}  // namespace replay
