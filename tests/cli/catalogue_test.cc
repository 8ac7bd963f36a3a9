#include "catalogue.h"

#include <gtest/gtest.h>

#include <set>

#include "support/temporary_folder.h"

namespace unscatter::cli {
namespace {

TEST(Catalogue, KnowsTheTenDataSetsOnce) {
  const Catalogue catalogue = built_in_catalogue();
  std::set<std::string> names;
  for (const CatalogueEntry& entry : catalogue.entries()) {
    SCOPED_TRACE(entry.name);
    EXPECT_TRUE(names.insert(entry.name).second);
    EXPECT_GT(entry.graphs, 0u);
    EXPECT_GE(entry.classes, 2u);
    EXPECT_GT(entry.nodes, entry.graphs);
    EXPECT_FALSE(entry.description.empty());
    EXPECT_FALSE(entry.origin.empty());
    EXPECT_TRUE(entry.content_digest.empty() || entry.content_digest.size() == 64);
  }
  EXPECT_EQ(names.size(), 10u);
  EXPECT_EQ(catalogue.find("MUTAG")->graphs, 188u);
  EXPECT_FALSE(catalogue.find("MNIST")->fetchable);
  EXPECT_EQ(catalogue.find("mutag"), nullptr);
}

TEST(Catalogue, ReadsAReplacement) {
  const testing::TemporaryFolder folder;
  const std::string digest(64, 'a');
  const auto path =
      folder.write("c.json", R"({"datasets": [{"name": "TOY", "graphs": 3, "content_digest": ")" + digest + R"("}]})");
  const Catalogue catalogue = read_catalogue(path).value();
  ASSERT_EQ(catalogue.entries().size(), 1u);
  EXPECT_EQ(catalogue.find("TOY")->graphs, 3u);
  EXPECT_EQ(catalogue.find("TOY")->content_digest, digest);
  EXPECT_TRUE(catalogue.find("TOY")->fetchable);
}

TEST(Catalogue, RefusesWhatCouldLeadAstray) {
  const testing::TemporaryFolder folder;
  for (const char* text :
       {"", "[]", R"({"datasets": [{}]})", R"({"datasets": [{"name": 3}]})", R"({"datasets": [{"name": ""}]})",
        R"({"datasets": [{"name": "../x"}]})", R"({"datasets": [{"name": ".x"}]})",
        R"({"datasets": [{"name": "a/b"}]})", R"({"datasets": [{"name": "A", "content_digest": "12"}]})",
        R"({"datasets": [{"name": "A", "graphs": "many"}]})"}) {
    SCOPED_TRACE(text);
    const auto result = read_catalogue(folder.write("c.json", text));
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kMalformedInput);
    EXPECT_NE(result.error().message.find("c.json"), std::string::npos);
  }
  EXPECT_EQ(read_catalogue(folder.path() / "none.json").error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace unscatter::cli
