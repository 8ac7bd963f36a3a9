#include "unscatter/unlearn/words.h"

#include <fmt/format.h>

#include <string_view>

#include "base/counted.h"

namespace unscatter {

std::string counts_words(const RequestCounts& counts) {
  std::string text;
  const auto add = [&text](std::size_t count, std::string_view one, std::string_view many) {
    if (count > 0) text += (text.empty() ? "" : ", ") + counted(count, one, many);
  };
  add(counts.subjects, "subject", "subjects");
  add(counts.graphs, "graph", "graphs");
  add(counts.nodes, "node", "nodes");
  add(counts.edges, "edge", "edges");
  add(counts.features, "node's features", "nodes' features");
  return text.empty() ? "nothing" : text;
}

std::string exposure_words(const Exposure& exposure, const Promise& promise) {
  if (exposure.models == 0 && exposure.older == 0) return "nobody has seen a model that had learned from it";
  const std::size_t all = exposure.models + exposure.older;
  const std::string who = all == 1 ? std::string("the model published so far")
                                   : fmt::format("the {} models published so far", grouped(all));
  if (exposure.older > 0) {
    return fmt::format(
        "whoever kept {} may tell for certain: {} published before data was added or the model was "
        "trained again, and what such a model tells cannot be computed any more{}",
        who,
        all == 1 ? "it was"
                 : fmt::format("{} of them {}", grouped(exposure.older), exposure.older == 1 ? "was" : "were"),
        promise.protection == Protection::kEveryone ? "; the promise covers this" : "");
  }
  if (promise.mechanism == Mechanism::kObjective) {
    return fmt::format("whoever kept {} can tell: models before and after share their noise", who);
  }
  // Not 1.00: nobody is ever certain, and a rounded number should not say so.
  const double guess = best_guess(exposure);
  const std::string right = guess > 0.995 ? "more than 0.99" : fmt::format("{:.2f}", guess);
  return fmt::format("whoever kept {} can tell that it was in there, right with probability {} (blind guess: 0.5){}",
                     who, right, promise.protection == Protection::kEveryone ? "; the promise covers this" : "");
}

}  // namespace unscatter
