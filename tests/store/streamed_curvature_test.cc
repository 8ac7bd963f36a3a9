// Curvature from rows in the file: the same as from rows in memory, and damage is noticed.
#include "store/streamed_curvature.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <vector>

#include "learn/fast_factor.h"
#include "linalg/row_products.h"
#include "store/schema.h"
#include "store/stored_rows.h"
#include "support/random_rows.h"
#include "support/temporary_folder.h"

namespace unscatter {
namespace {

// Rows of random graphs in a file.  Some slots are empty, whole leaves of them and the last one included.
class RowsInAFile {
 public:
  explicit RowsInAFile(std::size_t slots, const Loss& loss = Loss::logistic())
      : loss_(loss),
        database(create_database(folder_.path() / "rows", std::chrono::seconds(1)).value()),
        data(testing::random_rows(1, {.rows = slots, .columns = 5, .classes = 2})),
        weights(testing::random_matrix(2, 5, 2)) {
    EXPECT_TRUE(create_tables(database).ok());
    std::vector<Digest> leaves;
    for (std::size_t slot = 0; slot < slots; ++slot) leaves.push_back(Hasher().add(std::uint64_t{slot}).finish());
    tree = StoredTree(leaves);
    const Transaction transaction = fill(leaves);
    static_cast<void>(transaction);
  }

  [[nodiscard]] Result<KeptCurvature> streamed(std::size_t threads) const {
    SessionOptions options;
    options.loss = loss_;
    options.threads = threads;
    return curvature_of_rows(WorkspaceTables(database), tree, graphs, weights, options);
  }
  [[nodiscard]] KeptCurvature in_memory() const {
    const Objective objective(data.rows, data.labels, 2, loss_, ridge_of(SessionOptions(), graphs));
    return FastFactor::anchor(objective, weights).value().numbers();
  }

 private:
  Loss loss_;
  testing::TemporaryFolder folder_{testing::memory_folder()};

 public:
  Database database;
  testing::LabelledRows data;
  Matrix weights;
  std::size_t graphs = 0;
  StoredTree tree;

 private:
  Transaction fill(const std::vector<Digest>& leaves) {
    Transaction transaction = Transaction::begin(database).value();
    const std::size_t slots = leaves.size();
    for (std::size_t slot = 0; slot < slots; ++slot) {
      const bool empty = slot % 11 == 5 || (slot >= 256 && slot < 700) || slot + 1 == slots;
      if (empty) {
        data.rows.set_row(slot, {});
        continue;
      }
      EXPECT_TRUE(
          write_row(WorkspaceTables(database), slot, data.rows.row(slot), data.labels[slot], leaves[slot]).ok());
      ++graphs;
    }
    EXPECT_TRUE(tree.write(database).ok());
    EXPECT_TRUE(transaction.commit().ok());
    EXPECT_TRUE(database.empty_log().ok());
    return transaction;
  }
};

void expect_same_curvature(const KeptCurvature& one, const KeptCurvature& other) {
  EXPECT_EQ(one.anchor, other.anchor);
  EXPECT_EQ(one.square, other.square);
  EXPECT_EQ(one.hessians, other.hessians);
  EXPECT_EQ(one.ridge, other.ridge);
  EXPECT_EQ(one.spectral_square, other.spectral_square);
  EXPECT_EQ(one.frobenius_square, other.frobenius_square);
  EXPECT_EQ(one.row_norm, other.row_norm);
  EXPECT_EQ(one.roundings, other.roundings);
}

TEST(StreamedCurvature, IsThatOfRowsInMemoryBitForBit) {
  for (const Loss& loss : {Loss::logistic(), Loss::squared()}) {
    SCOPED_TRACE(loss.describe());
    for (const std::size_t slots : {std::size_t{1000}, std::size_t{1024}, 2 * kSquarePartRows + 77}) {
      SCOPED_TRACE(slots);
      const RowsInAFile file(slots, loss);
      const KeptCurvature expected = file.in_memory();
      for (const std::size_t threads : {1u, 2u, 5u}) {
        SCOPED_TRACE(threads);
        const Result<KeptCurvature> found = file.streamed(threads);
        ASSERT_TRUE(found.ok()) << found.error().message;
        expect_same_curvature(*found, expected);
      }
    }
  }
}

// Lets the process open no file more than it has open now.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const int next = ::dup(STDERR_FILENO);  // the lowest number that is free
    ::close(next);
    rlimit none = before_;
    none.rlim_cur = static_cast<rlim_t>(next);
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoMoreFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreFiles(const NoMoreFiles&) = delete;
  NoMoreFiles& operator=(const NoMoreFiles&) = delete;

 private:
  rlimit before_{};
};

// Many threads and many shards are more files than a process may have open as a rule.
TEST(StreamedCurvature, WhereNoMoreFilesCanBeOpenedOneThreadReads) {
  const RowsInAFile file(1000);
  const KeptCurvature expected = file.in_memory();
  const NoMoreFiles limit;
  const Result<KeptCurvature> found = file.streamed(2);
  ASSERT_TRUE(found.ok()) << found.error().message;
  expect_same_curvature(*found, expected);
}

// Rows that were committed and are still in the log are seen all the same.
TEST(StreamedCurvature, SeesWhatIsInTheLog) {
  const RowsInAFile file(2 * kSquarePartRows + 77);
  const KeptCurvature before = file.streamed(2).value();
  const std::size_t slot = 3;
  BlockRow row = file.data.rows.row(slot);
  row.values.front() += 1;
  const Digest leaf = file.tree.stored_leaves(file.database).value()[slot];
  ASSERT_TRUE(write_row(WorkspaceTables(file.database), slot, row, file.data.labels[slot], leaf).ok());
  EXPECT_FALSE(file.database.beside().value().has_value());
  const KeptCurvature with_log = file.streamed(2).value();
  EXPECT_NE(with_log.square, before.square);
  ASSERT_TRUE(file.database.empty_log().ok());
  EXPECT_TRUE(file.database.beside().value().has_value());
  expect_same_curvature(file.streamed(2).value(), with_log);
}

TEST(StreamedCurvature, DamageIsNoticedInEveryPart) {
  const std::size_t slots = 2 * kSquarePartRows + 77;
  const RowsInAFile file(slots);
  ASSERT_TRUE(file.streamed(2).ok());
  for (const std::size_t slot : {std::size_t{0}, kSquarePartRows - 1, kSquarePartRows, slots - 3}) {
    for (const std::string damage :
         {"UPDATE embeddings SET content = CAST(substr(content, 1, 17) || x'41' || substr(content, 19) AS BLOB)",
          "UPDATE embeddings SET seal = seal + 1", "DELETE FROM embeddings"}) {
      SCOPED_TRACE(damage);
      SCOPED_TRACE(slot);
      const std::string undo =
          "CREATE TEMP TABLE old AS SELECT * FROM main.embeddings WHERE slot = " + std::to_string(slot);
      ASSERT_TRUE(file.database.run(undo).ok());
      ASSERT_TRUE(file.database.run(damage + " WHERE slot = " + std::to_string(slot)).ok());
      ASSERT_TRUE(file.database.empty_log().ok());
      for (const std::size_t threads : {1u, 2u}) {
        const Result<KeptCurvature> found = file.streamed(threads);
        ASSERT_FALSE(found.ok());
        EXPECT_EQ(found.error().code, ErrorCode::kMalformedInput);
      }
      ASSERT_TRUE(
          file.database.run("INSERT OR REPLACE INTO main.embeddings SELECT * FROM temp.old; DROP TABLE temp.old").ok());
      ASSERT_TRUE(file.database.empty_log().ok());
    }
  }
  EXPECT_TRUE(file.streamed(2).ok());
  // A row of a slot that cannot be.
  ASSERT_TRUE(file.database.run("UPDATE embeddings SET slot = 99999999 WHERE slot = 1").ok());
  EXPECT_FALSE(file.streamed(2).ok());
}

// The other connections take nothing away from the first one, which goes on to write.
TEST(StreamedCurvature, TheFileStaysLocked) {
  const RowsInAFile file(2 * kSquarePartRows + 77);
  ASSERT_TRUE(file.streamed(2).ok());
  const std::filesystem::path path =
      std::filesystem::path(file.database.text("SELECT file FROM pragma_database_list").value());
  const Result<Database> other = open_database(path, std::chrono::milliseconds(0), Access::kAlone);
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(file.database.run("DELETE FROM embeddings WHERE slot = 1").ok());
}

}  // namespace
}  // namespace unscatter
