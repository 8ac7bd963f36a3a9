#include "service/problem.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace unscatter::service {
namespace {

// Whatever the library says, a client hears none of its words.
TEST(Problem, NoErrorOfTheLibraryIsRepeated) {
  for (int code = 0; code <= static_cast<int>(ErrorCode::kOutdated); ++code) {
    const Refusal refusal = refusal_of(Error{static_cast<ErrorCode>(code), "subject 'SECRET' is not there", 7});
    EXPECT_EQ(refusal.detail.find("SECRET"), std::string::npos) << code;
    EXPECT_GE(refusal.status, 400);
    EXPECT_NE(refusal.status, 500);
  }
}

TEST(Problem, HasWhatRfc9457AsksFor) {
  const HttpResponse one = problem({.status = 429, .detail = "Slowly.", .retry_after = 3});
  const HttpResponse other = problem({.status = 429, .detail = "Slowly."});
  EXPECT_EQ(one.content_type, "application/problem+json");
  const auto document = nlohmann::json::parse(one.body);
  for (const char* field : {"type", "title", "status", "detail", "instance"}) EXPECT_TRUE(document.contains(field)) << field;
  EXPECT_NE(one.instance, other.instance);
  EXPECT_EQ(one.headers.at(0), (std::pair<std::string, std::string>("Retry-After", "3")));
  EXPECT_EQ(problem({.status = 401}).headers.at(0).first, "WWW-Authenticate");
}

}  // namespace
}  // namespace unscatter::service
