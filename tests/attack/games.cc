#include "attack/games.h"

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include "base/testing/seeded_random.h"

namespace unscatter::testing {

RandomData nameless_graphs(std::uint64_t seed, std::size_t graphs, std::size_t classes) {
  return nameless_data(seed, {.graphs = graphs, .classes = classes, .attributes = 1});
}

Dataset never_had(const Dataset& data, std::size_t graph) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (i != graph) kept.push_back(i);
  }
  Dataset without = subset(data, kept);
  without.numbers = kept;
  return without;
}

Session game_session(Dataset data, const std::shared_ptr<const Embedder>& embedder, const SessionOptions& options,
                     std::uint64_t seed) {
  return Session::create(std::move(data), embedder, options, std::make_unique<SeededRandom>(seed)).value();
}

Session replay_session(SessionSnapshot snapshot, const std::shared_ptr<const Embedder>& embedder,
                       const SessionOptions& options, std::uint64_t seed) {
  snapshot.releases = 0;
  return Session::restore(std::move(snapshot), embedder, options, std::make_unique<SeededRandom>(seed)).value();
}

SuccessRate success_rate(std::size_t successes, std::size_t games, double tail) {
  using Binomial = boost::math::binomial_distribution<>;
  const auto trials = static_cast<double>(games);
  const auto won = static_cast<double>(successes);
  return {Binomial::find_lower_bound_on_p(trials, won, tail), Binomial::find_upper_bound_on_p(trials, won, tail)};
}

double promised_guess(const RemovalGuarantee& guarantee) {
  // The best test has power at most e^epsilon times its false alarms plus delta, and the same with both worlds
  // exchanged.  The two lines meet where both errors are (1 - delta) / (1 + e^epsilon).
  return 1 - (1 - guarantee.delta) / (1 + std::exp(guarantee.epsilon));
}

}  // namespace unscatter::testing
