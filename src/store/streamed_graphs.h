// What both passes over a stream of graphs share.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"
#include "unscatter/graph/read.h"
#include "unscatter/store/workspace.h"

namespace unscatter {

// Graphs, labels, ids and due dates in their order.  Two passes that see the same have the same digest.
class StreamDigest {
 public:
  StreamDigest();
  void add(const StreamedGraph& graph);
  [[nodiscard]] Digest finish() { return hasher_.finish(); }

 private:
  Hasher hasher_;
};

// Are graphs those of an earlier pass?
class StreamComparison {
 public:
  // `before` outlives this.
  explicit StreamComparison(const std::vector<StreamedData::Part>& before) : before_(before) {}
  void add(const StreamedGraph& graph);
  // After the last one.
  [[nodiscard]] bool same() const { return same_ && part_ == before_.size() && in_part_ == 0; }

 private:
  const std::vector<StreamedData::Part>& before_;
  std::size_t part_ = 0;     // that the next graph belongs to
  std::size_t in_part_ = 0;  // graphs of it so far
  StreamDigest digest_;      // of these
  bool same_ = true;         // until now
};

// The two passes did not see the same.
[[nodiscard]] Error changed_while_read(const std::string& name);

}  // namespace unscatter
