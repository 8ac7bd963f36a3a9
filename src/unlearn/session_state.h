// The inside of a Session.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "unlearn/graph_collection.h"
#include "unlearn/learner.h"
#include "unscatter/base/random.h"
#include "unscatter/base/result.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/unlearn/certificate.h"
#include "unscatter/unlearn/session.h"
#include "unscatter/unlearn/session_options.h"

namespace unscatter {

// The certificate of a fit that leaves so many graphs.
[[nodiscard]] Certificate certify(const Fit& fit, const Limit& limit, std::size_t graphs);

struct Session::State {
  State(GraphCollection all_graphs, std::shared_ptr<const Embedder> graph_embedder,
        const SessionOptions& session_options, Learner trained, std::unique_ptr<RandomSource> source);

  // New rows for what the plan leaves.
  [[nodiscard]] Result<std::vector<RowChange>> embed(const RemovalPlan& plan);
  // While an update is prepared, the learner holds its rows beside the old weights.  Nothing may look at both.
  void require_settled() const;
  // The learner's row of a slot.
  [[nodiscard]] std::size_t row_of(std::size_t slot) const { return all_rows_by_place ? graphs.place(slot) : slot; }

  GraphCollection graphs;
  std::shared_ptr<const Embedder> embedder;
  SessionOptions options;
  Learner learner;
  std::unique_ptr<RandomSource> noise;
  Embedder::Scratch scratch;

  Certificate certificate;
  RungCounts rungs;
  std::size_t releases = 0;
  std::vector<ModelsBefore> models_before;
  BoundedContributions bounded;
  bool update_is_prepared = false;
  bool all_rows_by_place = false;  // a part of a session with the rows of all
};

}  // namespace unscatter
