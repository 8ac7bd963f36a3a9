#include "service/json_body.h"

#include <gtest/gtest.h>

namespace unscatter::service {
namespace {

HttpRequest with_body(std::string body, std::string type) {
  HttpRequest request;
  request.headers = {{"content-type", std::move(type)}};
  request.body = std::move(body);
  return request;
}

TEST(JsonBody, NeedsItsType) {
  EXPECT_TRUE(json_body(with_body("{}", "application/json")).ok());
  EXPECT_TRUE(json_body(with_body("{}", "Application/JSON; charset=utf-8")).ok());
  EXPECT_EQ(json_body(with_body("{}", "text/plain")).error().status, 415);
  EXPECT_EQ(json_body(HttpRequest()).error().status, 415);
  EXPECT_TRUE(optional_json_body(HttpRequest()).ok());
}

TEST(JsonBody, NeitherDepthNorDoubleNamesPass) {
  EXPECT_TRUE(parse_json(std::string(32, '[') + std::string(32, ']')).ok());
  EXPECT_FALSE(parse_json(std::string(34, '[') + std::string(34, ']')).ok());
  EXPECT_FALSE(parse_json(std::string(1000000, '[')).ok());
  EXPECT_FALSE(parse_json(R"({"a":1,"a":1})").ok());
  EXPECT_TRUE(parse_json(R"({"a":1,"b":{"a":1}})").ok());
  EXPECT_FALSE(parse_json(std::string("{}\0", 3)).ok());
  EXPECT_FALSE(parse_json("\"\xff\"").ok());
}

TEST(JsonBody, RefusalsRepeatNothing) {
  const auto body = parse_json(R"({"SECRET":"SECRET","b":"SECRET"})");
  const auto refusal = check_fields(*body, {"b"});
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->status, 422);
  EXPECT_EQ(refusal->detail.find("SECRET"), std::string::npos);
  EXPECT_EQ(text_field(*body, {"b", 3, true}).error().detail.find("SECRET"), std::string::npos);
  EXPECT_EQ(flag_field(*body, "b").error().status, 422);
  EXPECT_FALSE(check_fields(*body, {"SECRET", "b"}).has_value());
}

}  // namespace
}  // namespace unscatter::service
