// Feature maps: the signals that a transform sees.  They are functions of one graph and of public constants.
//
// A map is written as text, with blocks joined by '+':
//
//   degree-onehot:136              1 at the node's degree; degrees beyond the width count as width - 1
//   labels:0,1,2                   1 at the node's label; a label that is not listed gives no signal
//   attributes:18                  the node's real attributes as they are
//   standard-attributes:M/S,M/S    (attribute - M) / S, one pair per attribute
//   intensity:1                    another name for attributes, for superpixels
//   position                       the node's two coordinates
//   constant                       1
//   log-degree                     log(1 + degree)
//   product(intensity:1,position)  every channel of the first times every channel of the second
//
// The text behind a ':' is a PUBLIC constant.  It is fixed once, stored with the model and never fitted again.
// resolve() takes missing constants from a data set, describe() writes all of them out, and parse() accepts complete
// descriptions only.  A node whose features were removed has no signal in any channel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "unscatter/base/result.h"
#include "unscatter/embedding/node_signals.h"
#include "unscatter/graph/dataset.h"

namespace unscatter {

// One channel's value at one node.
struct FeatureEntry {
  NodeIndex node;
  std::uint32_t channel;
  double value;
};

// A group of channels.  It does not change after construction.  Any number of threads may use it at the same time.
class FeatureBlock {
 public:
  FeatureBlock() = default;
  FeatureBlock(const FeatureBlock&) = delete;
  FeatureBlock& operator=(const FeatureBlock&) = delete;
  virtual ~FeatureBlock() = default;

  // Name and constants, in the form that parse() reads.
  [[nodiscard]] virtual std::string describe() const = 0;
  [[nodiscard]] virtual std::size_t width() const noexcept = 0;
  // Ok if the block can be computed on this graph.  The error gives the reason if not.
  [[nodiscard]] virtual Status check(const Graph& graph) const;
  // Appends those channels of `node` that are not zero, numbered from `first_channel` on.
  virtual void emit(const Graph& graph, NodeIndex node, std::uint32_t first_channel,
                    std::vector<FeatureEntry>& entries) const = 0;
};

class FeatureMap {
 public:
  // Memory that one thread reuses from graph to graph.
  struct Scratch {
    std::vector<FeatureEntry> entries;
    std::vector<std::uint32_t> slot_of_channel;
  };

  // "auto" chooses labels if every graph has them, else attributes if every graph has some, else degree-onehot.
  // Constants that `text` leaves out are taken from `dataset`.  Errors: kInvalidArgument (unknown block, bad constant),
  // kUnsupported (the data lack what a block needs).
  [[nodiscard]] static Result<FeatureMap> resolve(std::string_view text, const Dataset& dataset);
  // A complete description, as describe() gives it.
  [[nodiscard]] static Result<FeatureMap> parse(std::string_view text);

  [[nodiscard]] std::string describe() const;
  // The number of all channels, active or not.
  [[nodiscard]] std::size_t width() const noexcept { return width_; }
  // Replaces `signals`.  Errors: kUnsupported where a block cannot be computed on this graph.
  [[nodiscard]] Status signals(const Graph& graph, Scratch& scratch, NodeSignals& signals) const;

 private:
  std::vector<std::unique_ptr<const FeatureBlock>> blocks_;
  std::size_t width_ = 0;

  [[nodiscard]] static Result<FeatureMap> build(std::string_view text, const Dataset* dataset);
};

}  // namespace unscatter
