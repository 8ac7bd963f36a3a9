// Who keeps which rows, and that all come back as they were.
#include "unlearn/row_pile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "linalg/row_products.h"
#include "support/random_rows.h"

namespace unscatter {
namespace {

// The other processes are lists of rows.
class ListedCrew final : public RowCrew {
 public:
  explicit ListedCrew(std::size_t processes) : kept(processes - 1) {}

  std::vector<SparseBlockRows> kept;
  std::vector<std::size_t> counts;    // as they were shared
  std::vector<std::uint32_t> labels;  // the same
  std::size_t largest_block = 0;      // in values
  bool ended = false;

  std::unique_ptr<UnderWay> begin_embed(const Embedder&, std::span<const Graph* const>, const EmbedOptions&) override {
    ADD_FAILURE() << "a pile takes rows";
    return nullptr;
  }
  Result<Shared> embed_file(const std::filesystem::path&, const Embedder&, const FileWork&, const EmbedOptions&,
                            const std::function<Status(EmbeddedPiece)>&) override {
    return Shared{};
  }
  std::optional<KeptState::Rows> spread(const SparseBlockRows&, std::span<const std::uint32_t>, std::size_t) override {
    return std::nullopt;
  }
  std::size_t begin_pile(std::size_t columns, std::size_t) override {
    for (SparseBlockRows& rows : kept) rows = SparseBlockRows(0, columns);
    return kept.size() + 1;
  }
  void add_to_pile(std::size_t process, const SparseBlockRows& rows) override {
    largest_block = std::max(largest_block, rows.stored_values());
    for (std::size_t i = 0; i < rows.rows(); ++i) kept.at(process - 1).append_row(BlockRow(rows.row(i)));
  }
  void share_pile(SparseBlockRows& own, std::span<const std::size_t> all_counts,
                  std::span<const std::uint32_t> all_labels) override {
    EXPECT_EQ(own.rows(), all_counts[0]);
    counts.assign(all_counts.begin(), all_counts.end());
    labels.assign(all_labels.begin(), all_labels.end());
  }
  SparseBlockRows rows_of_pile(std::size_t process, std::size_t first) override {
    const SparseBlockRows& from = kept.at(process - 1);
    SparseBlockRows some(0, from.columns());
    for (std::size_t i = first; i < from.rows() && i < first + 100; ++i) some.append_row(BlockRow(from.row(i)));
    return some;
  }
  void end_pile() override { ended = true; }
};

void append_all(RowPile& pile, const SparseBlockRows& rows, const std::function<double(double)>& guess) {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    pile.append(BlockRow(rows.row(i)), guess(static_cast<double>(i) / static_cast<double>(rows.rows())));
  }
}

double exactly(double part) { return part; }

TEST(RowPile, WithoutACrewAllRowsStay) {
  const testing::LabelledRows all = testing::random_rows(1, {.rows = 300});
  RowPile pile(all.rows.columns(), nullptr, 1);
  append_all(pile, all.rows, exactly);
  EXPECT_EQ(pile.rows(), 300u);
  const KeptState::Rows own = pile.share(all.labels);
  ASSERT_EQ(own.rows.rows(), 300u);
  for (std::size_t i = 0; i < 300; ++i) EXPECT_EQ(own.rows.row(i), all.rows.row(i));
  EXPECT_EQ(own.labels, all.labels);
  EXPECT_TRUE(pile.taken());
}

TEST(RowPile, EveryProcessKeepsItsShareAndNoMore) {
  const testing::LabelledRows all = testing::random_rows(2, {.rows = 5000, .columns = 20});
  for (const std::size_t processes : {2U, 3U, 7U, 64U}) {
    SCOPED_TRACE(processes);
    ListedCrew crew(processes);
    {
      RowPile pile(20, &crew, 1);
      append_all(pile, all.rows, exactly);
      const KeptState::Rows own = pile.share(all.labels);
      EXPECT_EQ(crew.labels, all.labels);
      ASSERT_EQ(crew.counts.size(), processes);
      std::size_t number = 0;
      for (std::size_t process = 0; process < processes; ++process) {
        EXPECT_LE(crew.counts[process], 5000 / processes + kLeafRows);
        EXPECT_TRUE(process + 1 == processes || crew.counts[process] % kLeafRows == 0);
        for (std::size_t i = 0; i < crew.counts[process]; ++i, ++number) {
          const BlockRow& row = process == 0 ? own.rows.row(i) : pile.row_elsewhere(number);
          ASSERT_EQ(row, all.rows.row(number)) << number;
        }
      }
      EXPECT_EQ(number, 5000u);
      EXPECT_FALSE(crew.ended);
    }
    EXPECT_TRUE(crew.ended);
  }
}

// A guess decides who keeps a row.  It can be wrong, and it cannot do harm.
TEST(RowPile, AWrongGuessLosesNothing) {
  const testing::LabelledRows all = testing::random_rows(3, {.rows = 1000, .columns = 20});
  const std::vector<std::function<double(double)>> guesses = {
      [](double) { return 0.0; },  [](double) { return 1.0; },           [](double) { return 5e9; },
      [](double) { return -1.0; }, [](double part) { return 1 - part; }, [](double part) { return part * part; }};
  for (std::size_t which = 0; which < guesses.size(); ++which) {
    SCOPED_TRACE(which);
    ListedCrew crew(4);
    RowPile pile(20, &crew, 1);
    append_all(pile, all.rows, guesses[which]);
    const KeptState::Rows own = pile.share(all.labels);
    for (std::size_t number = own.rows.rows(); number < 1000; ++number) {
      ASSERT_EQ(pile.row_elsewhere(number), all.rows.row(number)) << number;
    }
    for (std::size_t i = 0; i < own.rows.rows(); ++i) ASSERT_EQ(own.rows.row(i), all.rows.row(i)) << i;
    EXPECT_EQ(own.labels.size(), own.rows.rows());
  }
}

// Fewer rows than coordinates: every number of the training is about two rows.
TEST(RowPile, FewRowsComeBackForATrainingInOnePlace) {
  const testing::LabelledRows all = testing::random_rows(4, {.rows = 400, .columns = 900});
  ListedCrew crew(3);
  RowPile pile(900, &crew, 1);
  append_all(pile, all.rows, exactly);
  const KeptState::Rows own = pile.share(all.labels);
  EXPECT_TRUE(crew.counts.empty());
  ASSERT_EQ(own.rows.rows(), 400u);
  for (std::size_t i = 0; i < 400; ++i) EXPECT_EQ(own.rows.row(i), all.rows.row(i));
  EXPECT_EQ(own.labels, all.labels);
}

TEST(RowPile, SendsSomeMegabytesAtATime) {
  const testing::LabelledRows all = testing::random_rows(5, {.rows = 3000, .columns = 1500, .density = 0.9});
  ListedCrew crew(2);
  RowPile pile(1500, &crew, 1);
  append_all(pile, all.rows, exactly);
  EXPECT_GT(crew.kept[0].rows(), 0u) << "rows are on their way before all have come";
  EXPECT_LT(crew.largest_block, (std::size_t{1} << 20) + 1500);
}

}  // namespace
}  // namespace unscatter
