// One request on its way through the service.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "service/http_message.h"
#include "service/json_body.h"
#include "service/outcome.h"
#include "service/scopes.h"
#include "service/sessions.h"
#include "service/target.h"

namespace unscatter::service {

// Who asks.
struct Principal {
  std::string token = "-";  // id; "-": nobody
  Scopes scopes;
  std::optional<Sessions::Found> session = {};  // by cookie
};

struct Call {
  HttpRequest request;
  Target target;
  std::vector<std::string> parameters;  // what stands in place of {id} and the like
  std::string route = "-";
  Principal principal;
  Answer answer;

  // Answers, once.  Whatever comes later is passed over.
  void finish(Outcome<HttpResponse> outcome);

 private:
  bool finished_ = false;
};
using CallPtr = std::shared_ptr<Call>;

[[nodiscard]] HttpResponse json_response(const Json& document, int status = 200);
// The same with an ETag of its content.
[[nodiscard]] HttpResponse tagged_response(const Json& document);

// Is the tag in a list of If-Match or If-None-Match?  With `weak` a tag that stands for the same content in another
// coding counts as well; If-Match does not take such a one (RFC 9110, 8.8.3.2).
[[nodiscard]] bool has_tag(std::string_view list, std::string_view tag, bool weak);
// What HTTP asks of every answer: 304 where the client has it already, gzip, headers for security.  The answer of a
// request that signs in is never compressed, because its length could then tell something of the secret in it.
void complete(const HttpRequest& request, HttpResponse& response);

// Queries.
struct NumberQuery {
  const char* name;
  std::int64_t lowest;
  std::int64_t highest;
  std::int64_t usual;
};
[[nodiscard]] Outcome<std::int64_t> number_query(const Target& target, const NumberQuery& query);
[[nodiscard]] Outcome<bool> flag_query(const Target& target, const char* name);
// 400 for a query that this route does not know.
[[nodiscard]] std::optional<Refusal> check_query(const Target& target, std::initializer_list<std::string_view> names);

}  // namespace unscatter::service
