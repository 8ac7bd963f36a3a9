#include "cluster/shared_rows.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include "base/wipe.h"
#include "cluster/bytes.h"
#include "cluster/embed_messages.h"
#include "cluster/messages.h"
#include "linalg/row_products.h"
#include "linalg/row_share.h"
#include "store/shard_files.h"
#include "store/shard_rows.h"
#include "unscatter/base/invariant.h"

namespace unscatter::cluster {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 23;
// In the place of a number of rows.
constexpr std::uint64_t kUnreadable = ~std::uint64_t{0};

void append(KeptState::Rows& to, BlockRow&& row, std::uint32_t label) {
  to.rows.append_row(std::move(row));
  to.labels.push_back(label);
}

void send_rows(Communicator& job, std::size_t to, const SparseBlockRows& rows, std::span<const std::uint32_t> labels,
               std::size_t first, std::size_t end) {
  while (first < end) {
    ByteWriter writer;
    std::size_t last = first;
    std::size_t bytes = sizeof(std::uint64_t);
    while (last < end && (last == first || bytes < kBlockBytes)) {
      bytes += sizeof(std::uint64_t) + row_bytes(rows.row(last++));
    }
    writer.reserve(bytes);
    writer.number(last - first);
    for (; first < last; ++first) {
      writer.number(labels[first]);
      write_row(writer, rows.row(first));
    }
    send_any(job, to, writer.bytes());
    wipe(writer.bytes());
  }
  send_any(job, to, {});
}

// Which shards of which workspace, as the first rank tells the others.
struct ShardsMessage {
  std::filesystem::path folder;
  ShardRowsRequest request;  // number and leaves are those of a rank
};

std::vector<std::byte> pack(const ShardedRows& kept) {
  ByteWriter writer;
  writer.text(std::filesystem::absolute(kept.folder).string());
  writer.text(kept.workspace);
  for (const std::size_t number :
       {kept.partition.parts, kept.partition.slots_per_part, kept.slots, kept.width, kept.classes}) {
    writer.number(number);
  }
  return std::move(writer.bytes());
}

ShardsMessage unpack(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  ShardsMessage message;
  message.folder = reader.text();
  message.request.workspace = reader.text();
  for (std::size_t* number : {&message.request.partition.parts, &message.request.partition.slots_per_part,
                              &message.request.slots, &message.request.width, &message.request.classes}) {
    *number = reader.number();
  }
  return message;
}

// The slots of the shards from `first` to before `last`.
std::pair<std::size_t, std::size_t> slots_of(const SlotPartition& partition, std::size_t slots, std::size_t first,
                                             std::size_t last) {
  if (first == last) return {0, 0};
  return {partition.first(first), std::min(partition.end(last - 1), slots)};
}

Result<ReadRows> read_shards(const ShardsMessage& message, std::size_t first, std::size_t last,
                             std::span<const Digest> leaves) {
  ReadRows read{{SparseBlockRows(0, message.request.width), {}}, 0};
  for (std::size_t shard = first; shard < last; ++shard) {
    const auto [begin, end] = slots_of(message.request.partition, message.request.slots, shard, shard + 1);
    if (leaves.size() < end - begin) {
      return Error{ErrorCode::kMalformedInput, "the first rank knows fewer slots than it says"};
    }
    ShardRowsRequest request = message.request;
    request.number = shard;
    request.leaves = leaves.first(end - begin);
    leaves = leaves.subspan(end - begin);
    UNSCATTER_TRY(of_shard, read_shard_rows(shard_path(message.folder, shard), request));
    for (std::size_t i = 0; i < of_shard.rows.rows.rows(); ++i) {
      BlockRow row;
      of_shard.rows.rows.swap_row(i, row);
      append(read.rows, std::move(row), of_shard.rows.labels[i]);
    }
    read.found += of_shard.found;
  }
  return read;
}

}  // namespace

std::vector<std::size_t> even_shares(std::size_t rows, std::size_t ranks) {
  const std::size_t leaves = (rows + kLeafRows - 1) / kLeafRows;
  std::vector<std::size_t> begins;
  for (std::size_t rank = 0; rank <= ranks; ++rank) begins.push_back(std::min(leaves * rank / ranks * kLeafRows, rows));
  return begins;
}

std::vector<std::size_t> shards_of_ranks(std::size_t shards, std::size_t ranks) {
  std::vector<std::size_t> begins;
  for (std::size_t rank = 0; rank <= ranks; ++rank) begins.push_back((shards * rank + ranks - 1) / ranks);
  return begins;
}

KeptState::Rows spread_rows(Communicator& job, const SparseBlockRows& rows, std::span<const std::uint32_t> labels) {
  const std::vector<std::size_t> begins = even_shares(rows.rows(), job.size());
  for (std::size_t rank = 1; rank < job.size(); ++rank) {
    send_rows(job, rank, rows, labels, begins[rank], begins[rank + 1]);
  }
  KeptState::Rows own{SparseBlockRows(0, rows.columns()), {}};
  for (std::size_t i = 0; i < begins[1]; ++i) append(own, BlockRow(rows.row(i)), labels[i]);
  share_rows(job, own.rows);
  return own;
}

KeptState::Rows take_spread_rows(Communicator& job, std::size_t columns) {
  KeptState::Rows own{SparseBlockRows(0, columns), {}};
  for (;;) {
    std::vector<std::byte> bytes = receive_any(job, 0);
    if (bytes.empty()) break;
    ByteReader reader(bytes);
    for (std::uint64_t left = reader.number(); left > 0; --left) {
      const auto label = static_cast<std::uint32_t>(reader.number());
      append(own, read_row(reader), label);
    }
    wipe(bytes);
  }
  share_rows(job, own.rows);
  return own;
}

std::optional<KeptState::Rows> read_shared_rows(Communicator& job, const ShardedRows& kept) {
  std::vector<std::byte> message = pack(kept);
  job.broadcast_any(message);
  const std::vector<std::size_t> begins = shards_of_ranks(kept.partition.parts, job.size());
  bool good = true;
  for (std::size_t rank = 1; rank < job.size(); ++rank) {
    const auto [first, end] = slots_of(kept.partition, kept.slots, begins[rank], begins[rank + 1]);
    Result<std::vector<Digest>> leaves = kept.leaves(first, end);
    good = good && leaves.ok();
    send_any(job, rank, leaves.ok() ? std::as_bytes(std::span(*leaves)) : std::span<const std::byte>());
  }
  const auto [first, end] = slots_of(kept.partition, kept.slots, begins[0], begins[1]);
  Result<ReadRows> own = kept.read_here(first, end);
  const std::uint64_t here = own.ok() ? own->found : kUnreadable;
  std::uint64_t found = 0;
  for (const std::vector<std::byte>& answer : job.gather(std::as_bytes(std::span(&here, 1)))) {
    std::uint64_t of_rank = kUnreadable;
    if (answer.size() == sizeof(of_rank)) std::memcpy(&of_rank, answer.data(), sizeof(of_rank));
    good = good && of_rank != kUnreadable;
    found += of_rank;
  }
  good = good && found == kept.graphs;
  std::uint64_t go_on = good ? 1 : 0;
  job.broadcast_numbers(std::span(&go_on, 1));
  if (go_on == 0) return std::nullopt;
  share_rows(job, own->rows.rows);
  return std::move(own->rows);
}

std::optional<KeptState::Rows> read_own_shards(Communicator& job) {
  std::vector<std::byte> bytes;
  job.broadcast_any(bytes);
  const ShardsMessage message = unpack(bytes);
  const std::vector<std::byte> sent = receive_any(job, 0);
  std::vector<Digest> leaves(sent.size() / sizeof(Digest));
  if (!leaves.empty()) std::memcpy(leaves.data(), sent.data(), leaves.size() * sizeof(Digest));
  const std::vector<std::size_t> begins = shards_of_ranks(message.request.partition.parts, job.size());
  Result<ReadRows> own = read_shards(message, begins[job.rank()], begins[job.rank() + 1], leaves);
  const std::uint64_t found = own.ok() ? own->found : kUnreadable;
  static_cast<void>(job.gather(std::as_bytes(std::span(&found, 1))));
  std::uint64_t go_on = 0;
  job.broadcast_numbers(std::span(&go_on, 1));
  if (go_on == 0) return std::nullopt;
  share_rows(job, own->rows.rows);
  return std::move(own->rows);
}

}  // namespace unscatter::cluster
