// Random sessions and requests for property tests, and what they are held against: everything recomputed from scratch.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "unscatter/base/random.h"
#include "unscatter/unlearn/session.h"

namespace unscatter::testing {

struct RandomData {
  Dataset dataset;  // every node has an external id, shared between graphs
  std::shared_ptr<const Embedder> embedder;
};

struct RandomDataOptions {
  std::size_t graphs = 20;
  std::size_t classes = 2;
  std::size_t attributes = 2;
  std::size_t scales = 2;  // width of the embedding: (1 + scales) * (attributes + 6) * moments
  std::size_t moments = 1;
  std::size_t smallest_graph = 3;
  std::size_t largest_graph = 9;
};

// Attributes and degrees as features, so that an edit changes the features of neighbours too.
[[nodiscard]] RandomData random_data(std::uint64_t seed, const RandomDataOptions& options = {});

// The same without external ids.  Nothing names a node, so every graph is a subject of its own.
[[nodiscard]] RandomData nameless_data(std::uint64_t seed, const RandomDataOptions& options = {});

// A request that the session's present state allows, of any kind; by number or by external id.  `original` is the data
// set the session was created with.
[[nodiscard]] RemovalRequest random_request(Sequence& random, const Session& session, const Dataset& original);
// Requests for one batch, no two of them about the same graph.
[[nodiscard]] std::vector<RemovalRequest> random_batch(Sequence& random, const Session& session,
                                                       const Dataset& original, std::size_t size);

// A correction that the session's present state allows, of any kind.  Needs classes, node ids and no tombstones.
[[nodiscard]] Correction random_correction(Sequence& random, const Session& session);

// The graphs first, first + 1, ... of a data set.
[[nodiscard]] Dataset part_of(const Dataset& all, std::size_t first, std::size_t count);

// |grad L_k| of every class at the session's weights, in extended precision, from embeddings computed anew.
[[nodiscard]] std::vector<double> true_residuals(const Session& session, const Embedder& embedder);
[[nodiscard]] double joint(const std::vector<double>& per_class);

// The optimum on what the session has left, from scratch, as a session of its own would find it; `distance` bounds how
// far from the true optimum it is.
struct Retrained {
  Matrix weights;
  double distance = 0;
};
[[nodiscard]] Retrained retrained(const Session& session, const Embedder& embedder);
// The same for graphs that no session holds.
[[nodiscard]] Retrained retrained(const Dataset& left, const Embedder& embedder, const SessionOptions& options,
                                  const Matrix* perturbation = nullptr);

// Options under which no limit is ever reached, so that residuals can be watched as they are.
[[nodiscard]] SessionOptions limitless_options();

}  // namespace unscatter::testing
