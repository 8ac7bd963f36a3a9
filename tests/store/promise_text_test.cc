#include "unscatter/store/promise_text.h"

#include <gtest/gtest.h>

#include <string>

#include "store/promise_json.h"

namespace unscatter {
namespace {

Promise whole_promise() {
  return {Mechanism::kObjective,
          BudgetRule::kPaper,
          {0.5, 1e-5},
          0.1,
          0.9e-5,
          0.3139,
          7,
          {"one", "two"},
          {{"labels", ConstantKind::kPrivateFit}}};
}

constexpr PromiseParts kEveryDocument[] = {kCertificatePromise, kEntryPromise, kReceiptPromise, kPublishedPromise};

// The keys are part of the formats of workspaces, receipts and models.
TEST(PromiseText, ShowsWhatTheFormatOfTheDocumentSays) {
  EXPECT_EQ(promise_text(whole_promise(), kCertificatePromise),
            R"({"assumptions":["one","two"],"constants":[{"kind":"private-fit","name":"labels"}],)"
            R"("delta":1e-05,"delta_for_shift":9e-06,"epsilon":0.5,)"
            R"("mechanism":"objective","noise_stddev":0.1,"rule":"paper","shift_limit":0.3139})");
  EXPECT_EQ(promise_text(whole_promise(), kEntryPromise),
            R"({"constants":[{"kind":"private-fit","name":"labels"}],)"
            R"("delta":1e-05,"delta_for_shift":9e-06,"epsilon":0.5,)"
            R"("mechanism":"objective","noise_stddev":0.1,"rule":"paper","shift_limit":0.3139})");
  EXPECT_EQ(promise_text(whole_promise(), kReceiptPromise),
            R"({"assumptions":["one","two"],"constants":[{"kind":"private-fit","name":"labels"}],)"
            R"("delta":1e-05,"epsilon":0.5,)"
            R"("mechanism":"objective","noise_stddev":0.1,"rule":"paper","shift_limit":0.3139})");
  EXPECT_EQ(promise_text(whole_promise(), kPublishedPromise),
            R"({"assumptions":["one","two"],"constants":[{"kind":"private-fit","name":"labels"}],)"
            R"("delta":1e-05,"epsilon":0.5,)"
            R"("mechanism":"objective","noise_stddev":0.1,"releases":7,"shift_limit":0.3139})");
}

// Whoever reads a document gets what it shows, and nothing by accident.
TEST(PromiseText, WhatIsReadIsWhatIsShown) {
  const PromiseParts everything{true, true, true, true, true};
  for (const PromiseParts& parts : kEveryDocument) {
    const auto document = nlohmann::json::parse(promise_text(whole_promise(), parts));
    const Promise read = promise_from_json(document, parts).value();
    EXPECT_EQ(promise_text(read, everything), promise_text(shown(whole_promise(), parts), everything));
    EXPECT_EQ(promise_text(read, parts), promise_text(whole_promise(), parts));
    EXPECT_NE(promise_text(read, everything), promise_text(whole_promise(), everything));
  }
  EXPECT_EQ(promise_text(shown(whole_promise(), everything), everything), promise_text(whole_promise(), everything));
}

TEST(PromiseText, MissingOrUnknownValuesAreRefused) {
  for (const PromiseParts& parts : kEveryDocument) {
    const auto good = nlohmann::json::parse(promise_text(whole_promise(), parts));
    for (const auto& [key, value] : good.items()) {
      auto damaged = good;
      damaged.erase(key);
      EXPECT_THROW(static_cast<void>(promise_from_json(damaged, parts)), nlohmann::json::exception) << key;
    }
    auto unknown = good;
    unknown["mechanism"] = "magic";
    EXPECT_EQ(promise_from_json(unknown, parts).error().code, ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace unscatter
