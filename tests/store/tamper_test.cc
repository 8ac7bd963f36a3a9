// Damage at random places of the file.  What this shows: every changed byte of the ledger, the receipts and the model
// is noticed, and no damage anywhere is half used.  What it does not show: that a byte outside of all records is
// noticed; SQLite keeps counters and unused bytes that nobody reads.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "store/contents.h"
#include "store/sample_workspace.h"
#include "store/stored_graph.h"
#include "store/tables.h"
#include "support/sanitized.h"
#include "unscatter/base/random.h"
#include "unscatter/store/request_queue.h"

namespace unscatter {
namespace {

using testing::SampleWorkspace;

// How many bytes of records are changed.  The slow test `tamper.*` asks for ten thousand, which take a minute.
std::size_t record_flips() {
  const char* asked = std::getenv("UNSCATTER_FLIPS");
  if (asked != nullptr) return std::stoul(asked);
  return testing::kSanitized ? 300 : 1000;
}

// How many bytes anywhere in the file.
std::size_t file_flips() { return std::max<std::size_t>(200, record_flips() / 5); }

std::string as_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
template <std::size_t kSize>
std::string as_text(const std::array<std::uint8_t, kSize>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Slots of the workspace that fill_all() makes.
constexpr std::size_t kFirstAdded = 14;
constexpr std::size_t kCorrectedSlot = 4;

// What came later has names of its own, so that hits on it are counted apart.
std::string graph_name(std::string_view what, std::size_t slot) {
  const char* which = slot >= kFirstAdded ? " that was added" : slot == kCorrectedSlot ? " that was corrected" : "";
  return fmt::format("{}{}", what, which);
}
std::string entry_name(std::string_view what, const LedgerRow& row) {
  const EntryKind kind = parse_ledger_text(row.body).value().kind;
  const char* which = kind == EntryKind::kAdded       ? " of an addition"
                      : kind == EntryKind::kCorrected ? " of corrections"
                                                      : "";
  return fmt::format("{}{}", what, which);
}

// Of the queue of requests: columns that lie one behind the other, together.
void add_queue_fields(const Database& database, std::multimap<std::string, std::string>& fields) {
  const auto add = [&](const char* name, const char* sql) {
    Statement statement = database.prepare(sql);
    while (statement.step().value()) fields.emplace(name, as_text(statement.blob(0).value()));
  };
  add("queue request", "SELECT CAST(details || coalesce(text, '') || seal AS BLOB) FROM queue_requests");
  add("queue id", "SELECT id FROM queue_requests");
  add("queue day", "SELECT CAST(counts || seal AS BLOB) FROM queue_days");
  add("queue event", "SELECT CAST(content || seal AS BLOB) FROM queue_events");
  add("queue key", "SELECT CAST(key || body AS BLOB) FROM queue_keys");
  add("queue key", "SELECT CAST(requests || seal AS BLOB) FROM queue_keys");
  add("queue policy", "SELECT CAST(policy AS BLOB) FROM queue_summary");
  add("queue summary", "SELECT CAST(digest || signature AS BLOB) FROM queue_summary");
  add("queue text keys", "SELECT keys FROM queue_text_keys");
}

// What is stored, field by field, under the name of its kind.
std::multimap<std::string, std::string> stored_fields(const SampleWorkspace& sample) {
  std::multimap<std::string, std::string> fields;
  sample.edit([&](const Database& database) {
    ASSERT_TRUE(visit_entries(database, [&](std::size_t sequence, const LedgerRow& row) -> Status {
                  fields.emplace(entry_name("ledger body", row), row.body);
                  fields.emplace("ledger hash", as_text(row.hash.bytes));
                  fields.emplace("ledger signature", as_text(row.signature.bytes));
                  const std::vector<Salt> salts = read_salts(database, sequence).value();
                  if (!salts.empty()) fields.emplace("salts", as_text(salts[0].bytes));
                  const Result<std::string> receipt = read_receipt(database, sequence);
                  if (receipt.ok()) fields.emplace(entry_name("receipt", row), *receipt);
                  return ok_status();
                }).ok());
    const ModelRow model = read_model(database).value();
    fields.emplace("weights", as_text(model.weights));
    fields.emplace("residuals", as_text(model.residuals));
    fields.emplace("details", model.details);
    fields.emplace("model salt", as_text(model.salt.bytes));
    const Contents contents = read_contents(WorkspaceTables(database)).value();
    const auto published = read_published(database, weight_rows(contents), class_count(contents)).value();
    ASSERT_TRUE(published.has_value());
    fields.emplace("published weights", as_text(to_blob(published->weights)));
    fields.emplace("published details", published_text(*published));
    const std::vector<ListRow> lists = read_lists(database).value();
    for (const ListRow& row : lists) fields.emplace("list", as_text(row.done.bytes));
    const auto add_all = [&](const char* name, const char* sql) {
      Statement statement = database.prepare(sql);
      while (statement.step().value()) {
        const std::string field = as_text(statement.blob(0).value());
        // A bucket without an id has nothing to change.
        if (field.size() >= 16) fields.emplace(name, field);
      }
    };
    Statement rows = database.prepare("SELECT slot, content FROM embeddings");
    while (rows.step().value()) {
      const auto slot = static_cast<std::size_t>(rows.integer(0).value());
      fields.emplace(graph_name("row of a graph", slot), as_text(rows.blob(1).value()));
    }
    add_all("members", "SELECT entries FROM members");
    add_all("tree", "SELECT digests FROM tree");
    add_all("curvature", "SELECT content FROM curvature");
    // As they stand in a row: who, when (4 bytes, the first one first), and the seal.
    Statement date = database.prepare("SELECT subject, due, seal FROM expiry");
    while (date.step().value()) {
      std::string row = as_text(date.blob(0).value());
      const auto due = static_cast<std::uint32_t>(date.integer(1).value());
      for (const unsigned shift : {24u, 16u, 8u, 0u}) row.push_back(static_cast<char>(due >> shift));
      fields.emplace("due date", row + as_text(date.blob(2).value()));
    }
    Statement summary = database.prepare("SELECT digest, signature FROM expiry_summary");
    ASSERT_TRUE(summary.step().value());
    fields.emplace("summary of due dates", as_text(summary.blob(0).value()));
    fields.emplace("signature of due dates", as_text(summary.blob(1).value()));
    add_queue_fields(database, fields);
    ASSERT_TRUE(visit_graphs(WorkspaceTables(database), [&](std::size_t slot, const GraphRow& row) {
                  if (!row.present) return ok_status();
                  fields.emplace(graph_name("graph", slot), as_text(row.content));
                  fields.emplace("graph salt", as_text(row.salt.bytes));
                  return ok_status();
                }).ok());
  });
  return fields;
}

// Where a field lies in the file.  A long one goes on in overflow pages: it is followed from the longest beginning that
// is found, piece by piece; what is left over at the end of a page may be short.
std::vector<std::size_t> places_of(const std::string& field, const std::string& file) {
  std::vector<std::size_t> places;
  for (std::size_t done = 0; done < field.size();) {
    std::size_t best_start = 0;
    std::size_t best_length = 0;
    for (std::size_t at = 0; at < file.size(); ++at) {
      std::size_t length = 0;
      while (done + length < field.size() && at + length < file.size() && file[at + length] == field[done + length])
        ++length;
      if (length > best_length) {
        best_start = at;
        best_length = length;
      }
    }
    if (best_length < 8) return {};  // found by chance
    for (std::size_t i = 0; i < best_length; ++i) places.push_back(best_start + i);
    done += best_length;
  }
  return places;
}

// Graphs and subjects with due dates, some of which stay after fill().
WorkspaceSetup dated_sample() {
  testing::SampleChoice choice;
  choice.options.noise_stddev = 1e3;  // a limit under which curvature is kept
  WorkspaceSetup setup = testing::sample_setup(1, choice, kFirstAdded);
  setup.dataset.due.graphs.assign(setup.dataset.size(), std::nullopt);
  setup.dataset.due.graphs[2] = setup.dataset.due.graphs[3] = 1'803'859'200;
  setup.dataset.due.subjects = {{"u0", 1'803'859'201}, {"u4", 1'803'859'202}};
  return setup;
}

// Requests that are open, done, already absent and cancelled, with events and a key of idempotency.
void fill_queue(Workspace& workspace) {
  RequestQueue queue = RequestQueue::open(workspace).value();
  QueuePolicy policy;
  policy.events = true;
  ASSERT_TRUE(queue.set_policy(policy).ok());
  const Submission first{{ForgetFeatures{7u, 0u}, ForgetSubject{"nobody"}}, "token-1", "key", "body"};
  ASSERT_EQ(queue.submit(first).value().ids.size(), 2u);
  ASSERT_EQ(queue.process().value().done.size(), 1u);
  const Submission second{{ForgetSubject{"u4"}, ForgetGraph{9u}, ForgetSubject{"u0"}}, "token-2"};
  const std::vector<RequestId> ids = queue.submit(second).value().ids;
  ASSERT_TRUE(queue.cancel(ids[0], "token-3").ok());
  ASSERT_TRUE(queue.extend(ids[1], "token-3", RequestNote::kComplex).ok());
}

// A workspace with everything that a file can hold.  Its last entry is a release.
void fill_all(const SampleWorkspace& sample) {
  sample.fill();
  std::optional<Workspace> opened = sample.open();
  Workspace& workspace = *opened;
  const std::vector<RemovalRequest> list = {ForgetNode{5u, 0u}};
  ASSERT_TRUE(workspace.forget_list(list, {.keep_salts = true}).ok());
  ASSERT_TRUE(workspace.renew().ok());
  Dataset more = testing::sample_setup(2, {}, 2).dataset;
  more.due.graphs = {std::nullopt, 1'803'859'203};
  ASSERT_TRUE(workspace.add(std::move(more), {.keep_salts = true}).ok());
  const std::vector<Correction> corrections = {SetFeatures{kCorrectedSlot, 0u, std::vector<double>{0.5, 0.25}}};
  ASSERT_TRUE(workspace.correct(corrections, {.keep_salts = true}).ok());
  fill_queue(workspace);
  // A process that has just started leaves curvature to the next one.
  opened.reset();
  opened = sample.open();
  const std::vector<RemovalRequest> last = {ForgetFeatures{8u, 0u}};
  ASSERT_TRUE(opened->forget(last).ok());
  ASSERT_TRUE(opened->release().ok());
}

bool verified(const SampleWorkspace& sample) {
  const Result<Verification> verification = verify_workspace(sample.path(), {}, {.threads = 1});
  return verification.ok() && verification->passed;
}

bool sound(const SampleWorkspace& sample) {
  const Result<Verification> found = check_workspace(sample.path(), {});
  return found.ok() && found->passed;
}

// A stored field, and where its bytes lie in the file.
using Field = std::pair<std::string, std::vector<std::size_t>>;
std::vector<Field> fields_in(const SampleWorkspace& sample, const std::string& file) {
  std::vector<Field> found;
  for (const auto& [name, field] : stored_fields(sample)) {
    found.emplace_back(name, places_of(field, file));
    EXPECT_EQ(found.back().second.size(), field.size()) << name;
  }
  return found;
}

TEST(Tamper, EveryChangedByteOfARecordIsNoticed) {
  const SampleWorkspace sample(dated_sample());
  fill_all(sample);
  const std::string good = sample.bytes();
  const std::vector<Field> targets = fields_in(sample, good);
  ASSERT_FALSE(HasFailure());
  ASSERT_EQ(sample.bytes(), good);
  ASSERT_TRUE(verified(sample));
  Sequence random(11);
  std::map<std::string, std::size_t> trials;
  std::size_t left_to_verify = 0;
  const std::size_t flips = record_flips();
  for (std::size_t trial = 0; trial < flips; ++trial) {
    // Every field once, then at random.
    const auto& [name, places] = targets[trial < targets.size() ? trial : random.below(targets.size())];
    const std::size_t place = places[random.below(places.size())];
    std::string changed = good;
    const int mask = random.chance(0.5) ? 1 << random.below(8) : static_cast<int>(1 + random.below(255));
    changed[place] = static_cast<char>(changed[place] ^ mask);
    sample.replace(changed);
    ASSERT_FALSE(verified(sample)) << name << ", byte " << place << ", xor " << mask;
    ++trials[name];
    // A quick check sees all but what it leaves to verify: receipts, and signatures of entries before the last one.
    if (trial >= targets.size() && trial % 4 != 0) continue;
    if (!name.starts_with("receipt") && name != "ledger signature") {
      ASSERT_FALSE(sound(sample)) << name << ", byte " << place << ", xor " << mask;
    } else if (sound(sample)) {
      ++left_to_verify;
    }
  }
  EXPECT_GT(left_to_verify, 0u) << "a check that calls everything unsound would have passed";
  EXPECT_EQ(trials.size(), 37u);
  for (const auto& [name, count] : trials) EXPECT_GT(count, 0u) << name;
  std::cout << flips << " changed bytes of records, all noticed\n";
}

// All that a reader can get out of the queue.
Result<Digest> queue_digest(Workspace& workspace) {
  UNSCATTER_TRY(queue, RequestQueue::open(workspace));
  UNSCATTER_TRY(finished, queue.finished({}));
  UNSCATTER_TRY(events, queue.due_events(std::numeric_limits<std::int64_t>::max(), 1000));
  Hasher hasher;
  const auto add = [&](const QueuedRequest& request) {
    hasher.add(request.id.hex()).add(request.text).add(request_state_name(request.state));
    hasher.add(static_cast<std::uint64_t>(request.due)).add(static_cast<std::uint64_t>(request.history.size()));
  };
  for (const auto& request : queue.view()->open) add(*request);
  for (const QueuedRequest& request : finished.requests) add(request);
  for (const QueueEvent& event : events) hasher.add(event.number).add(event.request.hex());
  return hasher.finish();
}

// All that a reader can get out of a workspace.
Result<Digest> everything_read(const SampleWorkspace& sample) {
  UNSCATTER_TRY(workspace, Workspace::open(sample.path(), sample.how));
  Hasher hasher;
  UNSCATTER_TRY(replay, workspace.replay_digest());
  UNSCATTER_TRY(state, workspace.state_digest());
  hasher.add(replay.hex())
      .add(state.hex())
      .add(workspace.info().head.hex())
      .add(workspace.info().id)
      .add(workspace.info().created);
  for (std::size_t i = 0; i < workspace.info().entries; ++i) {
    const Result<Receipt> receipt = workspace.receipt(i);  // the head, above, pins the entries themselves
    if (!receipt.ok() && receipt.error().code != ErrorCode::kNotFound) return receipt.error();
    hasher.add(receipt.ok() ? receipt_text(*receipt) : "none");
  }
  UNSCATTER_TRY(dates, workspace.due(std::numeric_limits<std::int64_t>::max()));
  for (const DueDate& date : dates) hasher.add(describe(date.what)).add(static_cast<std::uint64_t>(date.due));
  UNSCATTER_TRY(there, queue_digest(workspace));
  hasher.add(there.hex());
  UNSCATTER_TRY(published, workspace.release());
  hasher.add_bytes(to_blob(published.weights)).add(published_text(published));
  return hasher.finish();
}

struct DamageCounts {
  std::size_t refused = 0;
  std::size_t noticed = 0;  // opened, but verify() tells
  std::size_t unread = 0;   // a byte that nobody reads: what is read is the same
};

// Either it is told, or everything is as it was.  Returns whether it was told.
bool told_or_same(const SampleWorkspace& sample, const std::string& damaged, const Digest& original,
                  const std::string& what, DamageCounts& counts) {
  sample.replace(damaged);
  if (!verified(sample)) {
    const Result<Workspace> opened = Workspace::open(sample.path(), sample.how);
    ++(opened.ok() ? counts.noticed : counts.refused);
    return true;
  }
  const Result<Digest> read = everything_read(sample);
  EXPECT_TRUE(read.ok()) << what << ": verified, but cannot be used: " << read.error().message;
  EXPECT_TRUE(read.ok() && *read == original) << what << ": something else is read, and verified";
  ++counts.unread;
  return false;
}

TEST(Tamper, AnyByteOfTheFileIsToldOrHarmless) {
  const SampleWorkspace sample(dated_sample());
  fill_all(sample);
  const std::string good = sample.bytes();
  std::map<std::size_t, std::string> owners;  // of bytes
  for (const auto& [name, places] : fields_in(sample, good)) {
    for (const std::size_t place : places) owners.emplace(place, name);
  }
  const Digest original = everything_read(sample).value();
  ASSERT_EQ(sample.bytes(), good);
  std::map<std::string, std::size_t> hits;
  constexpr std::size_t kHeader = 100;
  Sequence random(13);
  DamageCounts counts;
  const std::size_t flips = file_flips();
  for (std::size_t trial = 0; trial < flips; ++trial) {
    // The header, which says what the file is, more often than its share, and zeros, most of the file, less often.
    std::size_t place = random.chance(0.2) ? random.below(200) : random.below(good.size());
    while (place >= 200 && good[place] == 0 && random.chance(0.8)) place = random.below(good.size());
    const int mask = static_cast<int>(1 + random.below(255));
    std::string damaged = good;
    damaged[place] = static_cast<char>(damaged[place] ^ mask);
    const std::string what = fmt::format("byte {} xor {}", place, mask);
    // Not told: counters in SQLite's header, and bytes between records, all zero, which no record owns.
    if (!told_or_same(sample, damaged, original, what, counts)) {
      EXPECT_TRUE(place < kHeader || good[place] == 0) << what;
    }
    if (HasFailure()) return;
    if (const auto owner = owners.find(place); owner != owners.end()) ++hits[owner->second];
  }
  // With so many, chance alone leads to everything that came with the living workspace.
  constexpr std::size_t kMany = 2000;
  for (const std::string_view part :
       {"row of a graph", "curvature", "members", "tree", "due date", "add", "correct", "queue"}) {
    if (flips < kMany) break;
    std::size_t count = 0;
    for (const auto& [name, here] : hits) count += name.find(part) == std::string::npos ? 0 : here;
    EXPECT_GT(count, 0u) << part;
  }
  std::cout << flips << " changed bytes: " << counts.refused << " refused, " << counts.noticed << " noticed by verify, "
            << counts.unread << " unread\n";
  EXPECT_GT(counts.refused, flips / 10);
}

TEST(Tamper, ATruncatedFileIsToldWhereverItEnds) {
  const SampleWorkspace sample(dated_sample());
  sample.fill();
  const std::string good = sample.bytes();
  const Digest original = everything_read(sample).value();
  std::vector<std::size_t> ends = {0, 1, 16, 99, 100, 511, 512};
  for (std::size_t end = 4096; end < good.size(); end += 4096) ends.push_back(end);
  Sequence random(17);
  for (std::size_t i = 0; i < 60; ++i) ends.push_back(random.below(good.size()));
  DamageCounts counts;
  for (const std::size_t end : ends) {
    static_cast<void>(told_or_same(sample, good.substr(0, end), original, fmt::format("cut at {}", end), counts));
  }
  // Within the last page only bytes may be lost that are not used.
  EXPECT_LE(counts.unread, static_cast<std::size_t>(std::count_if(
                               ends.begin(), ends.end(), [&](std::size_t end) { return end > good.size() - 4096; })));
  // Bytes after the end are nobody's.
  static_cast<void>(told_or_same(sample, good + std::string(5000, 'x'), original, "longer", counts));
}

}  // namespace
}  // namespace unscatter
