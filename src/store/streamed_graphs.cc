#include "store/streamed_graphs.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "unscatter/graph/dataset.h"

namespace unscatter {

StreamDigest::StreamDigest() { hasher_.add(std::string_view("unscatter stream 1")); }

void StreamDigest::add(const StreamedGraph& graph) {
  const Digest content = content_digest(graph.graph);
  hasher_.add_bytes(std::as_bytes(std::span(content.bytes)));
  hasher_.add(std::uint64_t{graph.label.has_value()}).add(std::string_view(graph.label.value_or("")));
  hasher_.add(std::uint64_t{graph.id.has_value()}).add(std::string_view(graph.id.value_or("")));
  const auto add_date = [&](const std::optional<std::int64_t>& date) {
    hasher_.add(std::uint64_t{date.has_value()}).add(static_cast<std::uint64_t>(date.value_or(0)));
  };
  add_date(graph.expires);
  hasher_.add(std::uint64_t{graph.node_expires.size()});
  for (const auto& date : graph.node_expires) add_date(date);
}

void StreamComparison::add(const StreamedGraph& graph) {
  if (part_ == before_.size()) {
    same_ = false;
    return;
  }
  digest_.add(graph);
  if (++in_part_ < before_[part_].graphs) return;
  same_ = same_ && digest_.finish() == before_[part_].content;
  ++part_;
  in_part_ = 0;
  digest_ = StreamDigest();
}

Error changed_while_read(const std::string& name) {
  return {
      ErrorCode::kMalformedInput,
      fmt::format("the data set '{}' changed while it was read: the second reading gave other graphs, labels or ids "
                  "than the first; no workspace was made, so try again when nobody writes to it",
                  name)};
}

}  // namespace unscatter
