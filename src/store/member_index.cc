#include "store/member_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <span>

#include "base/checksum.h"
#include "base/wipe.h"

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

// In order.
std::vector<std::string_view> subjects_of(const Graph* graph) {
  std::vector<std::string_view> ids;
  if (graph == nullptr || !graph->has_node_ids()) return ids;
  for (std::size_t i = 0; i < graph->node_count(); ++i) {
    if (graph->state(i) != NodeState::kTombstone) ids.emplace_back(graph->node_id(i));
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace

MemberIndex MemberIndex::create(std::size_t members, const Salt& key) {
  MemberIndex index(std::bit_ceil(std::max<std::size_t>(1, members / kMembersPerBucket)), key);
  index.is_new_ = true;
  return index;
}

Result<MemberIndex> MemberIndex::open(const Database& database, const Salt& key) {
  Statement statement = database.prepare("SELECT bucket FROM members ORDER BY bucket DESC LIMIT 1");
  UNSCATTER_TRY(found, statement.step());
  if (!found) return damaged_index(0);
  UNSCATTER_TRY(last, statement.integer(0));
  const auto buckets = static_cast<std::size_t>(last) + 1;
  // A lost last bucket would make ids be looked for in the wrong place.
  if (last < 0 || !std::has_single_bit(buckets)) return damaged_index(buckets);
  return MemberIndex(buckets, key);
}

std::size_t MemberIndex::bucket_of(MemberKind kind, std::string_view id) const {
  std::uint64_t seed = 0;
  std::memcpy(&seed, key_.bytes.data(), sizeof(seed));
  return checksum(std::as_bytes(std::span(id)), seed + static_cast<std::uint64_t>(kind)) & (buckets_ - 1);
}

Result<MemberIndex::Bucket*> MemberIndex::load(const Database& database, std::size_t number) {
  if (const auto known = loaded_.find(number); known != loaded_.end()) return &known->second;
  Bucket bucket;
  if (!is_new_) {
    Statement statement = database.prepare("SELECT entries, seal FROM members WHERE bucket = ?");
    statement.bind(1, static_cast<std::int64_t>(number));
    UNSCATTER_TRY(found, statement.step());
    if (!found) return damaged_index(number);
    UNSCATTER_TRY(blob, statement.blob(0));
    UNSCATTER_TRY(seal, statement.blob(1));
    const Digest expected = bucket_seal(number, buckets_, blob);
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
      }
      bucket.entries.emplace(std::pair(static_cast<MemberKind>(kind), std::move(id)), std::move(slots));
    }
    wipe(blob);
  }
  return &loaded_.emplace(number, std::move(bucket)).first->second;
}

Result<std::vector<std::size_t>> MemberIndex::slots_of(const Database& database, MemberKind kind, std::string_view id) {
  UNSCATTER_TRY(bucket, load(database, bucket_of(kind, id)));
  const auto entry = bucket->entries.find(std::pair(kind, std::string(id)));
  return entry == bucket->entries.end() ? std::vector<std::size_t>() : entry->second;
}

Status MemberIndex::change(const Database& database, MemberKind kind, std::string_view id, std::size_t slot,
                           bool present) {
  UNSCATTER_TRY(bucket, load(database, bucket_of(kind, id)));
  std::vector<std::size_t>& slots = bucket->entries[std::pair(kind, std::string(id))];
  const auto place = std::lower_bound(slots.begin(), slots.end(), slot);
  const bool there = place != slots.end() && *place == slot;
  if (present && !there) slots.insert(place, slot);
  if (!present && there) slots.erase(place);
  if (slots.empty()) bucket->entries.erase(std::pair(kind, std::string(id)));
  bucket->changed = bucket->changed || present != there;
  return ok_status();
}

Status MemberIndex::replace(const Database& database, std::size_t slot, const Graph* before, const Graph* after,
                            std::string_view graph_id) {
  const std::vector<std::string_view> old_ids = subjects_of(before);
  const std::vector<std::string_view> new_ids = subjects_of(after);
  std::vector<std::string_view> ids;
  std::set_difference(old_ids.begin(), old_ids.end(), new_ids.begin(), new_ids.end(), std::back_inserter(ids));
  for (const std::string_view id : ids) {
    UNSCATTER_CHECK_OK(change(database, MemberKind::kSubject, id, slot, false));
  }
  ids.clear();
  std::set_difference(new_ids.begin(), new_ids.end(), old_ids.begin(), old_ids.end(), std::back_inserter(ids));
  for (const std::string_view id : ids) {
    UNSCATTER_CHECK_OK(change(database, MemberKind::kSubject, id, slot, true));
  }
  if (graph_id.empty() || (before == nullptr) == (after == nullptr)) return ok_status();
  return change(database, MemberKind::kGraphId, graph_id, slot, after != nullptr);
}

Status MemberIndex::visit(
    const Database& database, MemberKind kind,
    const std::function<Status(const std::string& id, const std::vector<std::size_t>& slots)>& visit) {
  for (std::size_t number = 0; number < buckets_; ++number) {
    const bool was_loaded = loaded_.contains(number);
    UNSCATTER_TRY(bucket, load(database, number));
    for (const auto& [key, slots] : bucket->entries) {
      if (key.first == kind) UNSCATTER_CHECK_OK(visit(key.second, slots));
    }
    if (!was_loaded && !is_new_) loaded_.erase(number);
  }
  return ok_status();
}

Status MemberIndex::write_bucket(const Database& database, std::size_t number, const Entries& entries) const {
  std::vector<std::byte> bytes;
  for (const auto& [key, slots] : entries) {
    put_number(bytes, static_cast<std::uint64_t>(key.first));
    put_number(bytes, key.second.size());
    const auto id = std::as_bytes(std::span(key.second));
    bytes.insert(bytes.end(), id.begin(), id.end());
    put_number(bytes, slots.size());
    for (const std::size_t slot : slots) put_number(bytes, slot);
  }
  const Digest seal = bucket_seal(number, buckets_, bytes);
  Statement statement = database.prepare("INSERT OR REPLACE INTO members(bucket, entries, seal) VALUES(?, ?, ?)");
  statement.bind(1, static_cast<std::int64_t>(number)).bind(2, bytes).bind(3, std::as_bytes(std::span(seal.bytes)));
  return statement.run();
}

Status MemberIndex::write(const Database& database) {
  for (const auto& [number, bucket] : loaded_) {
    if (bucket.changed) UNSCATTER_CHECK_OK(write_bucket(database, number, bucket.entries));
  }
  loaded_.clear();
  return ok_status();
}

Status MemberIndex::write_all(const Database& database) {
  const Entries none;
  for (std::size_t number = 0; number < buckets_; ++number) {
    const auto bucket = loaded_.find(number);
    UNSCATTER_CHECK_OK(write_bucket(database, number, bucket == loaded_.end() ? none : bucket->second.entries));
  }
  loaded_.clear();
  is_new_ = false;
  return ok_status();
}

}  // namespace unscatter
