#include "embedding/blocks/recipe.h"

#include <gtest/gtest.h>

#include "embedding/blocks/recipes.h"
#include "unscatter/base/random.h"
#include "unscatter/embedding/transform_spec.h"

namespace unscatter::recipe_test {
namespace {

std::string message_of(std::string_view text) {
  const Result<Recipe> recipe = parse_recipe(text);
  EXPECT_FALSE(recipe.ok()) << text;
  if (recipe.ok()) return {};
  EXPECT_EQ(recipe.error().code, ErrorCode::kInvalidArgument);
  return recipe.error().message;
}

TEST(Recipe, ReadsPartsConstantsWeightsAndTheLastStep) {
  const Recipe recipe = parse_recipe(" size*3+label-counts : 7 *0.25 + paths:4 > fourier:128:2.5:17 ").value();
  ASSERT_EQ(recipe.parts.size(), 3u);
  EXPECT_EQ(recipe.parts[0].kind->name, "size");
  EXPECT_EQ(recipe.parts[0].weight, 3);
  EXPECT_EQ(recipe.parts[1].constants, std::vector<double>{7});
  EXPECT_EQ(recipe.parts[1].weight, 0.25);
  EXPECT_EQ(recipe.parts[2].constants, (std::vector<double>{4, 1024}));
  EXPECT_EQ(recipe.parts[2].weight, 1);
  ASSERT_TRUE(recipe.fourier);
  EXPECT_EQ(*recipe.fourier, (FourierStep{128, 2.5, 17}));
  EXPECT_EQ(write_recipe(recipe), "size*3 + label-counts:7*0.25 + paths:4 > fourier:128:2.5:17");
  EXPECT_EQ(parse_recipe("size > fourier").value().fourier, (FourierStep{4096, 1, 1}));
  EXPECT_EQ(parse_recipe("size>scale:0.25").value().scale, 0.25);
  EXPECT_EQ(write_recipe(parse_recipe("size>fourier:8>scale:0.5").value()), "size > fourier:8:1:1 > scale:0.5");
  EXPECT_EQ(write_recipe(parse_recipe("size > scale:1").value()), "size");
  EXPECT_EQ(parse_recipe("size > scale:0.25:70").value().doubt, 70);
  EXPECT_EQ(write_recipe(parse_recipe("size > scale:0.25:70").value()), "size > scale:0.25:70");
  EXPECT_EQ(write_recipe(parse_recipe("size > scale:1:2.5").value()), "size > scale:1:2.5");
  // An exponent may have a sign, and is no second part.
  EXPECT_EQ(parse_recipe("size*1e+2 + kinds").value().parts[0].weight, 100);
}

// Random recipes survive being written and read.
TEST(Recipe, ParseOfWriteIsTheSame) {
  Sequence random(17);
  for (int trial = 0; trial < 2000; ++trial) {
    Recipe recipe;
    for (const PartKind& kind : part_kinds()) {
      if (!random.chance(0.3)) continue;
      RecipePart part{&kind, {}, 1};
      for (const PartConstant& constant : kind.constants) {
        const double drawn = constant.low + random.unit() * (constant.high - constant.low);
        part.constants.push_back(random.chance(0.3) ? constant.usual : constant.whole ? std::floor(drawn) : drawn);
      }
      if (random.chance(0.5)) part.weight = std::exp(20 * random.unit() - 10);
      recipe.parts.push_back(std::move(part));
    }
    if (recipe.parts.empty()) continue;
    if (random.chance(0.4)) {
      recipe.fourier = {2 + 2 * random.below(2000), std::exp(10 * random.unit() - 5), random.below(1000000000000),
                        random.chance(0.5)};
    }
    if (random.chance(0.3)) recipe.scale = std::exp(-10 * random.unit());
    if (random.chance(0.3)) recipe.doubt = std::exp(10 * random.unit());
    const std::string text = write_recipe(recipe);
    const Result<Recipe> again = parse_recipe(text);
    ASSERT_TRUE(again.ok()) << text << ": " << again.error().message;
    EXPECT_EQ(*again, recipe) << text;
    EXPECT_EQ(write_recipe(*again), text);
  }
}

// Whatever the text is, the answer is a recipe that can be written and read, or an error that names a part.
TEST(Recipe, AnyTextGivesARecipeOrAnError) {
  const std::vector<std::string_view> pieces = {
      "size", "paths", "shapes", ":",   "*", "+", ">",   "fourier", "drawn:8", "scale:0.1", " ",
      "3",    "1e+3",  "-2",     "nan", ",", "0", "1e9", "\n",      "kinds",   "(",         "x"};
  Sequence random(3);
  std::size_t good = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    std::string text;
    for (std::uint64_t k = random.below(9); k > 0; --k) text += pieces[random.below(pieces.size())];
    const Result<Recipe> recipe = parse_recipe(text);
    if (recipe.ok()) {
      ++good;
      EXPECT_EQ(parse_recipe(write_recipe(*recipe)).value(), *recipe) << text;
    } else {
      EXPECT_EQ(recipe.error().code, ErrorCode::kInvalidArgument);
      EXPECT_NE(recipe.error().message.find("recipe, part '"), std::string::npos) << text;
    }
  }
  EXPECT_GT(good, 100u);
}

TEST(Recipe, ErrorsNameThePartAndWhatWasMeant) {
  const auto says = [](std::string_view text, std::string_view what) {
    EXPECT_NE(message_of(text).find(what), std::string::npos) << message_of(text);
  };
  says("size + shape", "part 'shape'");
  says("size + shape", "did you mean 'shapes'?");
  says("edge-kind:4", "did you mean 'edge-kinds'?");
  says("jacard", "did you mean 'jaccard'?");
  says("zzzz", "there are");
  says("size:3", "takes no constants");
  says("paths:3:4:5", "at most 2 constants");
  says("paths:0", "from 1 to");
  says("paths:2.5", "whole number");
  says("size*0", "'weight'");
  says("size*nan", "'weight'");
  says("size*", "'weight'");
  says("", "a name is missing");
  says("size + + kinds", "a name is missing");
  says("size + kinds + size*2", "twice");
  says("fourier:64 + size", "last step");
  says("size > 4096", "fourier");
  says("size > fourier:7", "even");
  says("size > fourier:8:0", "gamma");
  says("size > fourier:8:1:1:1", "at most 3");
  says("size > fourier:8 > fourier:8", "only 'scale'");
  says("size > scale:0.1 > fourier:8", "nothing follows");
  says("size > scale:2", "from 1e-06 to 1");
  says("size > scale:0", "'scale'");
  says("size > scale:0.1:-1", "'doubt'");
  says("size > scale:0.1:1:1", "at most 2");
  says("scale:0.1", "last step");
  says("size >", "fourier");
}

TEST(Recipe, NamesOfPartsAreSortedAndDistinct) {
  for (std::size_t k = 1; k < part_kinds().size(); ++k) EXPECT_LT(part_kinds()[k - 1].name, part_kinds()[k].name);
  for (const std::string_view name : recipe_names()) EXPECT_EQ(find_part_kind(name), nullptr) << name;
}

TEST(Recipe, TheCanonicalTextIsWhatIsKept) {
  EXPECT_EQ(canonical_recipe("auto").value(), "auto");
  EXPECT_EQ(canonical_recipe("auto@3").value(), "auto");
  EXPECT_EQ(canonical_recipe("auto@2").value(), "auto@2");
  EXPECT_EQ(canonical_recipe("auto@1").value(), "auto@1");
  EXPECT_FALSE(canonical_recipe("auto@4").ok());
  EXPECT_FALSE(canonical_recipe("size@1").ok());
  EXPECT_EQ(canonical_recipe("size*1+paths:10:1024").value(), "size + paths");
  EXPECT_FALSE(canonical_recipe("sise").ok());
  EXPECT_EQ(recipe_features("size + paths"), "none");
  EXPECT_EQ(recipe_features("size + attributes"), "form");
  EXPECT_EQ(recipe_features("size + attributes:3"), "none");
  EXPECT_EQ(recipe_features("molecule"), "form");
}

// A file that was written when names had their first edition says the bare name.
TEST(Recipe, EditionsAreToldApartInFiles) {
  for (const std::string_view name : recipe_names()) {
    const std::string first = std::string(name) + "@1";
    const std::string second = std::string(name) + "@2";
    EXPECT_EQ(stored_recipe(name), std::string(name) + "@3");
    EXPECT_EQ(recipe_in_store(stored_recipe(name)), name);
    EXPECT_EQ(stored_recipe(first), name);
    EXPECT_EQ(recipe_in_store(name), first);
    EXPECT_TRUE(is_recipe_name(first));
    EXPECT_EQ(recipe_features(first), "form");
    // A file of the second edition says so, and goes on saying so.
    EXPECT_EQ(stored_recipe(second), second);
    EXPECT_EQ(recipe_in_store(second), second);
    EXPECT_TRUE(is_recipe_name(second));
    EXPECT_EQ(recipe_features(second), "form");
  }
  for (const char* text : {"size + paths", "auto@4", "size@1"}) {
    EXPECT_EQ(stored_recipe(text), text);
    EXPECT_EQ(recipe_in_store(text), text);
  }
}

// These texts are frozen: models were published with them.
TEST(Recipe, TheFirstEditionStaysWhatItWas) {
  const auto first = [](const DataForm& form) { return write_recipe(resolve_recipe("auto@1", form).value()); };
  EXPECT_EQ(first({}), "size + kinds + shapes*2 + cliques + closure > fourier:4096:0.5:1 > scale:0.1");
  EXPECT_EQ(first({.labels = true}),
            "size*9 + label-counts*9 + returns*4.5 + colours:1 + colours:2:2048 + colours:3:2048 > fourier:4096:2:1 > "
            "scale:0.1");
  EXPECT_EQ(first({.labels = true, .attributes = 2}),
            "size*3 + returns*3 + attribute-levels*6 + label-sums*6 + paths > fourier:4096:2:1 > scale:0.04");
  EXPECT_EQ(first({.positions = true, .attributes = 1}), "wavelets > fourier:1024:2:1");
  EXPECT_EQ(first({.directed = true}), "size*2 + shapes + clustering + all-kinds*2 + directions*2 > scale:0.2");
  EXPECT_EQ(recipe_regularisation("auto@1"), 1e-6);
  EXPECT_FALSE(recipe_is_for_squares("auto@1"));
  EXPECT_TRUE(recipe_is_for_squares("auto"));
  EXPECT_FALSE(recipe_is_for_squares("size + paths"));
}

TEST(Recipe, TheSecondEditionStaysWhatItWas) {
  const auto second = [](const DataForm& form) { return write_recipe(resolve_recipe("auto@2", form).value()); };
  const std::string social =
      "size + kinds + shapes:7*3 + shapes:11*2.5 + cliques*1.5 + clustering > fourier:4096:0.5:1 > scale:0.3:65";
  EXPECT_EQ(second({}), social);
  EXPECT_EQ(write_recipe(resolve_recipe("social@2", {}).value()), social);
  EXPECT_NE(write_recipe(resolve_recipe("auto", {}).value()), social);
  EXPECT_EQ(second({.labels = true}),
            "size*8 + returns:50*4 + clustering*3 + label-counts:32*1.5 + colours:1:256*1.5 + colours:2:2048 + "
            "colours:3:2048 + paths*0.5 > fourier:4096:5:1 > scale:0.13:10");
  EXPECT_EQ(second({.labels = true, .attributes = 2}),
            "all-kinds*2 + clustering:6:4 + paths + attribute-counts*16 + label-sums*9 > fourier:4096:3:1 > "
            "scale:0.08:15");
  EXPECT_EQ(second({.positions = true, .attributes = 1}), "wavelets > fourier:1024:2:1");
  EXPECT_EQ(second({.positions = true, .attributes = 3}),
            "pixels:4*0.5 + slopes:0.05:4*0.5 + bends:0.05:4*4 + slopes:0.1:4 + bends:0.1:4 + texture + palette > "
            "fourier:4096:0.5:1");
  EXPECT_EQ(second({.directed = true}), "size*2 + shapes + clustering + all-kinds*2 + directions*2 > scale:0.6");
  EXPECT_EQ(recipe_regularisation("auto@2"), 1e-5);
  EXPECT_TRUE(recipe_is_for_squares("auto@2"));
}

}  // namespace
}  // namespace unscatter::recipe_test
