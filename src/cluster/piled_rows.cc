#include "cluster/piled_rows.h"

#include <cstring>
#include <vector>

#include "base/wipe.h"
#include "cluster/bytes.h"
#include "cluster/embed_messages.h"
#include "cluster/messages.h"
#include "linalg/row_share.h"
#include "unscatter/base/invariant.h"

namespace unscatter::cluster {
namespace {

constexpr std::size_t kPiledBlockBytes = std::size_t{1} << 23;

void send_range(Communicator& job, std::size_t to, const SparseBlockRows& rows, std::size_t first, std::size_t end) {
  ByteWriter writer;
  std::size_t bytes = sizeof(std::uint64_t);
  for (std::size_t i = first; i < end; ++i) bytes += row_bytes(rows.row(i));
  writer.reserve(bytes);
  writer.number(end - first);
  for (std::size_t i = first; i < end; ++i) write_row(writer, rows.row(i));
  send_any(job, to, writer.bytes());
  wipe(writer.bytes());
}

}  // namespace

void send_piled(Communicator& job, std::size_t to, const SparseBlockRows& rows, std::size_t count) {
  send_range(job, to, rows, 0, count);
}

void take_piled(Communicator& job, std::size_t from, SparseBlockRows& rows) {
  std::vector<std::byte> bytes = receive_any(job, from);
  ByteReader reader(bytes);
  for (std::uint64_t left = reader.number(); left > 0; --left) rows.append_row(read_row(reader));
  wipe(bytes);
}

void send_piled_from(Communicator& job, std::size_t to, const SparseBlockRows& rows, std::size_t first) {
  invariant(first < rows.rows(), "a rank is asked for rows that it keeps");
  std::size_t end = first;
  std::size_t bytes = 0;
  while (end < rows.rows() && (end == first || bytes < kPiledBlockBytes)) bytes += row_bytes(rows.row(end++));
  send_range(job, to, rows, first, end);
}

void share_piled(Communicator& job, SparseBlockRows& own, std::span<const std::size_t> counts,
                 std::span<const std::uint32_t> labels) {
  std::size_t first = counts[0];
  for (std::size_t rank = 1; rank < job.size(); ++rank) {
    send_any(job, rank, std::as_bytes(labels.subspan(first, counts[rank])));
    first += counts[rank];
  }
  share_rows(job, own);
}

void share_own_pile(Communicator& job, KeptState::Rows& own) {
  const std::vector<std::byte> sent = receive_any(job, 0);
  own.labels.resize(sent.size() / sizeof(std::uint32_t));
  if (!sent.empty()) std::memcpy(own.labels.data(), sent.data(), own.labels.size() * sizeof(std::uint32_t));
  invariant(own.labels.size() == own.rows.rows(), "one label per row");
  share_rows(job, own.rows);
}

}  // namespace unscatter::cluster
