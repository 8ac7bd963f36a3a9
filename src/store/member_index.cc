#include "store/member_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <limits>
#include <span>

#include "base/checksum.h"
#include "base/wipe.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

// Enough to make a bucket about as large as a page.
constexpr std::size_t kMembersPerBucket = 64;

Error damaged_index(std::size_t bucket) {
  return {ErrorCode::kMalformedInput,
          fmt::format("the workspace is damaged: bucket {} of the kept index is not what was written", bucket)};
}

Digest bucket_seal(std::size_t bucket, std::size_t buckets, std::span<const std::byte> entries) {
  Hasher hasher;
  hasher.add(std::string_view("unscatter members 1")).add(std::uint64_t{bucket}).add(std::uint64_t{buckets});
  return hasher.add_bytes(entries).finish();
}

void put_number(std::vector<std::byte>& bytes, std::uint64_t number) {
  const auto* begin = reinterpret_cast<const std::byte*>(&number);
  bytes.insert(bytes.end(), begin, begin + sizeof(number));
}

// Reads what put_number() wrote; false at the end.
bool take_number(std::span<const std::byte>& bytes, std::uint64_t& number) {
  if (bytes.size() < sizeof(number)) return false;
  std::memcpy(&number, bytes.data(), sizeof(number));
  bytes = bytes.subspan(sizeof(number));
  return true;
}

// Kind, id and slots of one member.
void put_entry(std::vector<std::byte>& bytes, MemberKind kind, std::string_view id,
               std::span<const std::size_t> slots) {
  put_number(bytes, static_cast<std::uint64_t>(kind));
  put_number(bytes, id.size());
  const auto text = std::as_bytes(std::span(id));
  bytes.insert(bytes.end(), text.begin(), text.end());
  put_number(bytes, slots.size());
  for (const std::size_t slot : slots) put_number(bytes, slot);
}

}  // namespace

std::vector<std::string_view> subjects_of(const Graph* graph) {
  std::vector<std::string_view> ids;
  if (graph == nullptr || !graph->has_node_ids()) return ids;
  for (std::size_t i = 0; i < graph->node_count(); ++i) {
    if (graph->state(i) != NodeState::kTombstone) ids.emplace_back(graph->node_id(i));
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

Result<MemberIndex> MemberIndex::open(const WorkspaceTables& tables, const Salt& key) {
  MemberIndex index(key);
  for (std::size_t part = 0; part < tables.parts(); ++part) {
    Statement statement = tables.part(part).prepare("SELECT bucket FROM members ORDER BY bucket DESC LIMIT 1");
    UNSCATTER_TRY(found, statement.step());
    if (!found) return damaged_index(0);
    UNSCATTER_TRY(last, statement.integer(0));
    const auto buckets = static_cast<std::size_t>(last) + 1;
    // A lost last bucket would make ids be looked for in the wrong place.
    if (last < 0 || !std::has_single_bit(buckets)) return damaged_index(buckets);
    index.parts_.push_back({buckets});
  }
  return index;
}

std::size_t MemberIndex::bucket_of(const Part& part, MemberKind kind, std::string_view id) const {
  std::uint64_t seed = 0;
  std::memcpy(&seed, key_.bytes.data(), sizeof(seed));
  return checksum(std::as_bytes(std::span(id)), seed + static_cast<std::uint64_t>(kind)) & (part.buckets - 1);
}

Result<MemberIndex::Bucket*> MemberIndex::load(const WorkspaceTables& tables, std::size_t part, std::size_t number) {
  auto& loaded = parts_[part].loaded;
  if (const auto known = loaded.find(number); known != loaded.end()) return &known->second;
  Bucket bucket;
  Statement statement = tables.part(part).prepare("SELECT entries, seal FROM members WHERE bucket = ?");
  statement.bind(1, static_cast<std::int64_t>(number));
  UNSCATTER_TRY(found, statement.step());
  if (!found) return damaged_index(number);
  UNSCATTER_TRY(blob, statement.blob(0));
  UNSCATTER_TRY(seal, statement.blob(1));
  const Digest expected = bucket_seal(number, parts_[part].buckets, blob);
  if (seal.size() != sizeof(expected.bytes) || std::memcmp(seal.data(), expected.bytes.data(), seal.size()) != 0) {
    return damaged_index(number);
  }
  std::span<const std::byte> rest = blob;
  while (!rest.empty()) {
    std::uint64_t kind = 0;
    std::uint64_t length = 0;
    std::uint64_t count = 0;
    if (!take_number(rest, kind) || kind > 1 || !take_number(rest, length) || length > rest.size()) {
      return damaged_index(number);
    }
    std::string id(reinterpret_cast<const char*>(rest.data()), length);
    rest = rest.subspan(length);
    if (!take_number(rest, count) || count > rest.size() / sizeof(std::uint64_t)) return damaged_index(number);
    std::vector<std::size_t> slots(count);
    for (std::size_t& slot : slots) {
      std::uint64_t value = 0;
      take_number(rest, value);
      slot = value;
      // A bucket of another shard has a good seal too.
      if (tables.partition().part_of(slot) != part) return damaged_index(number);
    }
    bucket.entries.emplace(std::pair(static_cast<MemberKind>(kind), std::move(id)), std::move(slots));
  }
  wipe(blob);
  return &loaded.emplace(number, std::move(bucket)).first->second;
}

Result<std::vector<std::size_t>> MemberIndex::slots_of(const WorkspaceTables& tables, MemberKind kind,
                                                       std::string_view id) {
  std::vector<std::size_t> slots;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    UNSCATTER_TRY(bucket, load(tables, part, bucket_of(parts_[part], kind, id)));
    const auto entry = bucket->entries.find(std::pair(kind, std::string(id)));
    if (entry != bucket->entries.end()) slots.insert(slots.end(), entry->second.begin(), entry->second.end());
  }
  return slots;
}

Status MemberIndex::change(const WorkspaceTables& tables, MemberKind kind, std::string_view id, std::size_t slot,
                           bool present) {
  const std::size_t part = tables.partition().part_of(slot);
  UNSCATTER_TRY(bucket, load(tables, part, bucket_of(parts_[part], kind, id)));
  std::vector<std::size_t>& slots = bucket->entries[std::pair(kind, std::string(id))];
  const auto place = std::lower_bound(slots.begin(), slots.end(), slot);
  const bool there = place != slots.end() && *place == slot;
  if (present && !there) slots.insert(place, slot);
  if (!present && there) slots.erase(place);
  if (slots.empty()) bucket->entries.erase(std::pair(kind, std::string(id)));
  bucket->changed = bucket->changed || present != there;
  return ok_status();
}

Status MemberIndex::replace(const WorkspaceTables& tables, std::size_t slot, const Graph* before, const Graph* after,
                            std::string_view graph_id) {
  const std::vector<std::string_view> old_ids = subjects_of(before);
  const std::vector<std::string_view> new_ids = subjects_of(after);
  std::vector<std::string_view> ids;
  std::set_difference(old_ids.begin(), old_ids.end(), new_ids.begin(), new_ids.end(), std::back_inserter(ids));
  for (const std::string_view id : ids) {
    UNSCATTER_CHECK_OK(change(tables, MemberKind::kSubject, id, slot, false));
  }
  ids.clear();
  std::set_difference(new_ids.begin(), new_ids.end(), old_ids.begin(), old_ids.end(), std::back_inserter(ids));
  for (const std::string_view id : ids) {
    UNSCATTER_CHECK_OK(change(tables, MemberKind::kSubject, id, slot, true));
  }
  if (graph_id.empty() || (before == nullptr) == (after == nullptr)) return ok_status();
  return change(tables, MemberKind::kGraphId, graph_id, slot, after != nullptr);
}

Status MemberIndex::visit(
    const WorkspaceTables& tables, MemberKind kind,
    const std::function<Status(const std::string& id, const std::vector<std::size_t>& slots)>& visit) {
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    for (std::size_t number = 0; number < parts_[part].buckets; ++number) {
      const bool was_loaded = parts_[part].loaded.contains(number);
      UNSCATTER_TRY(bucket, load(tables, part, number));
      for (const auto& [key, slots] : bucket->entries) {
        if (key.first == kind) UNSCATTER_CHECK_OK(visit(key.second, slots));
      }
      if (!was_loaded) parts_[part].loaded.erase(number);
    }
  }
  return ok_status();
}

namespace {

Status write_bucket(const Database& database, std::size_t number, std::size_t buckets,
                    std::span<const std::byte> entries) {
  const Digest seal = bucket_seal(number, buckets, entries);
  Statement statement = database.prepare("INSERT OR REPLACE INTO members(bucket, entries, seal) VALUES(?, ?, ?)");
  statement.bind(1, static_cast<std::int64_t>(number)).bind(2, entries).bind(3, std::as_bytes(std::span(seal.bytes)));
  return statement.run();
}

}  // namespace

Status MemberIndex::write(const WorkspaceTables& tables) {
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    for (auto& [number, bucket] : parts_[part].loaded) {
      if (!bucket.changed) continue;
      std::vector<std::byte> bytes;
      for (const auto& [key, slots] : bucket.entries) put_entry(bytes, key.first, key.second, slots);
      UNSCATTER_CHECK_OK(write_bucket(tables.part(part), number, parts_[part].buckets, bytes));
      wipe(bytes);
      bucket.changed = false;
    }
  }
  return ok_status();
}

namespace {

// Members of some buckets, in little more than their text.
class CollectedMembers {
 public:
  struct Member {
    std::uint32_t bucket;
    std::uint32_t slot;
    std::uint32_t start;   // of the id in the text
    std::uint32_t length;  // of the id; the highest bit is the kind
  };

  // At most `count` of them, and about `bytes` in all.  A vector that doubled would take three times as much.  What is
  // asked for and not written to takes no memory.
  CollectedMembers(std::size_t count, std::size_t bytes) : most_text_(bytes) {
    members_.reserve(std::min(count, bytes / sizeof(Member) + 1));
    text_.reserve(most_text_);
  }

  void add(std::size_t bucket, MemberKind kind, std::string_view id, std::size_t slot) {
    constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
    invariant(bucket <= kMost && slot <= kMost && text_.size() + id.size() <= kMost && id.size() < kKindBit,
              "members are counted in 32 bits");
    members_.push_back({static_cast<std::uint32_t>(bucket), static_cast<std::uint32_t>(slot),
                        static_cast<std::uint32_t>(text_.size()),
                        static_cast<std::uint32_t>(id.size()) | (kind == MemberKind::kGraphId ? kKindBit : 0)});
    text_ += id;
  }
  [[nodiscard]] std::size_t bytes() const { return members_.size() * sizeof(Member) + text_.size(); }
  [[nodiscard]] std::size_t count() const { return members_.size(); }
  [[nodiscard]] MemberKind kind(const Member& member) const {
    return (member.length & kKindBit) != 0 ? MemberKind::kGraphId : MemberKind::kSubject;
  }
  [[nodiscard]] std::string_view id(const Member& member) const {
    return std::string_view(text_).substr(member.start, member.length & ~kKindBit);
  }
  // Drops those of buckets from `limit` on.
  void keep_below(std::size_t limit) {
    std::erase_if(members_, [&](const Member& member) { return member.bucket >= limit; });
    std::string kept;
    kept.reserve(most_text_);
    for (Member& member : members_) {
      const std::string_view text = id(member);
      member.start = static_cast<std::uint32_t>(kept.size());
      kept += text;
    }
    wipe_text();
    text_ = std::move(kept);
  }
  // By bucket, and within it in the order of the file.
  const std::vector<Member>& sorted() {
    std::sort(members_.begin(), members_.end(), [this](const Member& one, const Member& other) {
      if (one.bucket != other.bucket) return one.bucket < other.bucket;
      if (kind(one) != kind(other)) return kind(one) < kind(other);
      const int order = id(one).compare(id(other));
      return order != 0 ? order < 0 : one.slot < other.slot;
    });
    return members_;
  }
  void clear() {
    wipe_text();
    members_.clear();
  }

 private:
  // What was written to, and not the room that was only asked for: zeros would take memory there.
  void wipe_text() {
    wipe(std::as_writable_bytes(std::span(text_)));
    text_.clear();
  }

  static constexpr std::uint32_t kKindBit = std::uint32_t{1} << 31;
  std::size_t most_text_;
  std::vector<Member> members_;
  std::string text_;
};

}  // namespace

Status MemberIndex::write_new(const Database& database, std::size_t members, const Salt& key, std::size_t memory,
                              const VisitGraphs& visit) {
  const MemberIndex index(key);
  const Part part{std::bit_ceil(std::max<std::size_t>(1, members / kMembersPerBucket))};
  // A place in a text has 32 bits.
  constexpr std::size_t kMostBytes = std::size_t{1} << 31;
  const std::size_t allowed = std::min(memory, kMostBytes);
  CollectedMembers collected(members, allowed);
  std::size_t at_once = part.buckets;
  for (std::size_t first = 0, limit = 0; first < part.buckets; first = limit) {
    limit = std::min(part.buckets, first + at_once);
    const auto add = [&](MemberKind kind, std::string_view id, std::size_t slot) {
      const std::size_t bucket = index.bucket_of(part, kind, id);
      if (bucket >= first && bucket < limit) collected.add(bucket, kind, id, slot);
    };
    UNSCATTER_CHECK_OK(
        visit([&](std::size_t slot, std::span<const std::string_view> subjects, std::string_view graph_id) {
          for (const std::string_view id : subjects) add(MemberKind::kSubject, id, slot);
          if (!graph_id.empty()) add(MemberKind::kGraphId, graph_id, slot);
          // Some buckets have to wait for another visit.  One bucket always fits.
          while (collected.bytes() > allowed && limit - first > 1) {
            // As many as will fit when all graphs have come, if ids go on like this.  A guess that is too high is
            // halved.
            const double all = static_cast<double>(collected.bytes()) / static_cast<double>(collected.count()) *
                               static_cast<double>(members);
            const double share = 0.95 * static_cast<double>(allowed) / all;
            const auto fitting = static_cast<std::size_t>(share * static_cast<double>(part.buckets));
            at_once = std::max<std::size_t>(1, fitting < limit - first ? fitting : (limit - first) / 2);
            limit = first + at_once;
            collected.keep_below(limit);
          }
          return ok_status();
        }));
    const std::vector<CollectedMembers::Member>& sorted = collected.sorted();
    auto member = sorted.begin();
    for (std::size_t bucket = first; bucket < limit; ++bucket) {
      std::vector<std::byte> bytes;
      while (member != sorted.end() && member->bucket == bucket) {
        const auto begin = member;
        std::vector<std::size_t> slots;
        for (; member != sorted.end() && member->bucket == bucket &&
               collected.kind(*member) == collected.kind(*begin) && collected.id(*member) == collected.id(*begin);
             ++member) {
          if (slots.empty() || slots.back() != member->slot) slots.push_back(member->slot);
        }
        put_entry(bytes, collected.kind(*begin), collected.id(*begin), slots);
      }
      UNSCATTER_CHECK_OK(write_bucket(database, bucket, part.buckets, bytes));
    }
    collected.clear();
  }
  return ok_status();
}

}  // namespace unscatter
