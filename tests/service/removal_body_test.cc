#include "service/removal_body.h"

#include <gtest/gtest.h>

#include "unscatter/store/request_text.h"

namespace unscatter::service {
namespace {

TEST(RemovalBody, ReadsWhatListsHave) {
  for (const char* text : {R"({"forget":"subject","id":"user-3"})", R"({"forget":"graph","graph":17})",
                           R"({"forget":"edge","from":3,"graph":"g","to":"5"})", R"({"forget":"node","graph":1,"node":"n"})",
                           R"({"forget":"features","graph":1,"node":2})", R"({"forget":"subject","id":{"bytes":"ff00"}})"}) {
    const auto request = removal_of(Json::parse(text));
    ASSERT_TRUE(request.ok()) << text;
    EXPECT_EQ(request_text(*request), text);
  }
}

TEST(RemovalBody, RefusalsRepeatNothing) {
  for (const char* text : {R"({"forget":"SECRET"})", R"({"forget":"subject","id":"SECRET","x":1})", R"(["SECRET"])",
                           R"({"forget":"node","graph":"SECRET"})", R"({"forget":"graph","graph":"SECRET","node":1})",
                           R"({"forget":"graph","graph":["SECRET"]})", R"({"forget":"subject","id":{"SECRET":"ff"}})",
                           R"({"forget":"subject","id":17})", R"({"forget":"graph","graph":-17})"}) {
    const auto request = removal_of(Json::parse(text));
    ASSERT_FALSE(request.ok()) << text;
    EXPECT_EQ(request.error().status, 422);
    EXPECT_EQ(request.error().detail.find("SECRET"), std::string::npos);
    EXPECT_EQ(request.error().detail.find("17"), std::string::npos);
  }
}

TEST(RemovalBody, NamesThePlaceOfTheWrongOne) {
  const auto list = removals_of(Json::parse(R"({"requests":[{"forget":"graph","graph":1},{"forget":"graph"}]})"));
  ASSERT_FALSE(list.ok());
  EXPECT_EQ(list.error().request, 1U);
  EXPECT_FALSE(removals_of(Json::parse(R"({"requests":[]})")).ok());
  EXPECT_FALSE(removals_of(Json::parse(R"({})")).ok());
}

}  // namespace
}  // namespace unscatter::service
