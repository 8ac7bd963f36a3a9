#include "store/constants.h"

#include <gtest/gtest.h>

#include <limits>

#include "store/sample_workspace.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

Constants sample_constants() {
  Constants constants;
  constants.name = "café \"1\"";
  constants.class_names = {"-1", "1"};
  constants.features = "log-degree";
  constants.transform.spectral.method = SpectralMethod::kChebyshev;
  constants.options.row_norm = 1.25;
  return constants;
}

TEST(Constants, AreReadBackFromTheirTextForEveryChoice) {
  for (const testing::SampleChoice& choice : testing::sample_choices()) {
    SCOPED_TRACE(choice.name);
    Constants constants = sample_constants();
    constants.options = choice.options;
    const std::string text = constants_text(constants).value();
    const Constants read = parse_constants(text).value();
    EXPECT_EQ(constants_text(read).value(), text);
    EXPECT_EQ(read.name, constants.name);
    EXPECT_EQ(read.class_names, constants.class_names);
    EXPECT_EQ(read.features, constants.features);
    EXPECT_EQ(read.transform.spectral.method, SpectralMethod::kChebyshev);
    EXPECT_EQ(read.options.loss, choice.options.loss);
    EXPECT_EQ(read.options.regularisation, choice.options.regularisation);
    EXPECT_EQ(read.options.bias, choice.options.bias);
    EXPECT_EQ(read.options.optimizer, choice.options.optimizer);
    EXPECT_EQ(read.options.mechanism, choice.options.mechanism);
    EXPECT_EQ(read.options.guarantee.epsilon, choice.options.guarantee.epsilon);
    EXPECT_EQ(read.options.guarantee.delta, choice.options.guarantee.delta);
    EXPECT_EQ(read.options.noise_stddev, choice.options.noise_stddev);
    EXPECT_EQ(read.options.releases, choice.options.releases);
    EXPECT_EQ(read.options.distance_limit, choice.options.distance_limit);
    EXPECT_EQ(read.options.bound, choice.options.bound);
    EXPECT_EQ(read.options.rule, choice.options.rule);
    EXPECT_EQ(read.options.report_all_bounds, choice.options.report_all_bounds);
    EXPECT_EQ(read.options.row_norm, choice.options.row_norm);
    EXPECT_EQ(read.options.retrain_when_exceeded, choice.options.retrain_when_exceeded);
    EXPECT_EQ(read.options.fast_rung, choice.options.fast_rung);
    EXPECT_EQ(read.options.removal, choice.options.removal);
    EXPECT_EQ(read.options.method, choice.options.method);
    EXPECT_EQ(read.options.protection, choice.options.protection);
    EXPECT_EQ(read.options.per_subject, choice.options.per_subject);
    EXPECT_EQ(read.options.ridge, choice.options.ridge);
  }
}

// The recipe is a text of its own, and stands nowhere else.
TEST(Constants, ARecipeIsKeptAsItIsWritten) {
  Constants constants = sample_constants();
  EXPECT_EQ(constants_text(constants).value().find("recipe"), std::string::npos);
  constants.features = "form";
  constants.transform.family = "blocks";
  for (const char* recipe : {"auto", "size*3 + paths:5 > fourier:64:2:1 > scale:0.1"}) {
    constants.transform.recipe = recipe;
    const std::string text = constants_text(constants).value();
    EXPECT_EQ(parse_constants(text).value().transform.recipe, recipe);
    const std::shared_ptr<const Embedder> embedder = make_embedder(constants, "form:labels").value();
    EXPECT_EQ(embedder->describe(), make_embedder(parse_constants(text).value(), "form:labels").value()->describe());
    EXPECT_EQ(embedder->refits(), true);
  }
  // The bare name in a file is that of the first edition, and is written again as it was read.
  constants.transform.recipe = "auto@1";
  const std::string first = constants_text(constants).value();
  EXPECT_NE(first.find("\"recipe\":\"auto\""), std::string::npos) << first;
  EXPECT_EQ(parse_constants(first).value().transform.recipe, "auto@1");
  EXPECT_EQ(constants_text(parse_constants(first).value()).value(), first);
  // A file of the second edition names it, before and after.
  constants.transform.recipe = "auto@2";
  const std::string second = constants_text(constants).value();
  EXPECT_NE(second.find("\"recipe\":\"auto@2\""), std::string::npos) << second;
  EXPECT_EQ(parse_constants(second).value().transform.recipe, "auto@2");
  constants.transform.recipe = "auto";
  EXPECT_NE(constants_text(constants).value().find("\"recipe\":\"auto@3\""), std::string::npos);
  // A recipe that cannot be computed is no workspace's.
  constants.transform.recipe = "sise";
  EXPECT_FALSE(make_embedder(constants, "form:labels").ok());
}

// A workspace of unscatter 0.1 keeps its text, byte for byte.
TEST(Constants, OfVersion1AreReadAsTheyWere) {
  Constants constants = sample_constants();
  constants.version = 1;
  const std::string text = constants_text(constants).value();
  EXPECT_EQ(text.find("version"), std::string::npos);
  const Constants read = parse_constants(text).value();
  EXPECT_EQ(read.version, 1u);
  EXPECT_EQ(read.embedding_version, 1u);
  EXPECT_EQ(constants_text(read).value(), text);
  EXPECT_NE(constants_text(sample_constants()).value(), text);
}

TEST(Constants, OfANewerVersionAreRefused) {
  std::string text = constants_text(sample_constants()).value();
  const std::string good = R"("version":2)";
  text.replace(text.rfind(good), good.size(), R"("version":3)");
  const Result<Constants> read = parse_constants(text);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("newer"), std::string::npos) << read.error().message;
}

// Weights belong to the embeddings that they were trained on.
TEST(Constants, OfAnotherEmbeddingAreRefused) {
  Constants constants = sample_constants();
  EXPECT_TRUE(make_embedder(constants, "log-degree").ok());
  ++constants.embedding_version;
  const Constants read = parse_constants(constants_text(constants).value()).value();
  const auto embedder = make_embedder(read, "log-degree");
  ASSERT_FALSE(embedder.ok());
  EXPECT_EQ(embedder.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(embedder.error().message.find("train again"), std::string::npos) << embedder.error().message;
}

// Threads and progress belong to whoever runs it, not to the workspace.
TEST(Constants, DoNotSayHowTheyAreRun) {
  Constants constants = sample_constants();
  const std::string text = constants_text(constants).value();
  constants.options.threads = 7;
  EXPECT_EQ(constants_text(constants).value(), text);
}

TEST(Constants, EveryChangedByteIsRefusedOrIsSpelledThatWay) {
  const std::string text = constants_text(sample_constants()).value();
  Sequence random(3);
  std::size_t refused = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ static_cast<int>(1 + random.below(255)));
    const Result<Constants> read = parse_constants(changed);
    if (read.ok()) {
      EXPECT_EQ(constants_text(*read).value(), changed);
    } else {
      EXPECT_EQ(read.error().code, ErrorCode::kMalformedInput);
      ++refused;
    }
  }
  EXPECT_GT(refused, text.size() / 2);
  for (const char* bad : {"", "{}", "[]", "null", "{\"name\":1}"}) EXPECT_FALSE(parse_constants(bad).ok()) << bad;
}

TEST(Constants, WhatTextCannotSayIsRefused) {
  const auto refused = [](const std::function<void(Constants&)>& change, const std::string& part) {
    Constants constants = sample_constants();
    change(constants);
    const Result<std::string> text = constants_text(constants);
    ASSERT_FALSE(text.ok()) << part;
    EXPECT_EQ(text.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(text.error().message.find(part), std::string::npos) << text.error().message;
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  refused([](Constants& c) { c.name = "\xff"; }, "UTF-8");
  refused([](Constants& c) { c.class_names[1] = "\xc3"; }, "UTF-8");
  refused([](Constants& c) { c.options.distance_limit = std::numeric_limits<double>::infinity(); }, "finite");
  refused([](Constants& c) { c.transform.pagerank_damping = std::numeric_limits<double>::quiet_NaN(); }, "finite");
  refused([](Constants& c) { c.transform.spectral.frame.max_upper = kInfinity; }, "finite");
  refused([](Constants& c) { c.options.regularisation = -1; }, "lambda");
}

TEST(Constants, OptionsThatNoSessionTakesAreRefused) {
  std::string text = constants_text(sample_constants()).value();
  const std::string good = R"("lambda":0.001)";
  const std::size_t place = text.find(good);
  ASSERT_NE(place, std::string::npos);
  text.replace(place, good.size(), R"("lambda":-1.0)");
  const Result<Constants> read = parse_constants(text);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("lambda"), std::string::npos);
}

TEST(Constants, KeepTheWindowsOfATransform) {
  Constants constants = sample_constants();
  constants.transform.windows = 7;
  constants.transform.random_features = 64;
  constants.transform.sharpness = 0.125;
  const Constants read = parse_constants(constants_text(constants).value()).value();
  EXPECT_EQ(read.transform.windows, 7u);
  EXPECT_EQ(read.transform.random_features, 64u);
  EXPECT_EQ(read.transform.sharpness, 0.125);
}

// A transform that does not symmetrise is spelled as before, so that older workspaces keep their text.
TEST(Constants, SayWhetherDirectionsAreTakenAway) {
  Constants constants = sample_constants();
  const std::string without = constants_text(constants).value();
  EXPECT_EQ(without.find("symmetrise"), std::string::npos);
  EXPECT_FALSE(parse_constants(without)->transform.symmetrise);
  constants.transform.symmetrise = true;
  const std::string with = constants_text(constants).value();
  EXPECT_NE(with.find("\"symmetrise\":true"), std::string::npos);
  EXPECT_TRUE(parse_constants(with)->transform.symmetrise);
  EXPECT_TRUE(make_embedder(parse_constants(with).value(), "log-degree").value()->symmetrises());
  // Said in two ways it would have two digests.
  std::string spelled = with;
  spelled.replace(spelled.find("\"symmetrise\":true"), 17, "\"symmetrise\":false");
  EXPECT_FALSE(parse_constants(spelled).ok());
}

// Both are spelled only where they say something, so that older workspaces keep their text.
TEST(Constants, KeepTheScaleOfRowsAndWhatTheirFunctionCosts) {
  Constants constants = sample_constants();
  const std::string without = constants_text(constants).value();
  EXPECT_EQ(without.find("row_scale"), std::string::npos);
  EXPECT_EQ(without.find("embedding_epsilon"), std::string::npos);
  constants.transform.family = "rows";
  constants.transform.row_scale = 12.5;
  constants.options.embedding_guarantee = RemovalGuarantee{2, 1e-7};
  const Constants read = parse_constants(constants_text(constants).value()).value();
  EXPECT_EQ(read.transform.row_scale, 12.5);
  ASSERT_TRUE(read.options.embedding_guarantee.has_value());
  EXPECT_EQ(read.options.embedding_guarantee->epsilon, 2);
  EXPECT_EQ(read.options.embedding_guarantee->delta, 1e-7);
  // A scale that divides by nothing makes no transform.
  constants.transform.row_scale = 0;
  EXPECT_FALSE(make_embedder(constants, "attributes:2").ok());
}

TEST(Constants, MakeTheEmbedderTheyDescribe) {
  Constants constants = sample_constants();
  const auto embedder = make_embedder(constants, "log-degree").value();
  EXPECT_NE(embedder->describe().find("log-degree"), std::string::npos);
  EXPECT_EQ(embedder->row_norm(), RowNorm::kClip);
  EXPECT_FALSE(make_embedder(constants, "shoe-size").ok());
  EXPECT_FALSE(make_embedder(constants, "log-degree+constant").ok());  // the rule has one block
  constants.transform.family = "fourier";
  EXPECT_FALSE(make_embedder(constants, "log-degree").ok());
}

TEST(Constants, SayWhereTheyComeFrom) {
  Constants constants = sample_constants();
  constants.features = "labels+soft-degree";
  constants.fit = ConstantKind::kPrivateFit;
  constants.transform.row_norm = RowNorm::kNone;
  constants.options.classes = ConstantKind::kPublicData;
  constants.options.constants = {{"transform", ConstantKind::kStated}, {"é", ConstantKind::kBuiltIn}};
  const Constants read = parse_constants(constants_text(constants).value()).value();
  EXPECT_EQ(read.fit, ConstantKind::kPrivateFit);
  EXPECT_EQ(read.transform.row_norm, RowNorm::kNone);
  EXPECT_EQ(read.options.classes, ConstantKind::kPublicData);
  EXPECT_EQ(read.options.constants, constants.options.constants);
  const auto embedder = make_embedder(read, "labels:1,2+soft-degree:16").value();
  EXPECT_TRUE(embedder->refits());
  EXPECT_EQ(embedder->origins(), (std::vector<ConstantOrigin>{{"labels", ConstantKind::kPrivateFit},
                                                              {"soft-degree", ConstantKind::kBuiltIn}}));
}

// Unscatter 0.1 clipped nothing, and did not say where constants came from.
TEST(Constants, OfVersionOneAreBelievedTheLeast) {
  Constants constants = sample_constants();
  constants.version = 1;
  constants.embedding_version = 1;
  const Constants read = parse_constants(constants_text(constants).value()).value();
  EXPECT_EQ(read.transform.row_norm, RowNorm::kNone);
  EXPECT_EQ(read.options.classes, ConstantKind::kFittedOnce);
  const auto embedder = make_embedder(read, "labels:1,2+constant").value();
  EXPECT_FALSE(embedder->refits());
  for (const ConstantOrigin& origin : embedder->origins()) EXPECT_EQ(origin.kind, ConstantKind::kFittedOnce);
}

}  // namespace
}  // namespace unscatter
