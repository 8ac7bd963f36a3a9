#include "linalg/row_share.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "linalg/compact_rows.h"
#include "linalg/regularised_hessian.h"
#include "linalg/row_pass.h"
#include "linalg/row_products.h"
#include "support/shared_rows.h"

namespace unscatter {
namespace {

using testing::even_cuts;
using testing::LabelledRows;
using testing::on_shares;
using testing::random_cuts;
using testing::random_matrix;
using testing::random_rows;
using testing::rows_between;
using testing::together;

// Every way to cut that is tried: few and many ranks, some of which have nothing.
std::vector<std::vector<std::size_t>> all_cuts(std::size_t rows) {
  std::vector<std::vector<std::size_t>> cuts;
  for (const std::size_t ranks : {1U, 2U, 3U, 4U, 7U, 64U}) cuts.push_back(even_cuts(rows, ranks));
  for (std::size_t seed = 0; seed < 3; ++seed) cuts.push_back(random_cuts(rows, 5, seed));
  return cuts;
}

std::vector<LabelledRows> all_rows() {
  std::vector<LabelledRows> all;
  for (const std::size_t rows : {1U, 127U, 128U, 129U, 1000U, 5000U}) {
    all.push_back(random_rows(rows, {.rows = rows, .columns = 12, .classes = 3, .density = 0.4}));
  }
  all.push_back(random_rows(9, {.rows = 1000, .columns = 12, .classes = 3, .density = 1}));
  return all;
}

Matrix part_of(const Matrix& all, const SparseBlockRows& share) {
  return all.middleRows(static_cast<Eigen::Index>(share.first_of_all()), static_cast<Eigen::Index>(share.rows()));
}

TEST(RowShare, SumsInTheTreeAreThoseOfOneProcess) {
  for (const LabelledRows& all : all_rows()) {
    const std::size_t n = all.rows.rows();
    for (const std::size_t K : {1U, 3U}) {
      const Matrix R = random_matrix(1, n, K);
      const Matrix X = random_matrix(2, 12, K);
      const Matrix D = random_matrix(3, n, K).cwiseAbs();
      const Matrix expected = transposed_product(all.rows, R);
      const Matrix expected_square = weighted_square_product(all.rows, D, X);
      for (const std::vector<std::size_t>& cuts : all_cuts(n)) {
        SCOPED_TRACE(::testing::Message() << n << " rows, " << cuts.size() - 1 << " ranks");
        for (const std::size_t threads : {1U, 3U}) {
          on_shares(all, cuts, [&](Communicator&, LabelledRows& mine) {
            EXPECT_EQ(mine.rows.total_rows(), n);
            EXPECT_EQ(mine.rows.total_stored_values(), all.rows.stored_values());
            EXPECT_EQ(transposed_product(mine.rows, part_of(R, mine.rows), threads), expected);
            EXPECT_EQ(weighted_square_product(mine.rows, part_of(D, mine.rows), X, threads), expected_square);
          });
        }
      }
    }
  }
}

// The test above would not see an order that is not kept, if all orders gave the same numbers.
TEST(RowShare, AnotherOrderOfRanksGivesOtherNumbers) {
  const LabelledRows all = random_rows(5, {.rows = 1000, .columns = 12, .classes = 3});
  const Matrix R = random_matrix(1, 1000, 3);
  const Matrix expected = transposed_product(all.rows, R);
  const std::vector<std::size_t> cuts = even_cuts(1000, 4);
  // Sums of ranks, added up as they come.
  Matrix arrived = Matrix::Zero(12, 3);
  for (const std::size_t rank : {2U, 0U, 3U, 1U}) {
    const LabelledRows some = rows_between(all, cuts[rank], cuts[rank + 1]);
    arrived += transposed_product(
        some.rows, R.middleRows(static_cast<Eigen::Index>(cuts[rank]), static_cast<Eigen::Index>(some.rows.rows())));
  }
  EXPECT_NE(arrived, expected);
  // Two ranks that hold the rows of each other, and are not the two parts of one node: one order of two is as good as
  // the other.
  LabelledRows swapped = rows_between(all, 0, 0);
  Matrix R_swapped(1000, 3);
  for (std::size_t i = 0; i < 1000; ++i) {
    const std::size_t from = i < 128 || i >= 384 ? i : i < 256 ? i + 128 : i - 128;
    swapped.rows.append_row(all.rows.row(from));
    swapped.labels.push_back(0);
    R_swapped.row(static_cast<Eigen::Index>(i)) = R.row(static_cast<Eigen::Index>(from));
  }
  on_shares(swapped, even_cuts(1000, 7), [&](Communicator&, LabelledRows& mine) {
    EXPECT_NE(transposed_product(mine.rows, part_of(R_swapped, mine.rows)), expected);
  });
}

TEST(RowShare, PassesSeeEveryRowOnce) {
  const LabelledRows all = random_rows(5, {.rows = 5000, .columns = 6, .classes = 3});
  const Matrix W = random_matrix(1, 6, 2);
  const auto factor = [](std::size_t row, double value) { return value * static_cast<double>(row % 17); };
  const auto pass = [&](const SparseBlockRows& rows) {
    return pass_over_rows(rows, W, [&](const RowBlock& block) {
      const std::size_t first = rows.first_of_all() + block.first;
      // A block lies in one part.
      EXPECT_EQ(first / rows_of_a_part(5000), block.part);
      EXPECT_LT(block.part, pass_parts(5000));
      for (std::size_t r = 0; r < block.rows; ++r) {
        for (std::size_t k = 0; k < block.stride; ++k) {
          double& value = block.values[r * block.stride + k];
          value = factor(first + r, value);
        }
      }
    });
  };
  const Matrix expected = pass(all.rows);
  for (const std::vector<std::size_t>& cuts : all_cuts(5000)) {
    on_shares(all, cuts, [&](Communicator&, LabelledRows& mine) { EXPECT_EQ(pass(mine.rows), expected); });
  }
}

TEST(RowShare, SquaresAreThoseOfOneProcess) {
  // The largest one has three parts of kSquarePartRows, and rows beyond.
  for (const std::size_t n : {100U, 129U, 5000U, static_cast<unsigned>(3 * kSquarePartRows + 1000)}) {
    const LabelledRows all = random_rows(n, {.rows = n, .columns = 5, .classes = 2});
    const Matrix D = random_matrix(3, n, 2).cwiseAbs();
    const std::vector<Matrix> expected = {weighted_square(all.rows, D.col(0)), weighted_square(all.rows, D.col(1))};
    std::vector<std::vector<std::size_t>> cuts = {even_cuts(n, 2), even_cuts(n, 3), even_cuts(n, 7),
                                                  random_cuts(n, 5, 1), random_cuts(n, 5, 2)};
    // Borders of parts, and ranks within one part.
    if (n > kSquarePartRows) {
      cuts.push_back({0, kSquarePartRows, 2 * kSquarePartRows, n});
      cuts.push_back({0, kSquarePartRows - 128, kSquarePartRows, kSquarePartRows + 128, kSquarePartRows + 256, n});
    }
    for (const std::vector<std::size_t>& begins : cuts) {
      SCOPED_TRACE(::testing::Message() << n << " rows, " << begins.size() - 1 << " ranks");
      on_shares(all, begins, [&](Communicator&, LabelledRows& mine) {
        EXPECT_EQ(shared_weighted_squares(mine.rows, part_of(D, mine.rows), 2), expected);
        EXPECT_EQ(weighted_square(mine.rows, part_of(D, mine.rows).col(0)), expected[0]);
      });
    }
  }
}

TEST(RowShare, CompactRowsAreThoseOfOneProcess) {
  // Wide enough for several parts: 65536 values each.
  const LabelledRows all = random_rows(8, {.rows = 5000, .columns = 60, .classes = 2, .density = 0.5});
  ASSERT_GT(all.rows.stored_values(), 2U * 65536);
  ASSERT_TRUE(CompactRows::pay(all.rows));
  const CompactRows compact(all.rows);
  const Matrix D = random_matrix(1, 5000, 2).cwiseAbs();
  const Matrix X = random_matrix(2, 60, 2);
  const Matrix expected = compact.weighted_square_product(D, compact.gathered(X));
  for (const std::vector<std::size_t>& cuts : all_cuts(5000)) {
    on_shares(all, cuts, [&](Communicator&, LabelledRows& mine) {
      EXPECT_TRUE(CompactRows::pay(mine.rows));
      const CompactRows some(mine.rows);
      EXPECT_EQ(some.gathered(X), compact.gathered(X));
      EXPECT_EQ(some.weighted_square_product(part_of(D, mine.rows), some.gathered(X), 2), expected);
    });
  }
}

TEST(RowShare, SumsOfTermsAreThoseOfEigen) {
  for (const std::size_t n : {1U, 2U, 3U, 4U, 5U, 7U, 127U, 128U, 129U, 130U, 131U, 1000U, 1003U}) {
    const LabelledRows all = random_rows(1, {.rows = n, .columns = 2, .classes = 2});
    const Vector terms = random_matrix(n, n, 1).col(0).cwiseAbs();
    for (const std::vector<std::size_t>& cuts : all_cuts(n)) {
      on_shares(all, cuts, [&](Communicator&, LabelledRows& mine) {
        EXPECT_EQ(sum_of_all(mine.rows.share(), part_of(terms, mine.rows).col(0)), terms.sum()) << n;
      });
    }
  }
}

TEST(RowShare, TurnsAndLargestNumbers) {
  const LabelledRows all = random_rows(1, {.rows = 1000, .columns = 2, .classes = 2});
  double expected = 0;
  for (std::size_t i = 0; i < 1000; ++i) expected += all.rows.row_norm(i);
  for (const std::vector<std::size_t>& cuts : all_cuts(1000)) {
    on_shares(all, cuts, [&](Communicator& ranks, LabelledRows& mine) {
      double sum = 0;
      in_turns(mine.rows.share(), std::span(&sum, 1), [&] {
        for (std::size_t i = 0; i < mine.rows.rows(); ++i) sum += mine.rows.row_norm(i);
      });
      EXPECT_EQ(sum, expected);
      const RowShare* share = mine.rows.share();
      EXPECT_EQ(largest_of_all(share, -static_cast<double>(ranks.rank())), 0);
      EXPECT_EQ(largest_of_all(share, static_cast<double>(ranks.rank())), static_cast<double>(ranks.size() - 1));
      EXPECT_EQ(count_of_all(share, ranks.rank()), ranks.size() * (ranks.size() - 1) / 2);
      EXPECT_FALSE(true_anywhere(share, false));
      EXPECT_TRUE(true_anywhere(share, ranks.rank() + 1 == ranks.size()));
    });
  }
}

// The formulas of the header.
TEST(RowShare, SendsWhatTheHeaderSays) {
  constexpr std::size_t kRows = 5000;
  const std::uint64_t d = 7;
  const LabelledRows all = random_rows(1, {.rows = kRows, .columns = d, .classes = 2});
  for (const std::vector<std::size_t>& cuts : all_cuts(kRows)) {
    const std::uint64_t R = cuts.size() - 1;
    std::uint64_t with_rows = 0;
    for (std::size_t rank = 0; rank < R; ++rank) with_rows += cuts[rank] != cuts[rank + 1] ? 1U : 0U;
    const RowShare share{nullptr, 0, cuts, 0, {}};
    SCOPED_TRACE(::testing::Message() << R << " ranks, " << with_rows << " with rows");
    const auto sent = [&](const std::function<void(LabelledRows&)>& work) {
      return together(on_shares(all, cuts, [&](Communicator&, LabelledRows& mine) { work(mine); }));
    };
    const auto times = [](std::uint64_t messages, std::uint64_t bytes) { return Traffic{messages, messages * bytes}; };
    const Matrix W = random_matrix(1, d, 3);
    const bool alone = R == 1;
    EXPECT_GE(messages_up(share) + 1, with_rows);
    EXPECT_EQ(sent([&](LabelledRows& mine) { (void)pass_over_rows(mine.rows, W, [](const RowBlock&) {}); }),
              times(messages_up(share) + R - 1, 8 * d * 3));
    EXPECT_EQ(sent([&](LabelledRows& mine) {
                double sum[5] = {};
                in_turns(mine.rows.share(), std::span(sum), [] {});
              }),
              times(alone ? 0 : with_rows - 1 + R - 1, sizeof(double[5])));
    EXPECT_EQ(sent([&](LabelledRows& mine) { (void)largest_of_all(mine.rows.share(), 1.0); }), times(2 * (R - 1), 8));
    // All rows are in one part.
    EXPECT_EQ(sent([&](LabelledRows& mine) {
                (void)weighted_square(mine.rows, Vector::Ones(static_cast<Eigen::Index>(mine.rows.rows())));
              }),
              times(alone ? 0 : with_rows - 1 + R - 1, 4 * d * (d + 1)));
  }
  // Four ranks of 1280 rows: each has one node of 8 leaves and one of 2, because nodes are powers of two.
  EXPECT_EQ(messages_up({nullptr, 0, {0, 1024, 2048, 3072, 4096}, 0, {}}), 3U);
  EXPECT_EQ(messages_up({nullptr, 0, {0, 128, 384}, 0, {}}), 2U);
}

TEST(RowShare, RowsComeAndGoAtTheEnd) {
  const LabelledRows all = random_rows(1, {.rows = 300, .columns = 4, .classes = 2});
  // The last rank has nothing, and does not take what comes.
  on_shares(all, {0, 128, 300, 300}, [&](Communicator& ranks, LabelledRows& mine) {
    mine.rows.append_empty_rows_to_all(2);
    EXPECT_EQ(mine.rows.total_rows(), 302U);
    EXPECT_EQ(mine.rows.rows(), ranks.rank() == 0 ? 128U : ranks.rank() == 1 ? 174U : 0U);
    EXPECT_EQ(mine.rows.place_of(301).has_value(), ranks.rank() == 1);
    const BlockRow row = all.rows.row(5);
    if (const auto place = mine.rows.place_of(301)) {
      mine.rows.set_row(*place, row);
    } else {
      mine.rows.set_elsewhere(301, 0, {row, 1});
    }
    EXPECT_EQ(mine.rows.row_of_all(301), row);
    EXPECT_EQ(mine.rows.total_stored_values(), all.rows.stored_values() + row.values.size());
    if (const auto place = mine.rows.place_of(301)) {
      mine.rows.set_row(*place, {});
    } else {
      mine.rows.set_elsewhere(301, row.values.size(), {});
    }
    mine.rows.truncate_all(300);
    EXPECT_EQ(mine.rows.total_rows(), 300U);
    EXPECT_EQ(mine.rows.rows(), ranks.rank() == 0 ? 128U : ranks.rank() == 1 ? 172U : 0U);
    EXPECT_EQ(mine.rows.total_stored_values(), all.rows.stored_values());
  });
}

TEST(RowShare, RanksThatDifferEndTheJob) {
  const auto job = [](std::uint64_t of_last) {
    return run_ranks(
        3, [&](Communicator& ranks) { require_same(ranks, ranks.rank() == 2 ? of_last : 5, "ranks differ"); });
  };
  EXPECT_TRUE(job(5).ok());
  const auto refused = job(6);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("ranks differ"), std::string::npos) << refused.error().message;
}

TEST(RowShare, RefusesRowsThatDoNotBeginWithALeaf) {
  const LabelledRows all = random_rows(1, {.rows = 300, .columns = 4, .classes = 2});
  const auto shared = [&](const std::vector<std::size_t>& begins) {
    return run_ranks(begins.size() - 1, [&](Communicator& ranks) {
      LabelledRows mine = rows_between(all, begins[ranks.rank()], begins[ranks.rank() + 1]);
      share_rows(ranks, mine.rows);
    });
  };
  EXPECT_TRUE(shared({0, 128, 300}).ok());
  const auto refused = shared({0, 100, 300});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("begin where a leaf"), std::string::npos) << refused.error().message;
  EXPECT_FALSE(shared({0, 0, 0}).ok());
}

}  // namespace
}  // namespace unscatter
