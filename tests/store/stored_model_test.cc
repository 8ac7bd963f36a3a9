#include "store/stored_model.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/testing/seeded_random.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

StoredModel model_to_store() {
  StoredModel model;
  model.weights = Matrix::Random(3, 2);
  model.weights(0, 0) = -0.0;
  model.weights(1, 1) = std::numeric_limits<double>::denorm_min();
  model.residuals = Vector::Constant(2, 1e-13);
  model.perturbation = Matrix::Random(3, 2);
  model.certificate.satisfied = true;
  model.certificate.bounds.tight = 0.1;
  model.certificate.bounds.worst = std::numeric_limits<double>::infinity();
  model.certificate.promise.assumptions = {"one", "two"};
  model.rungs = {1, 2, 3, 4};
  model.published = 5;
  return model;
}

ModelRow row_of(const StoredModel& model, std::uint64_t seed = 1) {
  testing::SeededRandom random(seed);
  return to_row(model, random);
}

TEST(StoredModel, IsReadBackBitForBit) {
  const StoredModel model = model_to_store();
  const ModelRow row = row_of(model);
  const StoredModel read = model_from_row(row, 3, 2).value();
  EXPECT_EQ(to_blob(read.weights), to_blob(model.weights));
  EXPECT_EQ(read.residuals, model.residuals);
  EXPECT_EQ(to_blob(*read.perturbation), to_blob(*model.perturbation));
  EXPECT_EQ(read.rungs, model.rungs);
  EXPECT_EQ(read.published, 5u);
  EXPECT_EQ(read.certificate.bounds.tight, 0.1);
  EXPECT_EQ(read.certificate.promise.assumptions, model.certificate.promise.assumptions);
  // An infinite bound says as much as none.
  EXPECT_FALSE(read.certificate.bounds.worst.has_value());
  EXPECT_EQ(row_of(read).details, row.details);
}

TEST(StoredModel, NumbersAreLittleEndianColumnByColumn) {
  Matrix matrix(2, 2);
  matrix << 1, 2, 3, 4;
  const std::vector<std::byte> blob = to_blob(matrix);
  ASSERT_EQ(blob.size(), 32u);
  EXPECT_EQ(blob[7], std::byte{0x3f});   // 1.0 ends in f0 3f
  EXPECT_EQ(blob[15], std::byte{0x40});  // then 3.0, 00 .. 08 40
  EXPECT_EQ(blob[14], std::byte{0x08});
}

TEST(StoredModel, TheDigestCoversEveryPartAndTheSalt) {
  const StoredModel model = model_to_store();
  const ModelRow row = row_of(model);
  const Digest digest = row.digest();
  EXPECT_NE(row_of(model, 2).digest(), digest);
  for (const auto change :
       {+[](ModelRow& r) { r.weights[5] ^= std::byte{1}; }, +[](ModelRow& r) { r.residuals[0] ^= std::byte{1}; },
        +[](ModelRow& r) { (*r.perturbation)[9] ^= std::byte{1}; }, +[](ModelRow& r) { r.perturbation.reset(); },
        +[](ModelRow& r) { r.details += " "; }, +[](ModelRow& r) { r.salt.bytes[31] ^= 1; },
        // A byte that moves from one part to the next.
        +[](ModelRow& r) {
          r.residuals.insert(r.residuals.begin(), r.weights.back());
          r.weights.pop_back();
        }}) {
    ModelRow other = row;
    change(other);
    EXPECT_NE(other.digest(), digest);
  }
}

TEST(StoredModel, PartsThatDoNotFitAreRefused) {
  const ModelRow row = row_of(model_to_store());
  EXPECT_FALSE(model_from_row(row, 4, 2).ok());
  EXPECT_FALSE(model_from_row(row, 2, 3).ok());
  for (const auto change : {+[](ModelRow& r) { r.weights.pop_back(); }, +[](ModelRow& r) { r.residuals.resize(24); },
                            +[](ModelRow& r) { r.perturbation->resize(8); }, +[](ModelRow& r) { r.details = "{}"; },
                            +[](ModelRow& r) { r.details += " "; }}) {
    ModelRow other = row;
    change(other);
    const Result<StoredModel> read = model_from_row(other, 3, 2);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code, ErrorCode::kMalformedInput);
  }
}

TEST(StoredModel, EveryChangedByteOfItsTextIsRefusedOrIsSpelledThatWay) {
  const ModelRow row = row_of(model_to_store());
  Sequence random(5);
  for (std::size_t i = 0; i < row.details.size(); ++i) {
    ModelRow other = row;
    other.details[i] = static_cast<char>(other.details[i] ^ static_cast<int>(1 + random.below(255)));
    const Result<StoredModel> read = model_from_row(other, 3, 2);
    if (read.ok()) {
      EXPECT_EQ(row_of(*read).details, other.details);
    }
  }
}

TEST(PublishedText, IsReadBack) {
  PublishedModel model;
  model.class_names = {"a", "b"};
  model.bias = true;
  model.promise.mechanism = Mechanism::kObjective;
  model.promise.guarantee = {1, 1e-4};
  model.promise.noise_stddev = 0.1;
  model.promise.shift_limit = 0.3;
  model.release_number = 2;
  model.promise.releases = 7;
  model.promise.assumptions = {"none"};
  const std::string text = published_text(model);
  EXPECT_EQ(published_text(parse_published(text).value()), text);
  for (const std::string& bad : {std::string(), std::string("{}"), text + " ", "[" + text + "]"}) {
    EXPECT_FALSE(parse_published(bad).ok());
  }
}

}  // namespace
}  // namespace unscatter
