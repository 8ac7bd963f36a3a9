// A published model from its file alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "store/sample_workspace.h"
#include "support/random_graph.h"
#include "unscatter/learn/bias.h"
#include "unscatter/learn/predict.h"
#include "unscatter/store/receipt.h"

namespace unscatter {
namespace {

using testing::SampleChoice;
using testing::SampleWorkspace;

class Alone : public ::testing::TestWithParam<const char*> {
 protected:
  Alone() {
    for (const SampleChoice& choice : testing::sample_choices()) {
      if (choice.name != GetParam()) continue;
      const SampleWorkspace sample(testing::sample_setup(1, choice));
      data_ = sample.original();
      Workspace workspace = sample.create();
      model_ = workspace.release().value();
      text_ = published_model_text(workspace.published_document().value());
      rows_ = workspace.embedder().embed(data_).value();
    }
  }

  [[nodiscard]] Predictor by_file() const { return Predictor::create(parse_published_model(text_).value()).value(); }

  Dataset data_;
  PublishedModel model_;
  std::string text_;
  SparseBlockRows rows_;
};

// The workspace is gone.  What is left is the text.
TEST_P(Alone, PredictsWhatTheWorkspacePredictsBitForBit) {
  const Predictor predictor = by_file();
  EXPECT_EQ(predictor.class_names(), model_.class_names);
  for (std::size_t i = 0; i < data_.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(predictor.embedder().embed(data_.graphs[i]).value(), rows_.row(i));
    const Prediction alone = predictor.predict(data_.graphs[i]).value();
    const Prediction of_row = predictor.predict(rows_.row(i));
    EXPECT_EQ(alone.scores, of_row.scores);
    EXPECT_EQ(alone.predicted, of_row.predicted);
    EXPECT_EQ(alone.lead, of_row.lead);
  }
}

// The sums in their simplest form, coordinate after coordinate and the bias at the end: the order that is promised.
TEST_P(Alone, ScoresAreSumsInTheOrderOfTheCoordinates) {
  const Predictor predictor = by_file();
  const auto width = static_cast<Eigen::Index>(rows_.columns());
  for (std::size_t i = 0; i < data_.size(); ++i) {
    std::vector<double> dense(rows_.columns());
    rows_.copy_row(i, dense);
    const Prediction prediction = predictor.predict(rows_.row(i));
    ASSERT_EQ(prediction.scores.size(), model_.class_names.size());
    for (Eigen::Index k = 0; k < model_.weights.cols(); ++k) {
      double sum = 0;
      for (Eigen::Index c = 0; c < width; ++c) sum += dense[static_cast<std::size_t>(c)] * model_.weights(c, k);
      if (model_.bias) sum += model_.weights(width, k);
      EXPECT_EQ(prediction.scores[static_cast<std::size_t>(k)], sum);
    }
  }
}

TEST_P(Alone, ClassAndLeadFollowFromTheScores) {
  const Predictor predictor = by_file();
  const SparseBlockRows Z = model_.bias ? with_bias(rows_) : rows_;
  for (std::size_t i = 0; i < data_.size(); ++i) {
    const Prediction prediction = predictor.predict(rows_.row(i));
    // Another order of the same sums: the same class unless two scores are as close as rounding.
    if (prediction.lead > 1e-9) {
      EXPECT_EQ(prediction.predicted, predict(Z.row(i), model_.weights));
    }
    std::vector<double> sorted = prediction.scores;
    std::sort(sorted.rbegin(), sorted.rend());
    EXPECT_EQ(prediction.scores[prediction.predicted], sorted[0]);
    EXPECT_EQ(prediction.lead, sorted[0] - sorted[1]);
  }
}

INSTANTIATE_TEST_SUITE_P(Choices, Alone, ::testing::Values("sound", "bias", "squared_lbfgs", "everyone"));

PublishedDocument sample_document() {
  const SampleWorkspace sample(testing::sample_setup(1));
  Workspace workspace = sample.create();
  static_cast<void>(workspace.release().value());
  return workspace.published_document().value();
}

// Each is a file that a lax reader would use all the same, and predict nonsense or ask for all memory.
TEST(Predictor, RefusesAModelWhosePartsDoNotFit) {
  const PublishedDocument good = sample_document();
  ASSERT_TRUE(Predictor::create(good).ok());
  const auto refused = [](const PublishedDocument& document, std::string_view reason) {
    const Result<Predictor> predictor = Predictor::create(document);
    ASSERT_FALSE(predictor.ok());
    EXPECT_NE(predictor.error().message.find(reason), std::string::npos) << predictor.error().message;
  };
  PublishedDocument document = good;
  ++document.embedding_version;
  refused(document, "embeddings of version");
  document = good;
  document.features = "no-such-block";
  refused(document, "none that this program knows");
  document = good;
  document.features = "log-degree";
  refused(document, "but its embedding has");
  document = good;
  document.transform.scales = 3;
  refused(document, "but its embedding has");
  document = good;
  document.transform.family = "windows";
  document.transform.random_features = std::size_t{1} << 60;
  refused(document, "coordinates");
  document = good;
  // Four nodes of the tree, three channels, one moment.  With 2^62 moments more the width is the same modulo 2^64.
  document.transform.scales = 3;
  document.model.weights = Matrix::Zero(12, document.model.weights.cols());
  ASSERT_TRUE(Predictor::create(document).ok());
  document.transform.moments += std::size_t{1} << 62;
  refused(document, "or more");
  document = good;
  document.model.bias = !document.model.bias;
  refused(document, "but its embedding has");
  document = good;
  document.model.class_names.emplace_back("one more");
  refused(document, "classes");
}

TEST(Predictor, AGraphWithoutWhatTheModelNeedsIsRefused) {
  const Predictor predictor = Predictor::create(sample_document()).value();
  const Result<Prediction> prediction = predictor.predict(testing::random_graph(1, {.nodes = 4, .attributes = 3}));
  ASSERT_FALSE(prediction.ok());
  EXPECT_NE(prediction.error().message.find("3 attributes per node, not 2"), std::string::npos)
      << prediction.error().message;
}

// Messages are for people: no text of the JSON library.
TEST(ParsePublishedModel, SaysInWordsWhatIsWrong) {
  EXPECT_EQ(parse_published_model("").error().message, "this is no published model: it is empty");
  EXPECT_EQ(parse_published_model("{\"format\":").error().message,
            "this is no published model: it is not JSON, or it is cut off");
  EXPECT_EQ(parse_published_model("{}").error().message,
            "this is no published model: a field of it is missing, or holds something else than it should");
}

}  // namespace
}  // namespace unscatter
