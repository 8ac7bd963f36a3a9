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
          {{"labels", ConstantKind::kStated}},
          Protection::kEveryone,
          3,
          0.25};
}

constexpr PromiseParts kEveryDocument[] = {kCertificatePromise, kEntryPromise, kReceiptPromise, kPublishedPromise};

// The keys are part of the formats of workspaces, receipts and models.
TEST(PromiseText, ShowsWhatTheFormatOfTheDocumentSays) {
  EXPECT_EQ(promise_text(whole_promise(), kCertificatePromise),
            R"({"assumptions":["one","two"],"constants":[{"kind":"stated","name":"labels"}],"delta":1e-05,)"
            R"("delta_for_shift":9e-06,"epsilon":0.5,)"
            R"("mechanism":"objective","noise_stddev":0.1,"per_subject":3,"protection":"everyone",)"
            R"("rule":"paper","sensitivity":0.25,"shift_limit":0.3139})");
  EXPECT_EQ(promise_text(whole_promise(), kEntryPromise),
            R"({"constants":[{"kind":"stated","name":"labels"}],"delta":1e-05,"delta_for_shift":9e-06,"epsilon":0.5,)"
            R"("mechanism":"objective","noise_stddev":0.1,"per_subject":3,"protection":"everyone",)"
            R"("rule":"paper","sensitivity":0.25,"shift_limit":0.3139})");
  EXPECT_EQ(
      promise_text(whole_promise(), kReceiptPromise),
      R"({"assumptions":["one","two"],"constants":[{"kind":"stated","name":"labels"}],"delta":1e-05,"epsilon":0.5,)"
      R"("mechanism":"objective","noise_stddev":0.1,"per_subject":3,"protection":"everyone",)"
      R"("rule":"paper","sensitivity":0.25,"shift_limit":0.3139})");
  EXPECT_EQ(
      promise_text(whole_promise(), kPublishedPromise),
      R"({"assumptions":["one","two"],"constants":[{"kind":"stated","name":"labels"}],"delta":1e-05,"epsilon":0.5,)"
      R"("mechanism":"objective","noise_stddev":0.1,"per_subject":3,"protection":"everyone",)"
      R"("releases":7,"sensitivity":0.25,"shift_limit":0.3139})");
  // What version 0.1 signed is spelled as it was.
  EXPECT_EQ(promise_text(whole_promise(), kReceiptPromise1),
            R"({"assumptions":["one","two"],"delta":1e-05,"epsilon":0.5,)"
            R"("mechanism":"objective","noise_stddev":0.1,"rule":"paper","shift_limit":0.3139})");
}

// Whoever reads a document gets what it shows, and nothing by accident.
TEST(PromiseText, WhatIsReadIsWhatIsShown) {
  const PromiseParts everything{true, true, true, true, true, true};
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

// A promise without it is spelled as before, so that documents that were signed stay what they are.
TEST(PromiseText, WhatTheFunctionOfRowsCostsIsSpelledOnlyWhereThereIsOne) {
  Promise promise = whole_promise();
  promise.embedding = RemovalGuarantee{0.25, 0};
  promise.with_embedding = guarantee_with_embedding(promise);
  for (const PromiseParts& parts : kEveryDocument) {
    EXPECT_EQ(promise_text(whole_promise(), parts).find("embedding"), std::string::npos);
    const std::string text = promise_text(promise, parts);
    EXPECT_NE(text.find(R"("embedding":{"delta":0.0,"epsilon":0.25})"), std::string::npos) << text;
    const Promise read = promise_from_json(nlohmann::json::parse(text), parts).value();
    EXPECT_EQ(promise_text(read, parts), text);
    auto damaged = nlohmann::json::parse(text);
    damaged.erase("with_embedding");
    EXPECT_THROW(static_cast<void>(promise_from_json(damaged, parts)), nlohmann::json::exception);
  }
  EXPECT_EQ(promise_text(promise, kReceiptPromise1), promise_text(whole_promise(), kReceiptPromise1));
  promise.with_embedding.reset();
  EXPECT_NE(promise_text(promise, kEntryPromise).find(R"("with_embedding":null)"), std::string::npos);
}

}  // namespace
}  // namespace unscatter
