#include <gtest/gtest.h>

#include "unscatter/unlearn/ledger.h"

namespace unscatter {
namespace {

TEST(MemoryLedger, KeepsEntriesInTheirOrder) {
  MemoryLedger ledger;
  EXPECT_TRUE(ledger.entries().empty());
  for (std::uint64_t sequence = 0; sequence < 5; ++sequence) {
    LedgerEntry entry;
    entry.sequence = sequence;
    entry.graphs_edited = 10 + sequence;
    const Matrix weights;
    const Vector residuals;
    ASSERT_TRUE(ledger.append(entry, {{}, weights, residuals, nullptr, {}}).ok());
  }
  ASSERT_EQ(ledger.entries().size(), 5u);
  for (std::uint64_t sequence = 0; sequence < 5; ++sequence) {
    EXPECT_EQ(ledger.entries()[sequence].sequence, sequence);
    EXPECT_EQ(ledger.entries()[sequence].graphs_edited, 10 + sequence);
  }
}

TEST(LedgerEntry, StartsAsAFailure) { EXPECT_FALSE(LedgerEntry{}.certificate.satisfied); }

}  // namespace
}  // namespace unscatter
