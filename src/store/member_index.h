// Who is in which graph: table `members`, for subjects and for the ids of graphs.
//
// Every shard of a sharded workspace has an index of its own slots, with buckets of its own number.  Whoever is looked
// for is looked for in all of them.
//
// Ids are spread over buckets by a checksum with a secret seed.  A bucket has a seal, and the number of buckets never
// changes.  So the answer "nowhere" is as sure as any other: whoever is looked for can only be in one bucket, and a
// bucket that is damaged or missing is noticed.  A plain SQL index could lose a line without anybody noticing, and the
// person of that line would be kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "store/sqlite.h"
#include "store/workspace_tables.h"
#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"
#include "unscatter/graph/graph.h"

namespace unscatter {

enum class MemberKind : std::uint8_t { kSubject = 0, kGraphId = 1 };

// The ids of a graph's nodes that are no tombstones, in order; none for a null pointer.
[[nodiscard]] std::vector<std::string_view> subjects_of(const Graph* graph);

// Reads and changes buckets in memory; write() puts those that changed into the file.
class MemberIndex {
 public:
  // `key`: from which the seed is taken.  Errors: kMalformedInput where the number of buckets is none of ours.
  [[nodiscard]] static Result<MemberIndex> open(const WorkspaceTables& tables, const Salt& key);
  // Calls `take` for every graph there is, with its slot, the ids of its nodes (without tombstones) and its own; slots
  // ascend.
  using Take =
      std::function<Status(std::size_t slot, std::span<const std::string_view> subjects, std::string_view graph_id)>;
  using VisitGraphs = std::function<Status(const Take& take)>;
  // All of the table in one file, which has none: one bucket for about 64 of `members`.  `visit` visits the graphs of
  // this file.  About `memory` bytes are taken.  If all ids need more, the graphs are visited several times, each time
  // for some of the buckets.
  [[nodiscard]] static Status write_new(const Database& database, std::size_t members, const Salt& key,
                                        std::size_t memory, const VisitGraphs& visit);

  // The slots that have this id, ascending.  Errors: kMalformedInput.
  [[nodiscard]] Result<std::vector<std::size_t>> slots_of(const WorkspaceTables& tables, MemberKind kind,
                                                          std::string_view id);
  // The graph in that slot was `before` and is `after`; null: there is none.  Its id stays, as long as there is one.
  [[nodiscard]] Status replace(const WorkspaceTables& tables, std::size_t slot, const Graph* before, const Graph* after,
                               std::string_view graph_id);
  // Calls `visit` for every id of that kind, part by part and bucket by bucket.  An id that is in several parts comes
  // once for each, with slots that ascend.
  [[nodiscard]] Status visit(
      const WorkspaceTables& tables, MemberKind kind,
      const std::function<Status(const std::string& id, const std::vector<std::size_t>& slots)>& visit);

  // Writes what has changed.  What was read stays in memory, and is of use as long as nobody else writes the table.
  [[nodiscard]] Status write(const WorkspaceTables& tables);

 private:
  // By kind and id.
  using Entries = std::map<std::pair<MemberKind, std::string>, std::vector<std::size_t>, std::less<>>;
  struct Bucket {
    Entries entries;
    bool changed = false;
  };

  // Of one file.
  struct Part {
    std::size_t buckets = 0;
    std::unordered_map<std::size_t, Bucket> loaded = {};
  };

  explicit MemberIndex(const Salt& key) : key_(key) {}
  [[nodiscard]] std::size_t bucket_of(const Part& part, MemberKind kind, std::string_view id) const;
  [[nodiscard]] Result<Bucket*> load(const WorkspaceTables& tables, std::size_t part, std::size_t number);
  [[nodiscard]] Status change(const WorkspaceTables& tables, MemberKind kind, std::string_view id, std::size_t slot,
                              bool present);

  Salt key_;
  std::vector<Part> parts_;
};

}  // namespace unscatter
