// What both passes over a stream of graphs share.
#pragma once

#include <string>
#include <vector>

#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"
#include "unscatter/graph/read.h"

namespace unscatter {

// Some graphs at a time: enough to keep threads busy, and no more than about a hundred megabytes.  Empty at the end.
[[nodiscard]] Result<std::vector<StreamedGraph>> next_graphs(GraphStream& stream);

// Graphs, labels, ids and due dates in their order.  Two passes that see the same have the same digest.
class StreamDigest {
 public:
  StreamDigest();
  void add(const StreamedGraph& graph);
  [[nodiscard]] Digest finish() { return hasher_.finish(); }

 private:
  Hasher hasher_;
};

// The two passes did not see the same.
[[nodiscard]] Error changed_while_read(const std::string& name);

}  // namespace unscatter
