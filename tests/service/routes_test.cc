#include "service/routes.h"

#include <gtest/gtest.h>

#include <set>

namespace unscatter::service {
namespace {

TEST(Routes, AreFoundByMethodAndPath) {
  const Match match = match_route("GET", {"v1", "requests", "abc"});
  ASSERT_NE(match.route, nullptr);
  EXPECT_EQ(match.route->path, "/v1/requests/{id}");
  EXPECT_EQ(match.parameters, std::vector<std::string>{"abc"});
  EXPECT_EQ(match_route("POST", {"v1", "receipts", "verify"}).route->access, Access::kPublic);
  EXPECT_EQ(match_route("GET", {"v1"}).route, nullptr);
  EXPECT_EQ(match_route("GET", {"v1", "requests", "a", "b"}).allow, "");
  EXPECT_EQ(match_route("PATCH", {"v1", "policy"}).allow, "GET, HEAD, PUT");
}

// Whoever adds a route has to say who may use it.
TEST(Routes, OnlyTheseArePublic) {
  const std::set<std::string_view> open = {
      "/v1/session", "/v1/receipts/verify", "/v1/key", "/v1/openapi.json", "/healthz", "/readyz"};
  for (const Route& route : routes()) {
    EXPECT_EQ(route.access == Access::kPublic, open.contains(route.path)) << route.path;
    EXPECT_EQ(route.access == Access::kPublic, route.scopes.empty()) << route.path;
  }
}

}  // namespace
}  // namespace unscatter::service
