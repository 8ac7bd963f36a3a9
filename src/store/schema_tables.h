// The texts of all tables of a workspace file (docs/workspace-format.md, "Tables").
#pragma once

#include <array>
#include <string_view>

namespace unscatter {

// Which tables come and go together: a file has all of a part or none.
enum class SchemaPart {
  kAlways,
  // What can be derived from the others, so that it need not be derived again.  Version 0.1 made none of it.
  kKept,
  // A file from before they came gets them when it is opened with its key.
  kDueDates,
  // A file gets them when a queue is opened on it for the first time.
  kQueue,
};

// Which files have a table (docs/workspace-format.md, "Sharded workspaces").
enum class Where {
  kMain,      // a workspace in one file, and a manifest
  kSlots,     // a workspace in one file, and a shard
  kManifest,  // a manifest only
  kShard,     // a shard only
};

struct Table {
  std::string_view name;
  std::string_view sql;
  SchemaPart part = SchemaPart::kAlways;
  std::string_view type = "table";
  Where where = Where::kMain;
};

// Format 1 did not know which entries a list had made.
inline constexpr std::string_view kListsOfFormat1 =
    "CREATE TABLE lists(done BLOB PRIMARY KEY, seal BLOB NOT NULL) STRICT, WITHOUT ROWID";
inline constexpr std::string_view kLists =
    "CREATE TABLE lists(done BLOB PRIMARY KEY, entries BLOB NOT NULL, seal BLOB NOT NULL) STRICT, WITHOUT ROWID";

// In alphabetical order.  The texts are compared with what the file says.  So a table with other types or one more
// column is not mistaken for ours.
inline constexpr std::array kTables = {
    Table{"curvature",
          "CREATE TABLE curvature(piece INTEGER PRIMARY KEY, content BLOB NOT NULL, seal INTEGER NOT NULL) STRICT",
          SchemaPart::kKept},
    Table{"embeddings",
          "CREATE TABLE embeddings(slot INTEGER PRIMARY KEY, content BLOB NOT NULL, seal INTEGER NOT NULL) STRICT",
          SchemaPart::kKept, "table", Where::kSlots},
    Table{"expiry",
          "CREATE TABLE expiry(slot INTEGER NOT NULL, subject BLOB NOT NULL, due INTEGER NOT NULL, seal BLOB NOT NULL, "
          "PRIMARY KEY(slot, subject)) STRICT, WITHOUT ROWID",
          SchemaPart::kDueDates},
    Table{"expiry_due", "CREATE INDEX expiry_due ON expiry(due)", SchemaPart::kDueDates, "index"},
    Table{"expiry_summary",
          "CREATE TABLE expiry_summary(only INTEGER PRIMARY KEY, rows INTEGER NOT NULL, digest BLOB NOT NULL, "
          "signature BLOB NOT NULL) STRICT",
          SchemaPart::kDueDates},
    Table{"graphs",
          "CREATE TABLE graphs(slot INTEGER PRIMARY KEY, number INTEGER NOT NULL, label INTEGER, graph_id BLOB, "
          "nodes_at_creation INTEGER, node_numbers BLOB, content BLOB, salt BLOB) STRICT",
          SchemaPart::kAlways, "table", Where::kSlots},
    Table{"ledger",
          "CREATE TABLE ledger(sequence INTEGER PRIMARY KEY, body TEXT NOT NULL, hash BLOB NOT NULL, "
          "signature BLOB NOT NULL) STRICT"},
    Table{"lists", kLists},
    Table{"members",
          "CREATE TABLE members(bucket INTEGER PRIMARY KEY, entries BLOB NOT NULL, seal BLOB NOT NULL) STRICT",
          SchemaPart::kKept, "table", Where::kSlots},
    Table{"model",
          "CREATE TABLE model(only INTEGER PRIMARY KEY, weights BLOB NOT NULL, residuals BLOB NOT NULL, perturbation "
          "BLOB, "
          "details TEXT NOT NULL, salt BLOB NOT NULL) STRICT"},
    Table{
        "prepared",
        "CREATE TABLE prepared(piece INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, entry BLOB NOT NULL, changes BLOB "
        "NOT NULL, seal BLOB NOT NULL) STRICT",
        SchemaPart::kAlways, "table", Where::kShard},
    Table{"published",
          "CREATE TABLE published(only INTEGER PRIMARY KEY, weights BLOB NOT NULL, details TEXT NOT NULL, seal BLOB "
          "NOT NULL) "
          "STRICT"},
    Table{"queue_days",
          "CREATE TABLE queue_days(day INTEGER PRIMARY KEY, counts BLOB NOT NULL, seal BLOB NOT NULL) STRICT",
          SchemaPart::kQueue},
    Table{"queue_events",
          "CREATE TABLE queue_events(number INTEGER PRIMARY KEY, next_attempt INTEGER NOT NULL, content BLOB NOT NULL, "
          "seal BLOB NOT NULL) STRICT",
          SchemaPart::kQueue},
    Table{"queue_events_next", "CREATE INDEX queue_events_next ON queue_events(next_attempt)", SchemaPart::kQueue,
          "index"},
    Table{
        "queue_keys",
        "CREATE TABLE queue_keys(key BLOB PRIMARY KEY, body BLOB NOT NULL, expires INTEGER NOT NULL, requests BLOB NOT "
        "NULL, seal BLOB NOT NULL) STRICT, WITHOUT ROWID",
        SchemaPart::kQueue},
    Table{"queue_keys_expires", "CREATE INDEX queue_keys_expires ON queue_keys(expires)", SchemaPart::kQueue, "index"},
    Table{"queue_requests",
          "CREATE TABLE queue_requests(number INTEGER PRIMARY KEY, id BLOB NOT NULL, state INTEGER NOT NULL, finished "
          "INTEGER, details TEXT NOT NULL, text BLOB, seal BLOB NOT NULL) STRICT",
          SchemaPart::kQueue},
    Table{"queue_requests_finished",
          "CREATE INDEX queue_requests_finished ON queue_requests(finished) WHERE finished IS NOT NULL",
          SchemaPart::kQueue, "index"},
    Table{"queue_requests_id", "CREATE UNIQUE INDEX queue_requests_id ON queue_requests(id)", SchemaPart::kQueue,
          "index"},
    Table{"queue_requests_state",
          "CREATE INDEX queue_requests_state ON queue_requests(state) WHERE finished IS NOT NULL", SchemaPart::kQueue,
          "index"},
    Table{"queue_summary",
          "CREATE TABLE queue_summary(only INTEGER PRIMARY KEY, policy TEXT NOT NULL, next_request INTEGER NOT NULL, "
          "next_event INTEGER NOT NULL, rows INTEGER NOT NULL, digest BLOB NOT NULL, signature BLOB NOT NULL) STRICT",
          SchemaPart::kQueue},
    Table{"queue_text_keys", "CREATE TABLE queue_text_keys(block INTEGER PRIMARY KEY, keys BLOB NOT NULL) STRICT",
          SchemaPart::kQueue},
    Table{"receipts", "CREATE TABLE receipts(sequence INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT"},
    Table{"salts", "CREATE TABLE salts(sequence INTEGER PRIMARY KEY, salts BLOB NOT NULL, seal BLOB NOT NULL) STRICT"},
    Table{"shard",
          "CREATE TABLE shard(only INTEGER PRIMARY KEY, workspace TEXT NOT NULL, number INTEGER NOT NULL, touched "
          "INTEGER "
          "NOT NULL, seal BLOB NOT NULL) STRICT",
          SchemaPart::kAlways, "table", Where::kShard},
    Table{"shards",
          "CREATE TABLE shards(only INTEGER PRIMARY KEY, slots INTEGER NOT NULL, touched BLOB NOT NULL, signature BLOB "
          "NOT NULL) STRICT",
          SchemaPart::kAlways, "table", Where::kManifest},
    Table{"tree", "CREATE TABLE tree(part INTEGER PRIMARY KEY, digests BLOB NOT NULL) STRICT", SchemaPart::kKept},
    Table{"workspace",
          "CREATE TABLE workspace(only INTEGER PRIMARY KEY, id TEXT NOT NULL, created TEXT NOT NULL, signer BLOB NOT "
          "NULL, "
          "constants TEXT NOT NULL, list_key BLOB NOT NULL, seal BLOB NOT NULL) STRICT"},
};

}  // namespace unscatter
