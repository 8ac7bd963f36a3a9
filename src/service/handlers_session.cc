// Signing in and out, for the page.
#include <fmt/format.h>

#include <utility>

#include "base/utc_time.h"
#include "service/handlers.h"
#include "service/service.h"

namespace unscatter::service {
namespace {

Json session_json(const Token& token, const std::string& csrf, std::int64_t expires) {
  Json scopes = Json::array();
  for (const auto& [scope, text] : kScopes) {
    if (token.scopes.has(scope)) scopes.push_back(text);
  }
  return {{"csrf", csrf}, {"token", token.id}, {"scopes", scopes}, {"expires", utc_text(expires)}};
}

std::string cookie_line(const std::string& value, bool secure, std::int64_t seconds) {
  return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{}", kSessionCookie, value, seconds,
                     secure ? "; Secure" : "");
}

Outcome<HttpResponse> sign_in(Service& service, Call& call) {
  UNSCATTER_TRY(body, json_body(call.request));
  if (auto wrong = check_fields(body, {"token"})) return *std::move(wrong);
  UNSCATTER_TRY(text, text_field(body, {"token", 200, true}));
  UNSCATTER_TRY(token, service.authenticate(call.request.address, text));
  const auto opened = service.sessions().open(token.id, service.now());
  call.principal.token = token.id;
  HttpResponse response = json_response(session_json(token, opened.csrf, opened.expires));
  response.headers.emplace_back("Set-Cookie",
                                cookie_line(opened.cookie, call.request.secure, opened.expires - service.now()));
  return response;
}

Outcome<std::pair<Token, Sessions::Found>> signed_in(Service& service, const Call& call) {
  const auto cookie = cookie_value(call.request, kSessionCookie);
  auto session = cookie ? service.sessions().find(*cookie, service.now()) : std::nullopt;
  const auto token = session ? service.token_table()->by_id(session->token) : std::nullopt;
  if (!token) return Refusal{.status = 401, .detail = "Nobody is signed in."};
  return std::pair(*token, *std::move(session));
}

Outcome<HttpResponse> who(Service& service, Call& call) {
  UNSCATTER_TRY(found, signed_in(service, call));
  call.principal.token = found.first.id;
  return json_response(session_json(found.first, found.second.csrf, found.second.expires));
}

Outcome<HttpResponse> sign_out(Service& service, Call& call) {
  UNSCATTER_TRY(found, signed_in(service, call));
  const auto sent = call.request.header("x-csrf-token");
  if (!sent || !Sessions::csrf_fits(found.second, *sent)) {
    return Refusal{.status = 403, .detail = "The header X-CSRF-Token of this session is missing or wrong."};
  }
  service.sessions().close(*cookie_value(call.request, kSessionCookie));
  HttpResponse response;
  response.status = 204;
  response.headers.emplace_back("Set-Cookie", cookie_line("", call.request.secure, 0));
  return response;
}

}  // namespace

void open_session(Service& service, const CallPtr& call) { call->finish(sign_in(service, *call)); }
void get_session(Service& service, const CallPtr& call) { call->finish(who(service, *call)); }
void close_session(Service& service, const CallPtr& call) { call->finish(sign_out(service, *call)); }

}  // namespace unscatter::service
