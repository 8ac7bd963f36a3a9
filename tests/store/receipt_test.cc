#include "unscatter/store/receipt.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "base/testing/seeded_random.h"
#include "fuzz/check_receipt.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

Digest digest_named(std::string_view name) { return Hasher().add(name).finish(); }

SigningKey receipt_key(std::uint64_t seed = 1) {
  testing::SeededRandom random(seed);
  return SigningKey::generate(random);
}

Receipt signed_receipt() {
  Receipt receipt;
  receipt.workspace = "00112233445566778899aabbccddeeff";
  receipt.sequence = 7;
  receipt.time = "2026-01-31T23:59:59Z";
  receipt.software = "unscatter 0.1.0";
  receipt.requests.nodes = 1;
  receipt.requests.subjects = 1;
  receipt.commitments = {digest_named("a"), digest_named("b")};
  receipt.data_before = digest_named("before");
  receipt.data_after = digest_named("after");
  receipt.previous = digest_named("previous");
  receipt.entry = digest_named("entry");
  receipt.promise.guarantee = {1, 1e-4};
  receipt.promise.noise_stddev = 1e-4;
  receipt.promise.shift_limit = 0.0099258;
  receipt.promise.assumptions = {"only published models leave the session",
                                 "a \"quoted\": text, with \\ and \n and \xc3\xa9"};
  sign(receipt, receipt_key());
  return receipt;
}

// What somebody who was handed a file asks: is it a receipt, signed by this key?
bool receipt_holds(std::string_view text) {
  const Result<Receipt> receipt = parse_receipt(text);
  return receipt.ok() && check_signature(*receipt, receipt_key().public_key()).ok();
}

TEST(Receipt, IsReadBackFromItsText) {
  const Receipt receipt = signed_receipt();
  const std::string text = receipt_text(receipt);
  EXPECT_NE(text.find("\"format\": \"unscatter-receipt-2\""), std::string::npos);
  EXPECT_TRUE(text.ends_with("\n}\n") || text.ends_with("\"\n}\n"));
  const Receipt read = parse_receipt(text).value();
  EXPECT_EQ(receipt_text(read), text);
  EXPECT_EQ(signed_text(read), signed_text(receipt));
  EXPECT_EQ(read.commitments, receipt.commitments);
  EXPECT_EQ(read.requests, receipt.requests);
  EXPECT_EQ(read.promise.assumptions, receipt.promise.assumptions);
  EXPECT_EQ(read.signature, receipt.signature);
  EXPECT_TRUE(receipt_holds(text));
}

TEST(Receipt, SignedTextNamesItsFormatAndLeavesOutTheSignature) {
  Receipt receipt = signed_receipt();
  const std::string text = signed_text(receipt);
  EXPECT_TRUE(text.starts_with("unscatter receipt 2\n{\"assumptions\":"));
  receipt.signature = Signature{};
  EXPECT_EQ(signed_text(receipt), text);
}

// No field may be left out of what is signed.
TEST(Receipt, EveryFieldIsSigned) {
  const Receipt receipt = signed_receipt();
  const std::array<std::function<void(Receipt&)>, 28> changes = {
      [](Receipt& r) { r.workspace = "ffeeddccbbaa99887766554433221100"; },
      [](Receipt& r) { ++r.sequence; },
      [](Receipt& r) { r.time = "2026-01-31T23:59:58Z"; },
      [](Receipt& r) { r.software = "unscatter 0.1.1"; },
      [](Receipt& r) { ++r.requests.features; },
      [](Receipt& r) { ++r.requests.nodes; },
      [](Receipt& r) { ++r.requests.edges; },
      [](Receipt& r) { ++r.requests.graphs; },
      [](Receipt& r) { ++r.requests.subjects; },
      [](Receipt& r) { r.commitments.pop_back(); },
      [](Receipt& r) { std::swap(r.commitments[0], r.commitments[1]); },
      [](Receipt& r) { r.data_before = Digest{}; },
      [](Receipt& r) { r.data_after = Digest{}; },
      [](Receipt& r) { r.previous = Digest{}; },
      [](Receipt& r) { r.entry = Digest{}; },
      [](Receipt& r) { r.promise.mechanism = Mechanism::kObjective; },
      [](Receipt& r) { r.promise.rule = BudgetRule::kPaper; },
      [](Receipt& r) { r.promise.guarantee.epsilon = 2; },
      [](Receipt& r) { r.promise.guarantee.delta = 1e-5; },
      [](Receipt& r) { r.promise.noise_stddev = std::nextafter(r.promise.noise_stddev, 1); },
      [](Receipt& r) { r.promise.shift_limit = std::nextafter(r.promise.shift_limit, 1); },
      [](Receipt& r) { r.promise.assumptions.pop_back(); },
      [](Receipt& r) { r.promise.assumptions[0] += "."; },
      [](Receipt& r) { r.signature.bytes[0] ^= 1; },
      [](Receipt& r) { r.kind = EntryKind::kReleased; },
      [](Receipt& r) { r.release_number = 1; },
      [](Receipt& r) { r.published_model = Digest{}; },
      [](Receipt& r) { r.version = 1; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Receipt changed = receipt;
    changes[i](changed);
    const Status checked = check_signature(changed, receipt.signer);
    ASSERT_FALSE(checked.ok()) << "change " << i;
    EXPECT_EQ(checked.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(checked.error().message.find("signature is wrong"), std::string::npos);
    EXPECT_FALSE(receipt_holds(receipt_text(changed))) << "change " << i;
  }
}

// Receipts that unscatter 0.1 gave out are checked by their own spelling for ever.
TEST(Receipt, OfVersion1AreReadAsTheyWere) {
  Receipt receipt = signed_receipt();
  receipt.version = 1;
  sign(receipt, receipt_key());
  const std::string text = receipt_text(receipt);
  EXPECT_NE(text.find("\"format\": \"unscatter-receipt-1\""), std::string::npos);
  for (const char* field : {"\"kind\"", "\"release_number\"", "\"published_model\""}) {
    EXPECT_EQ(text.find(field), std::string::npos) << field;
  }
  EXPECT_TRUE(signed_text(receipt).starts_with("unscatter receipt 1\n"));
  EXPECT_TRUE(receipt_holds(text));
  EXPECT_EQ(receipt_text(parse_receipt(text).value()), text);
  // The same receipt under the other name is neither.
  std::string renamed = text;
  renamed.replace(renamed.find("receipt-1"), 9, "receipt-2");
  EXPECT_FALSE(parse_receipt(renamed).ok());
}

TEST(Receipt, OfAReleaseNamesTheModel) {
  Receipt receipt = signed_receipt();
  receipt.kind = EntryKind::kReleased;
  receipt.release_number = 3;
  receipt.published_model = digest_named("model");
  sign(receipt, receipt_key());
  const std::string text = receipt_text(receipt);
  const Receipt read = parse_receipt(text).value();
  EXPECT_EQ(read.kind, EntryKind::kReleased);
  EXPECT_EQ(read.release_number, 3u);
  EXPECT_EQ(read.published_model, digest_named("model"));
  EXPECT_TRUE(receipt_holds(text));
  std::string created = text;
  created.replace(created.find("\"released\""), 10, "\"created\"");
  EXPECT_FALSE(parse_receipt(created).ok());
}

TEST(Receipt, SaysWhichOfSignerAndSignatureIsWrong) {
  Receipt receipt = signed_receipt();
  const PublicKey other = receipt_key(2).public_key();
  const Status by_other = check_signature(receipt, other);
  ASSERT_FALSE(by_other.ok());
  EXPECT_EQ(by_other.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(by_other.error().message.find(other.hex()), std::string::npos);
  EXPECT_NE(by_other.error().message.find(receipt.signer.hex()), std::string::npos);
  receipt.signer = other;  // claims another signer, keeps the signature
  EXPECT_NE(check_signature(receipt, other).error().message.find("signature is wrong"), std::string::npos);
  sign(receipt, receipt_key(2));
  EXPECT_TRUE(check_signature(receipt, other).ok());
}

TEST(Receipt, EveryChangedByteIsNoticed) {
  const std::string text = receipt_text(signed_receipt());
  Sequence random(31);
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const std::uint64_t mask : {std::uint64_t{1}, 1 + random.below(255), 1 + random.below(255)}) {
      std::string changed = text;
      changed[i] = static_cast<char>(static_cast<unsigned char>(changed[i]) ^ mask);
      EXPECT_FALSE(receipt_holds(changed)) << i << " " << mask;
    }
  }
}

TEST(Receipt, EveryEditIsNoticed) {
  const std::string text = receipt_text(signed_receipt());
  constexpr std::string_view kLikely = "0123456789abcdef\"{}[],: \n.eE+-\\";
  Sequence random(32);
  for (int trial = 0; trial < 4000; ++trial) {
    std::string changed = text;
    for (std::uint64_t edits = 1 + random.below(4); edits > 0; --edits) {
      const std::size_t at = random.below(changed.size());
      const std::size_t length = std::min<std::size_t>(1 + random.below(6), changed.size() - at);
      const std::uint64_t kind = random.below(4);
      if (kind == 0) changed.erase(at, length);
      if (kind == 1) changed.insert(at, text, random.below(text.size()), length);
      if (kind >= 2) changed[at] = kLikely[random.below(kLikely.size())];
    }
    if (changed == text) continue;
    EXPECT_FALSE(receipt_holds(changed)) << changed;
    EXPECT_EQ(fuzz::check_receipt(changed), "");
  }
}

TEST(Receipt, NumbersSurviveExactly) {
  Sequence random(33);
  for (int trial = 0; trial < 2000; ++trial) {
    const auto draw = [&random] {
      double value = std::bit_cast<double>(random.next());
      while (!std::isfinite(value)) value = std::bit_cast<double>(random.next());
      return value;
    };
    Receipt receipt;
    receipt.promise.guarantee = {draw(), draw()};
    receipt.promise.noise_stddev = trial == 0 ? 5e-324 : draw();
    receipt.promise.shift_limit = trial == 0 ? -0.0 : draw();
    receipt.sequence = random.next();
    const Result<Receipt> read = parse_receipt(receipt_text(receipt));
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(read->promise.guarantee.epsilon),
              std::bit_cast<std::uint64_t>(receipt.promise.guarantee.epsilon));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(read->promise.guarantee.delta),
              std::bit_cast<std::uint64_t>(receipt.promise.guarantee.delta));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(read->promise.noise_stddev),
              std::bit_cast<std::uint64_t>(receipt.promise.noise_stddev));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(read->promise.shift_limit),
              std::bit_cast<std::uint64_t>(receipt.promise.shift_limit));
    EXPECT_EQ(read->sequence, receipt.sequence);
  }
}

std::string receipt_with(std::string_view from, std::string_view to) {
  std::string text = receipt_text(signed_receipt());
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Receipt, HostileTextIsRefusedWithAReason) {
  const std::string nested(200000, '[');
  const std::string text = receipt_text(signed_receipt());
  for (const std::string& bad : {std::string(),
                                 std::string("{}"),
                                 std::string("[]"),
                                 std::string("null"),
                                 std::string("\"x\""),
                                 std::string(1, '\0'),
                                 nested,
                                 receipt_with("\"sequence\": 7", "\"sequence\": " + nested),
                                 receipt_with("\"sequence\": 7", "\"sequence\": -7"),
                                 receipt_with("\"sequence\": 7", "\"sequence\": 7.0"),
                                 receipt_with("\"sequence\": 7", "\"sequence\": true"),
                                 receipt_with("\"sequence\": 7", "\"sequence\": 18446744073709551623"),
                                 receipt_with("\"sequence\": 7", "\"sequence\": 07"),
                                 receipt_with("\"sequence\": 7", "\"sequence\": 7, \"sequence\": 7"),
                                 receipt_with("\"epsilon\": 1.0", "\"epsilon\": NaN"),
                                 receipt_with("\"epsilon\": 1.0", "\"epsilon\": 1e999"),
                                 receipt_with("\"epsilon\": 1.0", "\"epsilon\": null"),
                                 receipt_with("\"epsilon\": 1.0", "\"epsilon\": 1"),
                                 receipt_with("\"epsilon\": 1.0", "\"epsilon\": 1.00"),
                                 receipt_with("\"mechanism\": \"release\"", "\"mechanism\": \"trust\""),
                                 receipt_with("receipt-2", "receipt-3"),
                                 receipt_with("\"software\": \"unscatter", "\"software\": \"\xff"),
                                 receipt_with("\"commitments\": [", "\"commitments\": [[],"),
                                 text + "\n",
                                 " " + text,
                                 text.substr(0, text.size() - 1),
                                 text + std::string(1, '\0') + "x"}) {
    const Result<Receipt> receipt = parse_receipt(bad);
    ASSERT_FALSE(receipt.ok()) << bad.substr(0, 300);
    EXPECT_EQ(receipt.error().code, ErrorCode::kMalformedInput);
    EXPECT_FALSE(receipt.error().message.empty());
  }
  EXPECT_NE(parse_receipt(receipt_with("receipt-2", "receipt-3")).error().message.find("format"), std::string::npos);
}

// A number that is not finite can be put into a receipt, but never be read from one.
TEST(Receipt, NumbersThatAreNotFiniteAreNotReadBack) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Receipt receipt = signed_receipt();
    receipt.promise.noise_stddev = bad;
    EXPECT_FALSE(parse_receipt(receipt_text(receipt)).ok());
  }
}

}  // namespace
}  // namespace unscatter
