#include "store/shard_files.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/wipe.h"

namespace unscatter {
namespace {

namespace fs = std::filesystem;

Error damaged_shard(std::string_view what) {
  return {ErrorCode::kMalformedInput, fmt::format("the workspace is damaged: {}", what)};
}

std::span<const std::byte> blob_of_bytes(const auto& bytes) { return std::as_bytes(std::span(bytes)); }

std::string layout_text(const std::string& workspace, const ShardLayout& layout) {
  Hasher hasher;
  hasher.add(std::string_view("unscatter shards 1")).add(workspace);
  hasher.add(std::uint64_t{layout.partition.parts}).add(std::uint64_t{layout.partition.slots_per_part});
  for (const std::uint64_t sequence : layout.touched) hasher.add(sequence);
  return fmt::format("unscatter shards 1\n{}", hasher.finish().hex());
}

Digest identity_seal(const ShardIdentity& identity) {
  Hasher hasher;
  hasher.add(std::string_view("unscatter shard 1")).add(identity.workspace);
  return hasher.add(identity.number).add(identity.touched).finish();
}

Digest piece_seal(std::size_t piece, const PreparedChange& change) {
  const std::vector<std::byte>& changes = change.pieces[piece];
  Hasher hasher;
  hasher.add(std::string_view("unscatter prepared 1")).add(std::uint64_t{piece});
  hasher.add(std::uint64_t{change.pieces.size()}).add(change.sequence).add_bytes(blob_of_bytes(change.entry.bytes));
  return hasher.add(std::uint64_t{changes.size()}).add_bytes(changes).finish();
}

bool same_bytes(std::span<const std::byte> blob, const Digest& digest) {
  return blob.size() == digest.bytes.size() && std::memcmp(blob.data(), digest.bytes.data(), blob.size()) == 0;
}

// The tables about slots, as rows of a change know them.  Frozen numbers.
struct SlotTable {
  std::string_view name;
  std::string_view key;
  std::string_view columns;
  std::string_view places;
  int count;
};
constexpr std::array kSlotTables = {
    SlotTable{"graphs", "slot", "number, label, graph_id, nodes_at_creation, node_numbers, content, salt",
              "?, ?, ?, ?, ?, ?, ?, ?", 7},
    SlotTable{"embeddings", "slot", "content, seal", "?, ?, ?", 2},
    SlotTable{"members", "bucket", "entries, seal", "?, ?, ?", 2},
};

enum class Cell : std::uint8_t { kNull = 0, kInteger = 1, kBlob = 2 };

void put(std::vector<std::byte>& bytes, const void* data, std::size_t size) {
  const auto* begin = static_cast<const std::byte*>(data);
  bytes.insert(bytes.end(), begin, begin + size);
}

void put_word(std::vector<std::byte>& bytes, std::uint64_t word) { put(bytes, &word, sizeof(word)); }

// A reader of what put() wrote; false at the end.
class Bytes {
 public:
  explicit Bytes(std::span<const std::byte> bytes) : rest_(bytes) {}
  [[nodiscard]] bool done() const { return rest_.empty(); }
  [[nodiscard]] bool word(std::uint64_t& value) {
    if (rest_.size() < sizeof(value)) return false;
    std::memcpy(&value, rest_.data(), sizeof(value));
    rest_ = rest_.subspan(sizeof(value));
    return true;
  }
  [[nodiscard]] bool blob(std::span<const std::byte>& value) {
    std::uint64_t size = 0;
    if (!word(size) || size > rest_.size()) return false;
    value = rest_.first(size);
    rest_ = rest_.subspan(size);
    return true;
  }

 private:
  std::span<const std::byte> rest_;
};

// One row: table, key, whether it is there, and its columns.
Status put_row(const Database& shard, std::size_t table, std::int64_t key, std::vector<std::byte>& bytes) {
  const SlotTable& shape = kSlotTables[table];
  put_word(bytes, table);
  put_word(bytes, static_cast<std::uint64_t>(key));
  Statement statement =
      shard.prepare(fmt::format("SELECT {} FROM {} WHERE {} = ?", shape.columns, shape.name, shape.key));
  statement.bind(1, key);
  UNSCATTER_TRY(found, statement.step());
  put_word(bytes, found ? 1 : 0);
  for (int column = 0; found && column < shape.count; ++column) {
    if (statement.is_null(column)) {
      put_word(bytes, static_cast<std::uint64_t>(Cell::kNull));
    } else if (const Result<std::int64_t> number = statement.integer(column); number.ok()) {
      put_word(bytes, static_cast<std::uint64_t>(Cell::kInteger));
      put_word(bytes, static_cast<std::uint64_t>(*number));
    } else {
      UNSCATTER_TRY(blob, statement.blob_view(column));
      put_word(bytes, static_cast<std::uint64_t>(Cell::kBlob));
      put_word(bytes, blob.size());
      put(bytes, blob.data(), blob.size());
    }
  }
  return ok_status();
}

Status apply_row(const Database& shard, Bytes& bytes) {
  const Error broken = damaged_shard("a prepared change cannot be read");
  std::uint64_t table = 0;
  std::uint64_t key = 0;
  std::uint64_t there = 0;
  if (!bytes.word(table) || table >= kSlotTables.size() || !bytes.word(key) || !bytes.word(there)) return broken;
  const SlotTable& shape = kSlotTables[table];
  const auto row = static_cast<std::int64_t>(key);
  if (there == 0) {
    return shard.prepare(fmt::format("DELETE FROM {} WHERE {} = ?", shape.name, shape.key)).bind(1, row).run();
  }
  // What the old row held is overwritten with zeros (`secure_delete`).
  Statement statement = shard.prepare(
      fmt::format("INSERT OR REPLACE INTO {}({}, {}) VALUES({})", shape.name, shape.key, shape.columns, shape.places));
  statement.bind(1, row);
  for (int column = 0; column < shape.count; ++column) {
    std::uint64_t kind = 0;
    if (!bytes.word(kind)) return broken;
    if (kind == static_cast<std::uint64_t>(Cell::kInteger)) {
      std::uint64_t value = 0;
      if (!bytes.word(value)) return broken;
      statement.bind(column + 2, static_cast<std::int64_t>(value));
    } else if (kind == static_cast<std::uint64_t>(Cell::kBlob)) {
      std::span<const std::byte> value;
      if (!bytes.blob(value)) return broken;
      statement.bind(column + 2, value);
    } else if (kind == static_cast<std::uint64_t>(Cell::kNull)) {
      statement.bind_null(column + 2);
    } else {
      return broken;
    }
  }
  return statement.run();
}

}  // namespace

fs::path manifest_path(const fs::path& folder) { return folder / "manifest.unscatter"; }

fs::path shard_path(const fs::path& folder, std::size_t number) {
  return folder / fmt::format("shard-{:04}.unscatter", number);
}

Status write_layout(const Database& manifest, const std::string& workspace, const SigningKey& key,
                    const ShardLayout& layout) {
  const Signature signature = key.sign(layout_text(workspace, layout));
  return manifest.prepare("INSERT OR REPLACE INTO shards(only, slots, touched, signature) VALUES(1, ?, ?, ?)")
      .bind(1, static_cast<std::int64_t>(layout.partition.slots_per_part))
      .bind(2, blob_of_bytes(layout.touched))
      .bind(3, blob_of_bytes(signature.bytes))
      .run();
}

Result<ShardLayout> read_layout(const Database& manifest, const Identity& identity) {
  Statement statement = manifest.prepare("SELECT slots, touched, signature FROM shards WHERE only = 1");
  UNSCATTER_TRY(found, statement.step());
  if (!found) return damaged_shard("the manifest does not say which shards there are");
  UNSCATTER_TRY(slots, statement.integer(0));
  UNSCATTER_TRY(touched, statement.blob(1));
  UNSCATTER_TRY(signed_with, statement.blob(2));
  ShardLayout layout;
  Signature signature;
  const std::size_t count = touched.size() / sizeof(std::uint64_t);
  if (slots <= 0 || count == 0 || count > kMostShards || touched.size() % sizeof(std::uint64_t) != 0 ||
      signed_with.size() != signature.bytes.size()) {
    return damaged_shard("the manifest's list of shards is not what was written");
  }
  layout.partition = {count, static_cast<std::size_t>(slots)};
  layout.touched.resize(count);
  std::memcpy(layout.touched.data(), touched.data(), touched.size());
  std::memcpy(signature.bytes.data(), signed_with.data(), signed_with.size());
  if (!verify_signature(layout_text(identity.id, layout), signature, identity.signer)) {
    return damaged_shard("the manifest's list of shards is not signed by the key of the workspace");
  }
  return layout;
}

Status write_shard_identity(const Database& shard, const ShardIdentity& identity) {
  const Digest seal = identity_seal(identity);
  return shard.prepare("INSERT OR REPLACE INTO shard(only, workspace, number, touched, seal) VALUES(1, ?, ?, ?, ?)")
      .bind(1, std::string_view(identity.workspace))
      .bind(2, static_cast<std::int64_t>(identity.number))
      .bind(3, static_cast<std::int64_t>(identity.touched))
      .bind(4, blob_of_bytes(seal.bytes))
      .run();
}

Result<ShardIdentity> read_shard_identity(const Database& shard) {
  Statement statement = shard.prepare("SELECT workspace, number, touched, seal FROM shard WHERE only = 1");
  UNSCATTER_TRY(found, statement.step());
  if (!found) return damaged_shard("a shard does not say which one it is");
  ShardIdentity identity;
  UNSCATTER_TRY(workspace, statement.text(0));
  UNSCATTER_TRY(number, statement.integer(1));
  UNSCATTER_TRY(touched, statement.integer(2));
  UNSCATTER_TRY(seal, statement.blob(3));
  identity.workspace = std::move(workspace);
  identity.number = static_cast<std::uint64_t>(number);
  identity.touched = static_cast<std::uint64_t>(touched);
  if (!same_bytes(seal, identity_seal(identity))) return damaged_shard("what a shard says of itself was changed");
  return identity;
}

Status check_shard(const ShardIdentity& found, const std::string& workspace, std::size_t number, std::uint64_t touched,
                   const fs::path& path) {
  const auto wrong = [&](std::string what) {
    return Error{ErrorCode::kMalformedInput, fmt::format("{} {}", path.string(), what)};
  };
  if (found.workspace != workspace) {
    return wrong(fmt::format("is a shard of workspace {}, and the manifest is of workspace {}; put the right file back",
                             found.workspace, workspace));
  }
  if (found.number != number) {
    return wrong(
        fmt::format("is shard {} under the name of shard {}; give the files their names", found.number, number));
  }
  if (found.touched < touched) {
    return wrong(
        fmt::format("is an older copy: entry {} of the ledger changed this shard, and this file ends with entry "
                    "{}.  What was removed since is in it.  Put the present file back, or go back to a backup of "
                    "the whole folder",
                    touched, found.touched));
  }
  if (found.touched > touched) {
    return wrong(
        fmt::format("is newer than the manifest: entry {} changed this shard, and the manifest knows of entry "
                    "{}.  The manifest is an older copy; put the present one back, or go back to a backup of the "
                    "whole folder",
                    found.touched, touched));
  }
  return ok_status();
}

Result<std::vector<std::vector<std::byte>>> read_noted_rows(const Database& shard, const Database::NotedRows& rows) {
  // Far below what SQLite takes for one value, also with the largest graph.
  constexpr std::size_t kPieceBytes = std::size_t{1} << 24;
  std::vector<std::vector<std::byte>> pieces;
  for (const auto& [name, key] : rows) {
    for (std::size_t table = 0; table < kSlotTables.size(); ++table) {
      if (kSlotTables[table].name != name) continue;
      if (pieces.empty() || pieces.back().size() > kPieceBytes) pieces.emplace_back();
      UNSCATTER_CHECK_OK(put_row(shard, table, key, pieces.back()));
    }
  }
  return pieces;
}

Status write_prepared(const Database& shard, const PreparedChange& change) {
  Statement statement =
      shard.prepare("INSERT INTO prepared(piece, sequence, entry, changes, seal) VALUES(?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < change.pieces.size(); ++i) {
    const Digest seal = piece_seal(i, change);
    statement.bind(1, static_cast<std::int64_t>(i))
        .bind(2, static_cast<std::int64_t>(change.sequence))
        .bind(3, blob_of_bytes(change.entry.bytes))
        .bind(4, change.pieces[i])
        .bind(5, blob_of_bytes(seal.bytes));
    UNSCATTER_CHECK_OK(statement.run());
  }
  return ok_status();
}

Result<std::optional<PreparedChange>> read_prepared(const Database& shard) {
  std::optional<PreparedChange> change;
  std::vector<std::vector<std::byte>> seals;
  const Error not_as_written = damaged_shard("a prepared change is not what was written");
  Statement statement = shard.prepare("SELECT piece, sequence, entry, changes, seal FROM prepared ORDER BY piece");
  for (std::uint64_t expected = 0;; ++expected) {
    UNSCATTER_TRY(more, statement.step());
    if (!more) break;
    UNSCATTER_TRY(piece, statement.integer(0));
    UNSCATTER_TRY(sequence, statement.integer(1));
    UNSCATTER_TRY(entry, statement.blob(2));
    UNSCATTER_TRY(changes, statement.blob(3));
    UNSCATTER_TRY(seal, statement.blob(4));
    if (!change) {
      change.emplace();
      change->sequence = static_cast<std::uint64_t>(sequence);
      if (entry.size() == change->entry.bytes.size()) {
        std::memcpy(change->entry.bytes.data(), entry.data(), entry.size());
      }
    }
    const bool holds = static_cast<std::uint64_t>(piece) == expected &&
                       static_cast<std::uint64_t>(sequence) == change->sequence && same_bytes(entry, change->entry);
    if (!holds) return not_as_written;
    change->pieces.push_back(std::move(changes));
    seals.push_back(std::move(seal));
  }
  // A seal knows how many pieces there are.
  for (std::size_t i = 0; i < seals.size(); ++i) {
    if (!same_bytes(seals[i], piece_seal(i, *change))) return not_as_written;
  }
  return change;
}

Status finish_prepared(const Database& shard, const PreparedChange& change) {
  UNSCATTER_TRY(transaction, Transaction::begin(shard));
  for (const std::vector<std::byte>& piece : change.pieces) {
    for (Bytes bytes(piece); !bytes.done();) UNSCATTER_CHECK_OK(apply_row(shard, bytes));
  }
  UNSCATTER_TRY(identity, read_shard_identity(shard));
  identity.touched = change.sequence;
  UNSCATTER_CHECK_OK(write_shard_identity(shard, identity));
  UNSCATTER_CHECK_OK(shard.run("DELETE FROM prepared"));
  return transaction.commit();
}

Status undo_prepared(const Database& shard) {
  UNSCATTER_TRY(transaction, Transaction::begin(shard));
  UNSCATTER_CHECK_OK(shard.run("DELETE FROM prepared"));
  return transaction.commit();
}

}  // namespace unscatter
