// What games between two worlds share: data in which graphs are subjects, and bounds on success rates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "unlearn/random_session.h"
#include "unscatter/unlearn/session.h"

namespace unscatter::testing {

// Graphs whose nodes have no names, so that every graph is a subject of its own.
[[nodiscard]] RandomData nameless_graphs(std::uint64_t seed, std::size_t graphs, std::size_t classes);
// The same data without one graph, whose number stays free: the world in which it never was.
[[nodiscard]] Dataset never_had(const Dataset& data, std::size_t graph);

// A session whose noise comes from a seeded source, so that a game is the same in every run.
[[nodiscard]] Session game_session(Dataset data, const std::shared_ptr<const Embedder>& embedder,
                                   const SessionOptions& options, std::uint64_t seed);

// A session in the same state that has published nothing: another run of the same workspace, with other noise.
[[nodiscard]] Session replay_session(SessionSnapshot snapshot, const std::shared_ptr<const Embedder>& embedder,
                                     const SessionOptions& options, std::uint64_t seed);

// Clopper-Pearson: the probability of success lies between both with confidence 1 - 2 `tail`, whatever it is.
struct SuccessRate {
  double lower_bound = 0;
  double upper_bound = 1;
};
[[nodiscard]] SuccessRate success_rate(std::size_t successes, std::size_t games, double tail = 5e-4);

// How often the best guess between two equally likely worlds is right, if they are (epsilon, delta)-close in both
// directions: (e^epsilon + delta) / (1 + e^epsilon).
[[nodiscard]] double promised_guess(const RemovalGuarantee& guarantee);

}  // namespace unscatter::testing
