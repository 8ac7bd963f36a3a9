// Published models as signed files.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "store/sample_workspace.h"
#include "unscatter/base/random.h"
#include "unscatter/store/receipt.h"

namespace unscatter {
namespace {

using testing::SampleChoice;
using testing::SampleWorkspace;

class Published : public ::testing::TestWithParam<const char*> {
 protected:
  Published() {
    for (const SampleChoice& choice : testing::sample_choices()) {
      if (choice.name != GetParam()) continue;
      const SampleWorkspace sample(testing::sample_setup(1, choice));
      Workspace workspace = sample.create();
      model_ = workspace.release().value();
      document_ = workspace.published_document().value();
      receipt_ = workspace.receipt(1).value();
      entry_ = workspace.entry(1).value();
      key_ = sample.how.key->public_key();
    }
  }

  [[nodiscard]] bool holds(const std::string& text) const {
    const Result<PublishedDocument> read = parse_published_model(text);
    return read.ok() && check_signature(*read, key_).ok();
  }

  PublishedModel model_;
  PublishedDocument document_;
  Receipt receipt_;
  LedgerRecord entry_;
  PublicKey key_;
};

TEST_P(Published, IsReadBackFromItsText) {
  const std::string text = published_model_text(document_);
  const PublishedDocument read = parse_published_model(text).value();
  EXPECT_EQ(published_model_text(read), text);
  EXPECT_EQ(read.model.weights, model_.weights);
  EXPECT_EQ(read.model.class_names, model_.class_names);
  EXPECT_EQ(read.model.bias, model_.bias);
  EXPECT_EQ(read.model.release_number, 1u);
  EXPECT_EQ(signed_text(read), signed_text(document_));
  EXPECT_TRUE(signed_text(read).starts_with("unscatter model 2\n{\"assumptions\":"));
  EXPECT_TRUE(holds(text));
}

// Entry, receipt and document speak of the same model.
TEST_P(Published, IsWhatTheEntryCommitsTo) {
  EXPECT_EQ(entry_.kind, EntryKind::kReleased);
  EXPECT_EQ(entry_.published_model, published_digest(document_));
  EXPECT_EQ(receipt_.published_model, published_digest(document_));
  EXPECT_EQ(receipt_.kind, EntryKind::kReleased);
  EXPECT_EQ(receipt_.release_number, 1u);
  EXPECT_EQ(receipt_.entry, document_.entry);
  EXPECT_EQ(document_.sequence, 1u);
  EXPECT_EQ(document_.entry, entry_hash(ledger_text(entry_)));
  EXPECT_EQ(document_.previous, entry_.previous);
  EXPECT_TRUE(check_signature(receipt_, key_).ok());
}

// Every part is under the signature, and what the entry commits to is under the digest as well.
TEST_P(Published, EveryFieldCounts) {
  using Change = std::function<void(PublishedDocument&)>;
  const std::vector<Change> committed = {
      [](PublishedDocument& d) { d.workspace[0] = d.workspace[0] == '0' ? '1' : '0'; },
      [](PublishedDocument& d) { d.features += " "; },
      [](PublishedDocument& d) { ++d.transform.scales; },
      [](PublishedDocument& d) { ++d.embedding_version; },
      [](PublishedDocument& d) { d.model.class_names[0] += "x"; },
      [](PublishedDocument& d) { ++d.model.release_number; },
      [](PublishedDocument& d) { d.model.promise.guarantee.epsilon *= 2; },
      [](PublishedDocument& d) { d.model.promise.assumptions.pop_back(); },
      [](PublishedDocument& d) { d.model.weights(0, 0) = std::nextafter(d.model.weights(0, 0), 9.0); },
      [](PublishedDocument& d) { d.model.bias = !d.model.bias; },
  };
  const std::vector<Change> signed_only = {
      [](PublishedDocument& d) { ++d.sequence; },           [](PublishedDocument& d) { d.previous.bytes[0] ^= 1; },
      [](PublishedDocument& d) { d.entry.bytes[31] ^= 1; }, [](PublishedDocument& d) { d.time[3] = '9'; },
      [](PublishedDocument& d) { d.software += "x"; },
  };
  for (const Change& change : committed) {
    PublishedDocument other = document_;
    change(other);
    EXPECT_NE(published_digest(other), published_digest(document_));
    EXPECT_FALSE(check_signature(other, key_).ok());
  }
  for (const Change& change : signed_only) {
    PublishedDocument other = document_;
    change(other);
    EXPECT_EQ(published_digest(other), published_digest(document_));
    EXPECT_FALSE(check_signature(other, key_).ok());
  }
  EXPECT_FALSE(check_signature(document_, testing::sample_key(2)->public_key()).ok());
}

TEST_P(Published, EveryChangedByteIsNoticed) {
  const std::string good = published_model_text(document_);
  Sequence random(31);
  for (int trial = 0; trial < 3000; ++trial) {
    std::string changed = good;
    const std::size_t place = random.below(good.size());
    changed[place] = static_cast<char>(changed[place] ^ static_cast<int>(1 + random.below(255)));
    ASSERT_FALSE(holds(changed)) << "byte " << place;
  }
  for (std::size_t size = 0; size < good.size(); size += 13) ASSERT_FALSE(holds(good.substr(0, size))) << size;
}

TEST_P(Published, WhatIsNoModelIsRefused) {
  const std::string good = published_model_text(document_);
  const auto with = [&](const std::string& old_text, const std::string& new_text) {
    std::string text = good;
    const std::size_t at = text.find(old_text);
    EXPECT_NE(at, std::string::npos) << old_text;
    return text.replace(at, old_text.size(), new_text);
  };
  for (const std::string& bad :
       {std::string(), std::string("{}"), std::string("null"), with("unscatter-model-2", "unscatter-model-1"),
        with("\"weights\": [", "\"weights\": [[],"), with("\"entry\"", "\"entri\""), good + "\n", " " + good,
        with("\"sequence\": 1", "\"sequence\": 1.0"), with("\"bias\": ", "\"bias\": 1, \"b\": ")}) {
    EXPECT_FALSE(parse_published_model(bad).ok()) << bad.substr(0, 80);
  }
}

INSTANTIATE_TEST_SUITE_P(OfSamples, Published, ::testing::Values("sound", "bias", "objective", "paper"),
                         [](const auto& chosen) { return std::string(chosen.param); });

TEST(PublishedDocument, IsThereAfterARelease) {
  SampleWorkspace sample;
  {
    Workspace workspace = sample.create();
    EXPECT_EQ(workspace.published_document().error().code, ErrorCode::kNotFound);
    ASSERT_TRUE(workspace.release().ok());
    EXPECT_TRUE(workspace.published_document().ok());
    const RemovalRequest request = ForgetGraph{3u};
    ASSERT_TRUE(workspace.forget(std::span(&request, 1)).ok());
    EXPECT_EQ(workspace.published_document().error().code, ErrorCode::kNotFound);
    ASSERT_TRUE(workspace.release().ok());
  }
  // The same document every time.
  const std::string text = published_model_text(sample.open().published_document().value());
  EXPECT_EQ(published_model_text(sample.open().published_document().value()), text);
  sample.how.key = nullptr;
  EXPECT_EQ(sample.open().published_document().error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace unscatter
