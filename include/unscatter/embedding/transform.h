// From the signals on one graph to its embedding.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "unscatter/base/result.h"
#include "unscatter/embedding/node_signals.h"
#include "unscatter/graph/graph.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

// A transform is a function of one graph, its signals and public constants.  This makes an embedding deletion-closed.
class Transform {
 public:
  // Memory that one thread reuses from graph to graph.
  class Scratch {
   public:
    Scratch() = default;
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    virtual ~Scratch() = default;
  };

  Transform() = default;
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;
  virtual ~Transform() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  // The number of coordinates of an embedding with `channels` channels, active or not.
  [[nodiscard]] virtual std::size_t width(std::size_t channels) const noexcept = 0;
  [[nodiscard]] virtual std::unique_ptr<Scratch> make_scratch() const = 0;
  // Replaces the content of `row`.  The header of the transform gives the order of the columns.  Inactive channels are
  // left out.  `channels` as in width().
  [[nodiscard]] virtual Status embed(const Graph& graph, const NodeSignals& signals, std::size_t channels,
                                     Scratch& scratch, BlockRow& row) const = 0;
  // The transform that goes with these features, as FeatureMap::describe() writes them.  Null: this one.  Only recipes
  // that choose by the form of the data have another one.
  [[nodiscard]] virtual Result<std::shared_ptr<const Transform>> bound_to(std::string_view features) const;
  // Are the numbers of the graph an embedding already, which a function outside of the program made?
  [[nodiscard]] virtual bool made_outside() const noexcept { return false; }
};

// The last step of an embedding.
enum class RowNorm {
  kNone,  // rows as the transforms give them
  kClip,  // z min(1, 1/|z|): every row has |z| <= 1, rounding included
};
// "none", "clip".  These names stand in files.
[[nodiscard]] std::string_view name(RowNorm norm);
// The inverse.  Errors: kInvalidArgument.
[[nodiscard]] Result<RowNorm> parse_row_norm(std::string_view text);

}  // namespace unscatter
