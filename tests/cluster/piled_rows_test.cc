// Rows that come one after the other: every rank gets its share, they come back, and messages are those of
// docs/scale.md.
#include "cluster/piled_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "cluster/crew.h"
#include "cluster/worker.h"
#include "comm/threads.h"
#include "linalg/row_products.h"
#include "support/random_rows.h"
#include "support/shared_rows.h"
#include "unlearn/row_pile.h"

namespace unscatter::cluster {
namespace {

constexpr std::size_t kRows = 1000;
constexpr std::size_t kColumns = 20;

Result<std::vector<Traffic>> with_piling_crew(std::size_t ranks, const std::function<void(Crew&)>& first) {
  return run_ranks(ranks, [&](Communicator& job) {
    if (!job.is_first()) return serve_first_rank(job);
    Crew crew(job);
    first(crew);
  });
}

TEST(PiledRows, MessagesAreThoseOfTheModel) {
  const testing::LabelledRows all = testing::random_rows(6, {.rows = kRows, .columns = kColumns, .classes = 3});
  for (const std::size_t ranks : {2U, 3U, 5U, 64U}) {
    SCOPED_TRACE(ranks);
    std::vector<std::size_t> counts(ranks, 0);
    for (std::size_t first = 0; first < kRows; first += kLeafRows) {
      counts[first * ranks / kRows] += std::min(kLeafRows, kRows - first);
    }
    std::size_t bytes_of_rows = 0;
    for (std::size_t i = counts[0]; i < kRows; ++i) {
      const BlockRow& row = all.rows.row(i);
      bytes_of_rows += 16 + 8 * row.segments.size() + 8 * row.values.size();
    }
    const auto sent = with_piling_crew(ranks, [&](Crew& crew) {
      RowPile pile(kColumns, &crew, 1);
      for (std::size_t i = 0; i < kRows; ++i) {
        pile.append(BlockRow(all.rows.row(i)), static_cast<double>(i) / kRows);
      }
      const KeptState::Rows own = pile.share(all.labels);
      EXPECT_EQ(own.rows.rows(), counts[0]);
      EXPECT_EQ(own.rows.total_rows(), kRows);
      for (std::size_t number = counts[0]; number < kRows; ++number) {
        ASSERT_EQ(pile.row_elsewhere(number), all.rows.row(number)) << number;
      }
    });
    ASSERT_TRUE(sent.ok()) << sent.error().message;
    const std::size_t others = ranks - 1;
    std::size_t keepers = 0;  // other ranks with rows: one block to each, and one back
    for (std::size_t rank = 1; rank < ranks; ++rank) keepers += counts[rank] > 0 ? 1U : 0U;
    // Orders: begin, share, end of the pile and of the job, and two per keeper.
    const std::size_t orders = 4 + 2 * keepers;
    const std::size_t sharing = 4;  // share_rows()
    EXPECT_EQ(testing::together(*sent).messages,
              2 * orders * others + 4 * keepers + others + keepers + sharing * others);
    EXPECT_EQ(testing::together(*sent).bytes, 40 * orders * others + 2 * (16 * keepers + bytes_of_rows) + 8 * others +
                                                  4 * (kRows - counts[0]) + (40 + 24 * ranks) * others);
  }
}

// Two piles after one another, of which the first one is dropped: as when the constants change while rows come.
TEST(PiledRows, ASecondPileStartsFromNothing) {
  const testing::LabelledRows all = testing::random_rows(7, {.rows = kRows, .columns = kColumns});
  const auto sent = with_piling_crew(3, [&](Crew& crew) {
    {
      RowPile dropped(7, &crew, 1);
      const testing::LabelledRows others = testing::random_rows(8, {.rows = 500, .columns = 7});
      for (std::size_t i = 0; i < 500; ++i) dropped.append(BlockRow(others.rows.row(i)), i < 250 ? 0.0 : 0.9);
    }
    RowPile pile(kColumns, &crew, 1);
    for (std::size_t i = 0; i < kRows; ++i) pile.append(BlockRow(all.rows.row(i)), static_cast<double>(i) / kRows);
    const KeptState::Rows own = pile.share(all.labels);
    EXPECT_EQ(own.rows.total_stored_values(), all.rows.stored_values());
    for (std::size_t number = own.rows.rows(); number < kRows; ++number) {
      ASSERT_EQ(pile.row_elsewhere(number), all.rows.row(number)) << number;
    }
  });
  ASSERT_TRUE(sent.ok()) << sent.error().message;
}

}  // namespace
}  // namespace unscatter::cluster
