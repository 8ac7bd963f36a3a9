#include "store/tables.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/testing/seeded_random.h"
#include "store/sample_workspace.h"
#include "store/schema.h"

namespace unscatter {
namespace {

class Tables : public ::testing::Test {
 protected:
  Tables() : database_(create_database(folder_.path() / "tables", std::chrono::milliseconds(0)).value()) {
    EXPECT_TRUE(create_tables(database_).ok());
  }
  void run(const std::string& sql) const { ASSERT_TRUE(database_.run(sql).ok()) << sql; }

  testing::TemporaryFolder folder_{testing::memory_folder()};
  Database database_;
  testing::SeededRandom random_{1};
};

// What every damaged row is told as.
template <typename T>
void expect_damaged(const Result<T>& result, const std::string& part) {
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kMalformedInput);
  EXPECT_NE(result.error().message.find("damaged"), std::string::npos) << result.error().message;
  EXPECT_NE(result.error().message.find(part), std::string::npos) << result.error().message;
}

TEST_F(Tables, IdentityIsSealed) {
  expect_damaged(read_identity(database_), "who it is");
  const Identity identity{std::string(32, 'a'), "2026-01-31T23:59:59Z", testing::sample_key()->public_key(), "{}",
                          Salt::random(random_)};
  ASSERT_TRUE(write_identity(database_, identity).ok());
  const Identity read = read_identity(database_).value();
  EXPECT_EQ(read.id, identity.id);
  EXPECT_EQ(read.created, identity.created);
  EXPECT_EQ(read.signer, identity.signer);
  EXPECT_EQ(read.constants, identity.constants);
  EXPECT_EQ(read.list_key, identity.list_key);
  EXPECT_EQ(constants_digest(read), constants_digest(identity));
  for (const char* column : {"id", "created", "constants"}) {
    run(fmt::format("SAVEPOINT s; UPDATE workspace SET {} = {} || 'x'", column, column));
    expect_damaged(read_identity(database_), "not what was written");
    run("ROLLBACK TO s; RELEASE s");
  }
  for (const char* column : {"signer", "list_key", "seal"}) {
    run(fmt::format("SAVEPOINT s; UPDATE workspace SET {} = zeroblob(32)", column));
    expect_damaged(read_identity(database_), "not what was written");
    run("ROLLBACK TO s; RELEASE s");
  }
  EXPECT_TRUE(read_identity(database_).ok());
}

// The digest that every entry repeats covers all but the key of lists, which nobody outside needs.
TEST_F(Tables, ConstantsDigestCoversTheConstants) {
  const Identity identity{"a", "b", testing::sample_key()->public_key(), "c", {}};
  const Digest digest = constants_digest(identity);
  for (const auto change : {+[](Identity& i) { i.id = "x"; }, +[](Identity& i) { i.created = "x"; },
                            +[](Identity& i) { i.constants = "x"; }, +[](Identity& i) { i.signer = {}; }}) {
    Identity other = identity;
    change(other);
    EXPECT_NE(constants_digest(other), digest);
  }
}

TEST_F(Tables, EntriesAreSignedUnderTheirHash) {
  LedgerRecord record;
  const auto key = testing::sample_key();
  const LedgerRow row = make_entry(record, *key);
  EXPECT_EQ(row.hash, entry_hash(row.body));
  EXPECT_TRUE(is_signed(row, key->public_key()));
  EXPECT_FALSE(is_signed(row, testing::sample_key(2)->public_key()));
  LedgerRow other = row;
  other.hash.bytes[0] ^= 1;
  EXPECT_FALSE(is_signed(other, key->public_key()));
  // The bare hash is not what is signed: a signature on something else with these bytes proves nothing here.
  other = row;
  other.signature = key->sign(row.hash.hex());
  EXPECT_FALSE(is_signed(other, key->public_key()));

  ASSERT_TRUE(append_entry(database_, 0, row).ok());
  EXPECT_FALSE(append_entry(database_, 0, row).ok());
  EXPECT_EQ(read_entry(database_, 0).value().body, row.body);
  EXPECT_EQ(read_entry(database_, 0).value().signature, row.signature);
  EXPECT_EQ(read_entry(database_, 1).error().code, ErrorCode::kNotFound);
  ASSERT_TRUE(append_entry(database_, 2, row).ok());
  const auto ignore = [](std::size_t, const LedgerRow&) { return ok_status(); };
  expect_damaged(visit_entries(database_, ignore), "entry 1 of the ledger is missing");
}

TEST_F(Tables, VisitingStopsAtTheFirstError) {
  const LedgerRow row = make_entry({}, *testing::sample_key());
  for (std::size_t i = 0; i < 3; ++i) ASSERT_TRUE(append_entry(database_, i, row).ok());
  std::size_t visited = 0;
  const Status status = visit_entries(database_, [&](std::size_t sequence, const LedgerRow&) -> Status {
    ++visited;
    if (sequence == 1) return Error{ErrorCode::kIo, "enough"};
    return ok_status();
  });
  EXPECT_EQ(status.error().message, "enough");
  EXPECT_EQ(visited, 2u);
}

TEST_F(Tables, ReceiptsAreWrittenOnce) {
  ASSERT_TRUE(write_receipt(database_, 3, "text").ok());
  EXPECT_FALSE(write_receipt(database_, 3, "other").ok());
  EXPECT_EQ(read_receipt(database_, 3).value(), "text");
  EXPECT_EQ(read_receipt(database_, 4).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(count_receipts(database_).value(), 1u);
}

TEST_F(Tables, SaltsAreSealedWithTheirEntry) {
  const std::vector<Salt> salts = {Salt::random(random_), Salt{}, Salt::random(random_)};
  ASSERT_TRUE(write_salts(database_, 5, salts).ok());
  std::vector<Salt> read;
  const auto visit = [&](std::size_t sequence, std::vector<Salt>& found) -> Status {
    EXPECT_EQ(sequence, 5u);
    read = found;
    return ok_status();
  };
  ASSERT_TRUE(visit_salts(database_, visit).ok());
  EXPECT_EQ(read, salts);
  run("SAVEPOINT s; UPDATE salts SET sequence = 6");
  expect_damaged(visit_salts(database_, visit), "the salts of entry 6");
  run("ROLLBACK TO s; RELEASE s");
  ASSERT_TRUE(erase_salts(database_, 4).ok());
  EXPECT_EQ(database_.integer("SELECT count(*) FROM salts").value(), 1);
  ASSERT_TRUE(erase_salts(database_, 5).ok());
  EXPECT_EQ(database_.integer("SELECT count(*) FROM salts").value(), 0);
}

TEST_F(Tables, ListsAreASetOfDigests) {
  const Digest one = entry_hash("one");
  const Digest two = entry_hash("two");
  const std::vector<EntryRun> runs = {{3, 5}, {9, 9}};
  ASSERT_TRUE(write_list(database_, {one, {{1, 1}}}).ok());
  ASSERT_TRUE(write_list(database_, {two, runs}).ok());
  ASSERT_TRUE(write_list(database_, {one, {{1, 2}}}).ok());
  EXPECT_EQ(read_lists(database_).value().size(), 2u);
  ASSERT_TRUE(erase_list(database_, one).ok());
  ASSERT_EQ(read_lists(database_).value().size(), 1u);
  EXPECT_EQ(read_lists(database_).value()[0].done, two);
  EXPECT_EQ(read_lists(database_).value()[0].entries, runs);
  run("SAVEPOINT s; UPDATE lists SET entries = zeroblob(32)");
  expect_damaged(read_lists(database_), "the record of a list");
  run("ROLLBACK TO s");
  run("UPDATE lists SET seal = x'00'");
  expect_damaged(read_lists(database_), "wrong length");
}

// A list that is not interrupted is one run, however long it is.
TEST_F(Tables, EntriesOfAListAreRuns) {
  std::vector<EntryRun> runs;
  for (const std::uint64_t entry : {4u, 5u, 6u, 9u, 10u}) runs = with_entry(std::move(runs), entry);
  EXPECT_EQ(runs, (std::vector<EntryRun>{{4, 6}, {9, 10}}));
}

TEST_F(Tables, ThePublishedModelIsSealed) {
  EXPECT_FALSE(read_published(database_, 2, 1).value().has_value());
  PublishedModel model;
  model.weights = Matrix::Constant(2, 1, 0.5);
  model.class_names = {"a", "b"};
  model.promise.assumptions = {"none"};
  ASSERT_TRUE(write_published(database_, model).ok());
  const PublishedModel read = read_published(database_, 2, 1).value().value();
  EXPECT_EQ(read.weights, model.weights);
  EXPECT_EQ(published_text(read), published_text(model));
  EXPECT_FALSE(read_published(database_, 3, 1).ok());
  run("SAVEPOINT s; UPDATE published SET weights = zeroblob(16)");
  expect_damaged(read_published(database_, 2, 1), "the published model");
  run("ROLLBACK TO s; RELEASE s");
  ASSERT_TRUE(erase_published(database_).ok());
  EXPECT_FALSE(read_published(database_, 2, 1).value().has_value());
}

TEST_F(Tables, TheModelIsOneRow) {
  expect_damaged(read_model(database_), "no model");
  ModelRow row;
  row.weights.resize(16, std::byte{1});
  row.residuals.resize(8, std::byte{2});
  row.details = "{}";
  row.salt = Salt::random(random_);
  ASSERT_TRUE(write_model(database_, row).ok());
  EXPECT_EQ(read_model(database_).value().digest(), row.digest());
  EXPECT_FALSE(read_model(database_).value().perturbation.has_value());
  row.perturbation = row.weights;
  ASSERT_TRUE(write_model(database_, row).ok());
  EXPECT_EQ(read_model(database_).value().digest(), row.digest());
  EXPECT_EQ(database_.integer("SELECT count(*) FROM model").value(), 1);
}

}  // namespace
}  // namespace unscatter
