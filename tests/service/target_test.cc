#include "service/target.h"

#include <gtest/gtest.h>

namespace unscatter::service {
namespace {

TEST(Target, IsCutAndDecoded) {
  const auto target = parse_target("/v1/subjects/a%2Fb%20c?search=x+y&limit=5");
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->path, (std::vector<std::string>{"v1", "subjects", "a/b c"}));
  EXPECT_EQ(target->query.at("search"), "x y");
  EXPECT_EQ(target->query.at("limit"), "5");
  EXPECT_TRUE(parse_target("/")->path.empty());
}

TEST(Target, TricksAreRefused) {
  for (const char* text : {"", "v1", "http://x/", "//", "/a//b", "/a/", "/.", "/../a", "/%2e%2e/a", "/%2E", "/a%", "/a%0", "/a%zz",
                           "/a%00", "/a%0a", "/a?b=%", "/a?=1", "/a?b=1&b=2", "/a?b=1&&c=2"}) {
    const auto target = parse_target(text);
    ASSERT_FALSE(target.ok()) << text;
    EXPECT_EQ(target.error().status, 400);
  }
}

}  // namespace
}  // namespace unscatter::service
