// Rows cut into shares for the ranks of a job, for tests that compare ranks with one process.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "comm/threads.h"
#include "linalg/row_products.h"
#include "linalg/row_share.h"
#include "support/random_rows.h"
#include "unscatter/base/random.h"

namespace unscatter::testing {

// Where the rows of each rank begin, and the end: about equally many leaves for each.
inline std::vector<std::size_t> even_cuts(std::size_t rows, std::size_t ranks) {
  const std::size_t leaves = (rows + kLeafRows - 1) / kLeafRows;
  std::vector<std::size_t> begins;
  for (std::size_t rank = 0; rank <= ranks; ++rank) begins.push_back(std::min(leaves * rank / ranks * kLeafRows, rows));
  return begins;
}

// The same at random.  Some ranks may have nothing, the first and the last ones too.
inline std::vector<std::size_t> random_cuts(std::size_t rows, std::size_t ranks, std::uint64_t seed) {
  Sequence random(seed);
  const std::size_t leaves = (rows + kLeafRows - 1) / kLeafRows;
  std::vector<std::size_t> begins;
  for (std::size_t rank = 1; rank < ranks; ++rank) {
    begins.push_back(std::min<std::size_t>(random.below(leaves + 1) * kLeafRows, rows));
  }
  begins.push_back(0);
  begins.push_back(rows);
  std::sort(begins.begin(), begins.end());
  return begins;
}

// What rank `rank` holds, not yet shared.
inline LabelledRows rows_between(const LabelledRows& all, std::size_t first, std::size_t last) {
  LabelledRows some{SparseBlockRows(0, all.rows.columns()), {}, all.classes};
  for (std::size_t i = first; i < last; ++i) {
    some.rows.append_row(all.rows.row(i));
    some.labels.push_back(all.labels[i]);
  }
  return some;
}

// Runs work(communicator, share of the rows) on as many ranks as there are cuts.  Returns what each has sent, without
// what it takes to share the rows.
inline std::vector<Traffic> on_shares(const LabelledRows& all, const std::vector<std::size_t>& begins,
                                      const std::function<void(Communicator&, LabelledRows&)>& work) {
  std::vector<Traffic> before(begins.size() - 1);
  Result<std::vector<Traffic>> sent = run_ranks(begins.size() - 1, [&](Communicator& ranks) {
    LabelledRows mine = rows_between(all, begins[ranks.rank()], begins[ranks.rank() + 1]);
    share_rows(ranks, mine.rows);
    before[ranks.rank()] = ranks.sent();
    work(ranks, mine);
  });
  EXPECT_TRUE(sent.ok()) << (sent.ok() ? "" : sent.error().message);
  if (!sent.ok()) return std::vector<Traffic>(before.size());
  for (std::size_t rank = 0; rank < before.size(); ++rank) {
    (*sent)[rank].messages -= before[rank].messages;
    (*sent)[rank].bytes -= before[rank].bytes;
  }
  return *std::move(sent);
}

inline Traffic together(const std::vector<Traffic>& sent) {
  Traffic sum;
  for (const Traffic& one : sent) {
    sum.messages += one.messages;
    sum.bytes += one.bytes;
  }
  return sum;
}

}  // namespace unscatter::testing
