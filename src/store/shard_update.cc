#include "store/shard_update.h"

#include <utility>

#include "base/wipe.h"

namespace unscatter {

Result<ShardUpdate> ShardUpdate::begin(const WorkspaceTables& tables) {
  ShardUpdate update(tables);
  for (std::size_t part = 0; tables.sharded() && part < tables.parts(); ++part) {
    UNSCATTER_TRY(transaction, Transaction::begin(tables.part(part)));
    update.transactions_.push_back(std::make_unique<Transaction>(std::move(transaction)));
    tables.part(part).note_changes();
  }
  return update;
}

Status ShardUpdate::prepare(const Identity& identity, const SigningKey& key, std::uint64_t sequence,
                            const Digest& entry) {
  if (!tables_.sharded()) return ok_status();
  UNSCATTER_TRY(layout, read_layout(tables_.main(), identity));
  for (std::size_t part = 0; part < tables_.parts(); ++part) {
    const Database& shard = tables_.part(part);
    UNSCATTER_TRY(pieces, read_noted_rows(shard, shard.take_noted()));
    transactions_[part]->drop();
    if (pieces.empty()) continue;
    touched_.push_back({part, {sequence, entry, std::move(pieces)}});
    layout.touched[part] = sequence;
  }
  const auto write = [&]() -> Status {
    for (const Touched& touched : touched_) {
      const Database& shard = tables_.part(touched.part);
      UNSCATTER_TRY(transaction, Transaction::begin(shard));
      UNSCATTER_CHECK_OK(write_prepared(shard, touched.change));
      // Durable before the ledger decides: what is decided can always be finished.
      UNSCATTER_CHECK_OK(transaction.commit());
    }
    return write_layout(tables_.main(), identity.id, key, layout);
  };
  Status written = write();
  if (!written.ok()) static_cast<void>(undo());
  return written;
}

Status ShardUpdate::finish() {
  for (Touched& touched : touched_) {
    const Database& shard = tables_.part(touched.part);
    UNSCATTER_CHECK_OK(finish_prepared(shard, touched.change));
    // The log has the new pages, and the file has the old ones until now.
    UNSCATTER_CHECK_OK(shard.empty_log());
    for (std::vector<std::byte>& piece : touched.change.pieces) wipe(piece);
  }
  touched_.clear();
  return ok_status();
}

Status ShardUpdate::undo() {
  Status first = ok_status();
  for (const Touched& touched : touched_) {
    const Database& shard = tables_.part(touched.part);
    Status undone = undo_prepared(shard);
    if (undone.ok()) undone = shard.empty_log();
    if (!undone.ok() && first.ok()) first = std::move(undone);
  }
  touched_.clear();
  return first;
}

}  // namespace unscatter
