#include "unscatter/store/ledger_record.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "unscatter/base/random.h"

namespace unscatter {
namespace {

LedgerRecord sample() {
  LedgerRecord record;
  record.kind = EntryKind::kForgotten;
  record.sequence = 7;
  record.workspace = "00112233445566778899aabbccddeeff";
  record.previous = entry_hash("before");
  record.time = "2026-01-31T23:59:59Z";
  record.software = "unscatter 0.1.0";
  record.requests.nodes = 2;
  record.commitments = {entry_hash("a"), entry_hash("b")};
  record.graphs_edited = 2;
  Certificate certificate;
  certificate.satisfied = true;
  certificate.promise.guarantee = {1, 1e-4};
  certificate.promise.delta_for_shift = 0.99e-4;
  certificate.promise.noise_stddev = 1e-4;
  certificate.graphs = 99;
  certificate.residual_upper_bound = 3.3e-11;
  certificate.distance_upper_bound = 1.7e-9;
  certificate.shift_upper_bound = 1.7e-5;
  certificate.promise.shift_limit = 0.0099;
  certificate.rung = Rung::kNewton;
  certificate.newton_steps = 1;
  set_certificate(record, certificate);
  return record;
}

TEST(LedgerRecord, IsReadBackFromItsText) {
  const std::string text = ledger_text(sample());
  const LedgerRecord read = parse_ledger_text(text).value();
  EXPECT_EQ(ledger_text(read), text);
  EXPECT_EQ(read.sequence, 7u);
  EXPECT_EQ(read.kind, EntryKind::kForgotten);
  EXPECT_EQ(read.commitments, sample().commitments);
  EXPECT_EQ(read.rung, Rung::kNewton);
  EXPECT_EQ(read.graphs, 99u);
}

// What version 2 brought is not in entries of version 1, and is read back from those of version 2.
TEST(LedgerRecord, HasAVersion) {
  LedgerRecord record = sample();
  EXPECT_EQ(record.version, 2u);
  record.kind = EntryKind::kReplayed;
  record.published_model = entry_hash("model");
  record.supersedes = entry_hash("lost");
  const LedgerRecord read = parse_ledger_text(ledger_text(record)).value();
  EXPECT_EQ(read.version, 2u);
  EXPECT_EQ(read.kind, EntryKind::kReplayed);
  EXPECT_EQ(read.published_model, record.published_model);
  EXPECT_EQ(read.supersedes, record.supersedes);

  record.version = 1;
  const std::string old_text = ledger_text(record);
  for (const char* field : {"version", "published_model", "supersedes"}) {
    EXPECT_EQ(old_text.find(field), std::string::npos) << field;
  }
  const LedgerRecord old_record = parse_ledger_text(old_text).value();
  EXPECT_EQ(old_record.version, 1u);
  EXPECT_EQ(ledger_text(old_record), old_text);
  EXPECT_FALSE(old_record.published_model.has_value());
  for (const char* version : {"\"version\":1", "\"version\":3", "\"version\":2.0", "\"version\":null"}) {
    std::string changed = ledger_text(sample());
    changed.replace(changed.find("\"version\":2"), 11, version);
    EXPECT_FALSE(parse_ledger_text(changed).ok()) << version;
  }
}

// Every single-byte change is either refused or changes the hash; the hash is over the bytes, so it always changes.
// What matters is that nothing crashes and that whatever is accepted is spelled exactly so.
TEST(LedgerRecord, EveryChangedByteIsRefusedOrIsAnotherRecord) {
  const std::string text = ledger_text(sample());
  Sequence random(3);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ static_cast<int>(1 + random.below(255)));
    EXPECT_NE(entry_hash(changed), entry_hash(text));
    const Result<LedgerRecord> read = parse_ledger_text(changed);
    if (read.ok()) {
      EXPECT_EQ(ledger_text(*read), changed);
    }
  }
}

TEST(LedgerRecord, OneValueHasOneSpelling) {
  const std::string text = ledger_text(sample());
  EXPECT_FALSE(parse_ledger_text(text + " ").ok());
  EXPECT_FALSE(parse_ledger_text(" " + text).ok());
  std::string doubled = text;
  doubled.insert(1, R"("kind":"forgotten",)");
  EXPECT_FALSE(parse_ledger_text(doubled).ok());
  for (const char* bad : {"", "{}", "[]", "null", "{\"kind\":1}"}) EXPECT_FALSE(parse_ledger_text(bad).ok()) << bad;
}

TEST(LedgerRecord, KeepsSizesNotDigits) {
  Sequence random(5);
  for (int trial = 0; trial < 200; ++trial) {
    Certificate certificate;
    certificate.residual_upper_bound = std::ldexp(1 + random.unit(), static_cast<int>(random.below(60)) - 50);
    certificate.distance_upper_bound = 3 * certificate.residual_upper_bound;
    certificate.shift_upper_bound = random.unit() * 0.02;
    certificate.promise.shift_limit = 0.0099;
    LedgerRecord record;
    set_certificate(record, certificate);
    for (const auto& [kept, given] : {std::pair{record.residual_upper_bound, certificate.residual_upper_bound},
                                      std::pair{record.distance_upper_bound, certificate.distance_upper_bound}}) {
      EXPECT_GE(kept, given);
      EXPECT_LE(kept, 2 * given);
      int exponent = 0;
      EXPECT_EQ(std::frexp(kept, &exponent), 0.5);
    }
    EXPECT_GE(record.shift_upper_bound, certificate.shift_upper_bound);
    EXPECT_EQ(record.shift_upper_bound <= record.promise.shift_limit,
              certificate.shift_upper_bound <= certificate.promise.shift_limit);
  }
  LedgerRecord record;
  Certificate exact;
  exact.residual_upper_bound = 0.25;
  set_certificate(record, exact);
  EXPECT_EQ(record.residual_upper_bound, 0.25);
}

TEST(LedgerRecord, StartsAsAFailure) { EXPECT_FALSE(LedgerRecord{}.satisfied); }

}  // namespace
}  // namespace unscatter
