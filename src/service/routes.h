// Which handler answers what, and who may ask.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "service/call.h"
#include "service/scopes.h"

namespace unscatter::service {

class Service;

enum class Access {
  kPublic,  // everybody
  kScope,   // a token or a session with one of the scopes
  kLocal,   // the same, or somebody on this machine
};

struct Route {
  std::string_view method;
  std::string_view path;  // "/v1/requests/{id}"
  Access access;
  std::vector<Scope> scopes;  // one of them
  void (*handle)(Service& service, const CallPtr& call);
};
// All of them.  tests/service/openapi_test.py holds them against docs/openapi.json.
[[nodiscard]] const std::vector<Route>& routes();

struct Match {
  const Route* route = nullptr;         // null: there is none
  std::vector<std::string> parameters;  // in the order of the path
  std::string allow;                    // the path is there, with these methods only
};
[[nodiscard]] Match match_route(std::string_view method, const std::vector<std::string>& path);

}  // namespace unscatter::service
