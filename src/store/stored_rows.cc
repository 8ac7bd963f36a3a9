#include "store/stored_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "base/wipe.h"

namespace unscatter {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are stored as they lie in memory");
static_assert(sizeof(Segment) == 8);

// Label, number of segments, segments, values.
struct RowHead {
  std::uint32_t label;
  std::uint32_t segments;
};

Error damaged_kept_row(std::size_t slot) {
  return {ErrorCode::kMalformedInput,
          fmt::format("the workspace is damaged: the kept row of slot {} is not what was written", slot)};
}

std::int64_t row_seal(std::span<const std::byte> content, const Digest& leaf) {
  std::uint64_t seed = 0;
  std::memcpy(&seed, leaf.bytes.data(), sizeof(seed));
  return static_cast<std::int64_t>(checksum(content, seed));
}

Status parse_content(std::span<const std::byte> content, std::size_t slot, std::size_t width, BlockRow& row,
                     std::uint32_t& label) {
  RowHead head{};
  if (content.size() < sizeof(head)) return damaged_kept_row(slot);
  std::memcpy(&head, content.data(), sizeof(head));
  content = content.subspan(sizeof(head));
  const std::size_t segment_bytes = std::size_t{head.segments} * sizeof(Segment);
  if (content.size() < segment_bytes || (content.size() - segment_bytes) % sizeof(double) != 0) {
    return damaged_kept_row(slot);
  }
  row.segments.resize(head.segments);
  if (segment_bytes > 0) std::memcpy(row.segments.data(), content.data(), segment_bytes);
  content = content.subspan(segment_bytes);
  row.values.resize(content.size() / sizeof(double));
  if (!row.values.empty()) std::memcpy(row.values.data(), content.data(), content.size());
  // The checksum has passed.  A row that does not fit now was never one of ours.
  std::size_t values = 0;
  std::size_t end = 0;
  for (const Segment& segment : row.segments) {
    if (segment.column < end || segment.length == 0) return damaged_kept_row(slot);
    end = std::size_t{segment.column} + segment.length;
    values += segment.length;
  }
  if (values != row.values.size() || end > width) return damaged_kept_row(slot);
  label = head.label;
  return ok_status();
}

}  // namespace

Status write_row(const WorkspaceTables& tables, std::size_t slot, const BlockRow& row, std::uint32_t label,
                 const Digest& leaf) {
  const RowHead head{label, static_cast<std::uint32_t>(row.segments.size())};
  const std::size_t segment_bytes = row.segments.size() * sizeof(Segment);
  const std::size_t value_bytes = row.values.size() * sizeof(double);
  std::vector<std::byte> content(sizeof(head) + segment_bytes + value_bytes);
  std::memcpy(content.data(), &head, sizeof(head));
  if (segment_bytes > 0) std::memcpy(content.data() + sizeof(head), row.segments.data(), segment_bytes);
  if (value_bytes > 0) std::memcpy(content.data() + sizeof(head) + segment_bytes, row.values.data(), value_bytes);
  Statement statement =
      tables.of_slot(slot).prepare("INSERT OR REPLACE INTO embeddings(slot, content, seal) VALUES(?, ?, ?)");
  statement.bind(1, static_cast<std::int64_t>(slot)).bind(2, content).bind(3, row_seal(content, leaf));
  Status status = statement.run();
  wipe(content);
  return status;
}

Status erase_row(const WorkspaceTables& tables, std::size_t slot) {
  Statement statement = tables.of_slot(slot).prepare("DELETE FROM embeddings WHERE slot = ?");
  statement.bind(1, static_cast<std::int64_t>(slot));
  return statement.run();
}

namespace {

// The rows of the range that are in one part.
Result<std::size_t> visit_rows_of_part(const WorkspaceTables& tables, std::size_t part, const SlotRange& range,
                                       const VisitRow& take) {
  const std::size_t part_first = tables.partition().first(part);
  const std::size_t part_end = tables.partition().end(part);
  const std::size_t first = std::max(range.first, part_first);
  const std::size_t end = std::min(range.first + range.leaves.size(), part_end);
  if (first >= end) return std::size_t{0};
  Statement statement = tables.part(part).prepare(
      "SELECT slot, content, seal FROM embeddings WHERE slot >= ? AND slot <= ? ORDER BY slot");
  // Rows of slots that cannot be are met by whoever reads the first or the last ones.
  using Limits = std::numeric_limits<std::int64_t>;
  statement.bind(1, first == part_first ? Limits::min() : static_cast<std::int64_t>(first));
  statement.bind(2, end == range.slots || end == part_end ? Limits::max() : static_cast<std::int64_t>(end) - 1);
  std::size_t found = 0;
  for (;; ++found) {
    UNSCATTER_TRY(more, statement.step());
    if (!more) break;
    UNSCATTER_TRY(number, statement.integer(0));
    const auto slot = static_cast<std::size_t>(number);
    if (number < 0 || slot < first || slot >= end) return damaged_kept_row(slot);
    UNSCATTER_TRY(content, statement.blob_view(1));
    UNSCATTER_TRY(seal, statement.integer(2));
    if (seal != row_seal(content, range.leaves[slot - range.first])) return damaged_kept_row(slot);
    UNSCATTER_CHECK_OK(take(slot, content));
  }
  return found;
}

}  // namespace

Result<std::size_t> visit_rows_between(const WorkspaceTables& tables, const SlotRange& range, const VisitRow& take) {
  std::size_t found = 0;
  for (std::size_t part = 0; part < tables.parts(); ++part) {
    UNSCATTER_TRY(here, visit_rows_of_part(tables, part, range, take));
    found += here;
  }
  return found;
}

Status check_row_count(std::size_t found, std::size_t graphs) {
  if (found == graphs) return ok_status();
  return Error{ErrorCode::kMalformedInput,
               fmt::format("the workspace is damaged: it keeps {} rows of {} graphs", found, graphs)};
}

Status visit_row_contents(const WorkspaceTables& tables, std::span<const Digest> leaves, std::size_t graphs,
                          const VisitRow& take) {
  UNSCATTER_TRY(found, visit_rows_between(tables, {0, leaves, leaves.size()}, take));
  return check_row_count(found, graphs);
}

Status parse_row(std::span<const std::byte> content, std::size_t slot, std::size_t width, std::size_t classes,
                 BlockRow& row, std::uint32_t& label) {
  UNSCATTER_CHECK_OK(parse_content(content, slot, width, row, label));
  if (label >= classes) return damaged_kept_row(slot);
  return ok_status();
}

Result<ReadRows> read_rows_between(const WorkspaceTables& tables, const SlotRange& range, std::size_t width,
                                   std::size_t classes) {
  const std::size_t count = range.leaves.size();
  ReadRows read{{SparseBlockRows(count, width), std::vector<std::uint32_t>(count, 0)}, 0};
  const auto take = [&](std::size_t slot, std::span<const std::byte> content) -> Status {
    BlockRow row;
    const std::size_t place = slot - range.first;
    UNSCATTER_CHECK_OK(parse_row(content, slot, width, classes, row, read.rows.labels[place]));
    read.rows.rows.set_row(place, std::move(row));
    return ok_status();
  };
  UNSCATTER_TRY(found, visit_rows_between(tables, range, take));
  read.found = found;
  return read;
}

Result<KeptState::Rows> read_rows(const WorkspaceTables& tables, std::span<const Digest> leaves, std::size_t graphs,
                                  std::size_t width, std::size_t classes) {
  UNSCATTER_TRY(read, read_rows_between(tables, {0, leaves, leaves.size()}, width, classes));
  UNSCATTER_CHECK_OK(check_row_count(read.found, graphs));
  return std::move(read.rows);
}

}  // namespace unscatter
