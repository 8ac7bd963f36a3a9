// The input of every transform: one real signal per channel on the nodes of one graph.  Channels that are zero
// everywhere are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace unscatter {

// values[i * width() + k] is the signal of channel channels[k] at node i.  Channels ascend.  The memory is reused from
// graph to graph.
struct NodeSignals {
  std::size_t nodes = 0;
  std::vector<std::uint32_t> channels;
  std::vector<double> values;

  [[nodiscard]] std::size_t width() const noexcept { return channels.size(); }
  [[nodiscard]] std::span<const double> node(std::size_t i) const { return {values.data() + i * width(), width()}; }
};

}  // namespace unscatter
