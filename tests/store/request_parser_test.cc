#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "unscatter/store/request_text.h"

namespace unscatter {
namespace {

TEST(RequestParser, FieldsComeInAnyOrderAndWithSpaces) {
  const RemovalRequest request =
      parse_request(" { \"node\" : \"user-3\" ,\t\"graph\":17, \"forget\": \"n\\u006fde\"} ").value();
  EXPECT_EQ(request_text(request), R"({"forget":"node","graph":17,"node":"user-3"})");
}

TEST(RequestParser, NumbersUpToTheLargest) {
  EXPECT_EQ(
      std::get<std::size_t>(
          std::get<ForgetGraph>(parse_request(R"({"forget":"graph","graph":18446744073709551615})").value()).graph),
      std::numeric_limits<std::size_t>::max());
}

struct BadRequest {
  std::string text;
  std::string_view named;  // in the message
};

TEST(RequestParser, RefusesWithTheFieldAndTheValue) {
  const std::vector<BadRequest> table = {
      {"", "JSON"},
      {"{", "JSON"},
      {"nonsense", "JSON"},
      {"{}", "\"forget\" is missing"},
      {"[]", "a list instead of an object"},
      {"7", "7 instead of an object"},
      {"\"x\"", "'x' instead of an object"},
      {"null", "null instead of an object"},
      {R"({"forget":"graph","graph":1} x)", "JSON"},
      {R"({"forget":"graph","graph":1}{})", "JSON"},
      {std::string(R"({"forget":"graph","graph":1})") + '\0' + "x", "JSON"},
      {R"({"forget":"graph","graph":1,})", "JSON"},
      {R"({"forget":"everything","graph":1})", "\"forget\": 'everything'"},
      {R"({"forget":1})", "\"forget\": 1"},
      {R"({"forget":{"bytes":"ff"}})", "\"forget\""},
      {R"({"forget":""})", "\"forget\" is empty"},
      {R"({"forget":"graph"})", "\"graph\" is missing"},
      {R"({"forget":"node","graph":1})", "\"node\" is missing"},
      {R"({"forget":"edge","graph":1,"from":1})", "\"to\" is missing"},
      {R"({"forget":"subject"})", "\"id\" is missing"},
      {R"({"graph":1})", "\"forget\" is missing"},
      {R"({"forget":"graph","graph":1,"node":2})", "\"node\" has no place"},
      {R"({"forget":"subject","id":"x","graph":2})", "\"graph\" has no place"},
      {R"({"forget":"graph","graph":1,"graph":1})", "\"graph\" occurs twice"},
      {R"({"forget":"graph","forget":"graph","graph":1})", "\"forget\" occurs twice"},
      {R"({"forget":"graph","Graph":1})", "'Graph'"},
      {R"({"forget":"graph","graph":-1})", "\"graph\": -1"},
      {R"({"forget":"graph","graph":-0})", "\"graph\": 0"},
      {R"({"forget":"graph","graph":1.0})", "\"graph\": '1.0'"},
      {R"({"forget":"graph","graph":1e2})", "\"graph\": '1e2'"},
      {R"({"forget":"graph","graph":18446744073709551616})", "18446744073709551616"},
      {R"({"forget":"graph","graph":1e999})", "number too large"},
      {R"({"forget":"graph","graph":01})", "JSON"},
      {R"({"forget":"graph","graph":true})", "\"graph\": true"},
      {R"({"forget":"graph","graph":null})", "\"graph\": null"},
      {R"({"forget":"graph","graph":[1]})", "\"graph\": a list"},
      {R"({"forget":"graph","graph":""})", "\"graph\" is empty"},
      {R"({"forget":"subject","id":""})", "\"id\" is empty"},
      {R"({"forget":"subject","id":7})", "\"id\": 7"},
      {"{\"forget\":\"subject\",\"id\":\"\xff\"}", "JSON"},
      {"{\"forget\":\"subject\",\"id\":\"\xed\xa0\x80\"}", "JSON"},
      {R"({"forget":"subject","id":"\ud800"})", "JSON"},
      {R"({"forget":"subject","id":{}})", "\"bytes\" is missing"},
      {R"({"forget":"subject","id":{"bytes":""}})", "give it as text"},
      {R"({"forget":"subject","id":{"bytes":"6162"}})", "'6162' are the bytes of a text"},
      {R"({"forget":"subject","id":{"bytes":"FF"}})", "'FF'"},
      {R"({"forget":"subject","id":{"bytes":"fff"}})", "'fff'"},
      {R"({"forget":"subject","id":{"bytes":255}})", "255"},
      {R"({"forget":"subject","id":{"bytes":"ff","bytes":"ff"}})", "\"bytes\" occurs twice"},
      {R"({"forget":"subject","id":{"bytes":{"bytes":"ff"}}})", "an object"},
      {R"({"forget":"subject","id":{"byte":"ff"}})", "'byte'"},
      {R"({"forget":"subject","id":)" + std::string(100000, '['), "a list"},
      {R"({"forget":"subject","id":)" + std::string(100000, '{'), "JSON"},
  };
  for (const BadRequest& bad : table) {
    const Result<RemovalRequest> request = parse_request(bad.text);
    ASSERT_FALSE(request.ok()) << bad.text;
    EXPECT_EQ(request.error().code, ErrorCode::kMalformedInput) << bad.text;
    EXPECT_NE(request.error().message.find(bad.named), std::string::npos)
        << bad.text << " -> " << request.error().message;
    EXPECT_LT(request.error().message.size(), 200u);
  }
}

}  // namespace
}  // namespace unscatter
