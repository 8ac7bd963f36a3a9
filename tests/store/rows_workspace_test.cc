// Rows that were made outside, in a workspace: what is stored, promised, published and verified.
#include <gtest/gtest.h>

#include <cmath>

#include "store/sample_workspace.h"
#include "store/tables.h"
#include "support/random_rows.h"
#include "unscatter/store/receipt.h"

namespace unscatter {
namespace {

using testing::SampleWorkspace;

// 30 rows of two numbers: fewer coordinates than a transform has moments.
WorkspaceSetup rows_setup(std::optional<RemovalGuarantee> embedding, double scale = 2) {
  const Matrix entries = testing::random_matrix(3, 2, 30);
  std::vector<double> values(entries.data(), entries.data() + entries.size());
  std::vector<std::string> labels;
  std::vector<std::string> ids;
  std::vector<std::string> subjects;
  for (std::size_t i = 0; i < 30; ++i) {
    labels.emplace_back(values[2 * i] > 0 ? "right" : "left");
    ids.push_back("row " + std::to_string(i));
    subjects.push_back("person " + std::to_string(i / 2));
  }
  WorkspaceSetup setup;
  setup.dataset = dataset_from_rows("points", {values, 2, labels, ids, subjects}).value();
  setup.features = "attributes:2";
  setup.transform.family = "rows";
  setup.transform.row_scale = scale;
  setup.options.embedding_guarantee = embedding;
  setup.options.classes = ConstantKind::kStated;
  return setup;
}

constexpr RemovalGuarantee kLearned{0.5, 1e-6};

TEST(RowsWorkspace, ForgetsRowsAndPeopleAndVerifies) {
  const SampleWorkspace sample(rows_setup(std::nullopt));
  {
    Workspace workspace = sample.create();
    const std::vector<RemovalRequest> requests = {ForgetGraph{"row 3"}, ForgetSubject{"person 7"}};
    ASSERT_TRUE(workspace.forget(requests).ok());
  }
  {
    const Workspace workspace = sample.open();
    EXPECT_EQ(workspace.info().graphs, 27u);
    EXPECT_EQ(workspace.info().transform.row_scale, 2);
    EXPECT_FALSE(workspace.info().certificate.promise.embedding.has_value());
    const Dataset left = workspace.remaining().value();
    const SparseBlockRows z = workspace.embedder().embed(left).value();
    for (std::size_t i = 0; i < left.size(); ++i) {
      EXPECT_EQ(z.row(i).values[0], left.graphs[i].attributes(0)[0] / 2) << i;
    }
  }
  const Verification verification = sample.verify({.retrain = true});
  EXPECT_TRUE(verification.passed) << testing::all_details(verification);
}

// A model of two coordinates comes back from its file and predicts.
TEST(RowsWorkspace, APublishedModelPredictsRows) {
  const SampleWorkspace sample(rows_setup(kLearned));
  Workspace workspace = sample.create();
  ASSERT_TRUE(workspace.release().ok());
  const PublishedDocument document = workspace.published_document().value();
  const PublishedDocument read = parse_published_model(published_model_text(document)).value();
  EXPECT_EQ(read.transform.row_scale, 2);
  ASSERT_TRUE(read.model.promise.with_embedding.has_value());
  EXPECT_GE(read.model.promise.with_embedding->epsilon, 1.5);
  const Predictor predictor = Predictor::create(read).value();
  std::size_t right = 0;
  for (std::size_t i = 0; i < sample.original().size(); ++i) {
    const BlockRow row = predictor.embedder().embed(sample.original().graphs[i]).value();
    right += predictor.predict(row).predicted == sample.original().labels[i] ? 1u : 0u;
  }
  EXPECT_GE(right, 25u);
}

// The same constants without a guarantee of the embedding are spelled as if there were no such thing.
TEST(RowsWorkspace, WhatTheFunctionCostsStandsInEveryDocument) {
  for (const bool learned : {false, true}) {
    const SampleWorkspace sample(rows_setup(learned ? std::optional(kLearned) : std::nullopt));
    std::optional<Workspace> open = sample.create();
    Workspace& workspace = *open;
    const RemovalRequest request = ForgetGraph{"row 3"};
    const Receipt receipt = workspace.forget(std::span(&request, 1)).value().receipt;
    const LedgerRecord entry = workspace.entry(receipt.sequence).value();
    ASSERT_TRUE(workspace.release().ok());
    for (const std::string& text :
         {signed_text(receipt), ledger_text(entry), signed_text(workspace.published_document().value())}) {
      EXPECT_EQ(text.find("embedding\":{\"delta\":1e-06") != std::string::npos, learned) << text;
      EXPECT_EQ(text.find("with_embedding") != std::string::npos, learned) << text;
      EXPECT_NE(text.find(R"({"kind":"outside","name":"rows"})"), std::string::npos) << text;
    }
    EXPECT_EQ(parse_receipt(receipt_text(receipt))->promise.with_embedding.has_value(), learned);
    open.reset();  // whoever verifies needs the file alone
    const Verification verification = sample.verify();
    EXPECT_TRUE(verification.passed) << testing::all_details(verification);
  }
}

// Planted faults.  The forger has the key, and makes rows and models promise less than the two together cost.
TEST(RowsWorkspace, ALedgerThatPromisesLessThanTheConstantsIsFound) {
  using Fault = void (*)(Promise&);
  const std::vector<std::pair<const char*, Fault>> faults = {
      {"constants give", [](Promise& promise) { promise.embedding->epsilon = 0.25; }},
      {"constants give",
       [](Promise& promise) {
         promise.embedding.reset();
         promise.with_embedding.reset();
       }},
      {"models and rows together", [](Promise& promise) { promise.with_embedding = promise.guarantee; }},
      {"models and rows together", [](Promise& promise) { promise.with_embedding.reset(); }},
      {"constants give", [](Promise& promise) {
         for (ConstantOrigin& origin : promise.constants) {
           if (origin.kind == ConstantKind::kOutside) origin.kind = ConstantKind::kBuiltIn;
         }
       }}};
  for (const auto& [words, fault] : faults) {
    SampleWorkspace sample(rows_setup(kLearned));
    static_cast<void>(sample.create());
    sample.rewrite_ledger([&fault = fault](LedgerRecord& record) { fault(record.promise); }, *sample.how.key);
    const Verification verification = sample.verify();
    EXPECT_FALSE(verification.passed);
    EXPECT_NE(testing::all_details(verification).find(words), std::string::npos) << testing::all_details(verification);
  }
}

// Further counts of models add to the models' part; the function was trained once and counts once.
TEST(RowsWorkspace, TheFunctionCountsOnceForAllCounts) {
  WorkspaceSetup setup = rows_setup(kLearned);
  setup.options.releases = 1;
  const SampleWorkspace sample(setup);
  Promise promise;
  {
    Workspace workspace = sample.create();
    ASSERT_TRUE(workspace.release().ok());
    ASSERT_TRUE(workspace.renew().ok());
    promise = workspace.info().certificate.promise;
  }
  ASSERT_TRUE(promise.together.has_value());
  ASSERT_TRUE(promise.with_embedding.has_value());
  EXPECT_NEAR(promise.with_embedding->epsilon, promise.together->epsilon + kLearned.epsilon, 1e-12);
  EXPECT_NEAR(promise.with_embedding->delta, promise.together->delta + kLearned.delta, 1e-18);
  const Verification verification = sample.verify();
  EXPECT_TRUE(verification.passed) << testing::all_details(verification);
}

}  // namespace
}  // namespace unscatter
