// The input of every transform: one real signal per channel on the nodes of one graph, channels that are zero
// everywhere left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace unscatter {

// values[i * width() + k] is the signal of channel channels[k] at node i; channels ascend.  Reused from graph to graph,
// so that a steady state allocates nothing.
struct NodeSignals {
  std::size_t nodes = 0;
  std::vector<std::uint32_t> channels;
  std::vector<double> values;

  [[nodiscard]] std::size_t width() const noexcept { return channels.size(); }
  [[nodiscard]] std::span<const double> node(std::size_t i) const { return {values.data() + i * width(), width()}; }
};

}  // namespace unscatter
