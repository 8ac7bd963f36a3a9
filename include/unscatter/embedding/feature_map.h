// Feature maps: the signals that a transform sees.  They are functions of one graph and of public constants.
//
// A map is written as text, with blocks joined by '+':
//
//   soft-degree:16                 log(1 + degree) on equally spaced centres: channels >= 0 that sum to 1
//   label-buckets:64               1 at the node's label modulo 64; no signal where a graph has no labels
//   soft-attributes:18             asinh of each attribute on equally spaced centres: 13 channels >= 0 that sum to 1
//   wide-attributes:18             the signed logarithm of each attribute on centres from 10^-6 to 10^12, and its
//                                  digits between two centres: 101 channels >= 0 that sum to 1
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
// The text behind a ':' is a constant.  docs/constants.md says where a constant may come from and why that matters: a
// constant that was fitted on somebody's data carries this data into every later model.  So resolve() fits nothing
// unless it is told what to fit on.  describe() writes all constants out, and parse() accepts complete descriptions
// only.  A node whose features were removed has no signal in any channel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "unscatter/base/result.h"
#include "unscatter/embedding/node_signals.h"
#include "unscatter/graph/dataset.h"

namespace unscatter {

// Where a constant comes from (docs/constants.md).
enum class ConstantKind {
  kStated,      // the user wrote it down
  kBuiltIn,     // it stands in the program and looks at no data
  kPublicData,  // computed from data that the user declared public
  kPrivateFit,  // computed from the data, and again after every removal
  kFittedOnce,  // computed from the data and never again: it may carry removed data.  The paper's way.
  kOutside,     // a function outside of the program, which made the rows; what it learned from is not known here
};
// "stated", "built-in", "public-data", "private-fit", "fitted-once", "outside".  These names stand in files.
[[nodiscard]] std::string_view name(ConstantKind kind);
// The inverse.  Errors: kInvalidArgument.
[[nodiscard]] Result<ConstantKind> parse_constant_kind(std::string_view text);

// One constant, or a group of constants with one origin.
struct ConstantOrigin {
  std::string name;  // "soft-degree", "classes", "lambda", ...
  ConstantKind kind = ConstantKind::kStated;
  friend bool operator==(const ConstantOrigin&, const ConstantOrigin&) = default;
};

// What missing constants of features are computed from.
struct FitSource {
  // kStated: from nothing, so a missing constant is an error.  kPublicData: from `public_data`.  kPrivateFit and
  // kFittedOnce: from the data set itself.  kBuiltIn is no source.
  ConstantKind kind = ConstantKind::kStated;
  const Dataset* public_data = nullptr;

  [[nodiscard]] static FitSource none() { return {}; }
  // `data` must live as long as the source.
  [[nodiscard]] static FitSource on_public(const Dataset& data) { return {ConstantKind::kPublicData, &data}; }
  [[nodiscard]] static FitSource private_refit() { return {ConstantKind::kPrivateFit, nullptr}; }
  [[nodiscard]] static FitSource once() { return {ConstantKind::kFittedOnce, nullptr}; }
};

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

  // Two questions about constants that were fitted on data.  They spare most updates a fit on all graphs.
  // False: nothing that the fit may rest on is lost when the graph `before` becomes `after` (null: when it goes).
  // Asked the other way round, it tells whether something comes.
  [[nodiscard]] virtual bool fit_may_change(const Graph& before, const Graph* after) const;
  // True: the fit stays as it is as long as `graph` is in the data.  Removals never make a fit larger.
  [[nodiscard]] virtual bool fit_shown_by(const Graph& graph) const;
};

class FeatureMap {
 public:
  // Memory that one thread reuses from graph to graph.
  struct Scratch {
    std::vector<FeatureEntry> entries;
    std::vector<std::uint32_t> slot_of_channel;
  };

  // "all" is soft-degree, label-buckets if some graph has labels, and wide-attributes:N if N is the largest number of
  // attributes of a graph and not 0.  It looks at nothing else.  "auto" is the same with soft-attributes, as earlier
  // versions chose.  "paper" is the paper's choice: labels if every graph has them, else attributes if every graph has
  // some, else degree-onehot; it needs a source.
  //
  // Widths that follow from the form of the data alone (all, auto, attributes, soft-attributes, ...) are taken from
  // `dataset` without being asked, as kPrivateFit, unless `source` says otherwise.  All other constants that `text`
  // leaves out need a source.  Errors: kInvalidArgument (unknown block, bad constant, no source), kUnsupported (the
  // data lack what a block needs).
  [[nodiscard]] static Result<FeatureMap> resolve(std::string_view text, const Dataset& dataset,
                                                  const FitSource& source = {});
  // A complete description, as describe() gives it.
  [[nodiscard]] static Result<FeatureMap> parse(std::string_view text);
  // The map that resolve() made of `rule` and a source of that kind, when describe() was `complete`.  With an empty
  // rule all constants are of that kind.  Errors: kInvalidArgument as parse(), and where the texts do not belong
  // together.
  [[nodiscard]] static Result<FeatureMap> restore(std::string_view rule, ConstantKind source,
                                                  std::string_view complete);

  // Where the constants come from.  One entry per block of the text.  For "all" and "auto": "soft-degree", and "form"
  // for what follows from the form of the data.  So the entries do not depend on the data.  A map from parse() says
  // that all were stated.
  [[nodiscard]] const std::vector<ConstantOrigin>& origins() const noexcept { return origins_; }
  // The text and the kind of source that resolve() was given; empty and kStated for a map from parse().
  [[nodiscard]] const std::string& rule() const noexcept { return rule_; }
  [[nodiscard]] ConstantKind source() const noexcept { return source_; }
  // Can a removal change a constant?  It must be of the kind kPrivateFit then.
  [[nodiscard]] bool refits() const noexcept;
  // The same rule, fitted on these graphs and no others.  A map without private fits stays as it is.
  [[nodiscard]] Result<FeatureMap> refit(std::span<const Graph* const> graphs) const;
  // As the functions of FeatureBlock, for the constants that a rule fits.
  [[nodiscard]] bool fit_may_change(const Graph& before, const Graph* after) const;
  [[nodiscard]] bool fit_shown_by(const Graph& graph) const;

  [[nodiscard]] std::string describe() const;
  // The number of all channels, active or not.
  [[nodiscard]] std::size_t width() const noexcept { return width_; }
  // Replaces `signals`.  Errors: kUnsupported where a block cannot be computed on this graph.
  [[nodiscard]] Status signals(const Graph& graph, Scratch& scratch, NodeSignals& signals) const;

 private:
  // Shared, because a map that is fitted again keeps the blocks that stay.
  std::vector<std::shared_ptr<const FeatureBlock>> blocks_;
  std::vector<ConstantKind> kinds_;  // one per block
  std::vector<ConstantOrigin> origins_;
  std::string rule_;
  ConstantKind source_ = ConstantKind::kStated;
  std::size_t width_ = 0;

  [[nodiscard]] static Result<FeatureMap> build(std::string_view text, const std::span<const Graph* const>* graphs,
                                                ConstantKind source);
};

}  // namespace unscatter
