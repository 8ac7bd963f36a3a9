#include "service/service.h"

#include <algorithm>
#include <ctime>
#include <exception>
#include <utility>

#include "service/assets.h"
#include "service/problem.h"
#include "service/routes.h"

namespace unscatter::service {
namespace {

using SteadyClock = std::chrono::steady_clock;

ServiceOptions with_clock(ServiceOptions options) {
  if (!options.clock) options.clock = [] { return static_cast<std::int64_t>(std::time(nullptr)); };
  return options;
}

Refusal too_many(int seconds, const char* what) {
  return Refusal{.status = 429, .detail = std::string(what), .retry_after = seconds};
}

bool is_safe(std::string_view method) { return method == "GET"; }  // and HEAD, which is one

std::string lower(std::string_view text) {
  std::string plain(text);
  std::transform(plain.begin(), plain.end(), plain.begin(),
                 [](char byte) { return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : byte; });
  return plain;
}

// "localhost:8080" -> "localhost", "[::1]:8080" -> "[::1]"
std::string host_name(std::string_view host) {
  const std::size_t bracket = host.find(']');
  const std::size_t colon = host.find(':', bracket == std::string_view::npos ? 0 : bracket);
  return lower(host.substr(0, colon));
}

bool is_loopback_name(std::string_view name) { return name == "localhost" || name == "127.0.0.1" || name == "[::1]"; }

}  // namespace

std::optional<std::string_view> cookie_value(const HttpRequest& request, std::string_view name) {
  const auto header = request.header("cookie");
  if (!header) return std::nullopt;
  std::string_view rest = *header;
  std::optional<std::string_view> found;
  while (!rest.empty()) {
    std::string_view one = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    while (!one.empty() && one.front() == ' ') one.remove_prefix(1);
    if (!one.starts_with(name) || one.size() <= name.size() || one[name.size()] != '=') continue;
    if (found) return std::nullopt;
    found = one.substr(name.size() + 1);
  }
  return found;
}

Service::Service(ServiceOptions options)
    : options_(with_clock(std::move(options))),
      log_(options_.log),
      per_token_(options_.per_token),
      failures_(options_.failures_per_address),
      public_(options_.public_per_address),
      tokens_(std::make_shared<const TokenTable>()) {
  started_ = options_.clock();
}

Service::~Service() = default;

Result<std::unique_ptr<Service>> Service::open(ServiceOptions options) {
  std::unique_ptr<Service> service(new Service(std::move(options)));
  const ServiceOptions& how = service->options_;
  if (const Status tokens = service->reload_tokens(); !tokens.ok() && tokens.error().code != ErrorCode::kNotFound) {
    return tokens.error();
  }
  WorkspaceOptions opening;
  opening.key = how.key;
  opening.record = how.record;
  opening.wait = how.wait;
  opening.clock = how.clock;
  UNSCATTER_TRY(workspace, Workspace::open(how.workspace, opening));
  auto held = std::make_unique<Workspace>(std::move(workspace));
  UNSCATTER_TRY(queue, RequestQueue::open(*held));
  auto held_queue = std::make_unique<RequestQueue>(std::move(queue));
  WriterOptions writing{how.clock, how.openings, how.keep_salts, how.shred, how.publish_every};
  service->writer_ = std::make_unique<Writer>(std::move(held), std::move(held_queue), std::move(writing),
                                              service->events_, service->metrics_, service->log_);
  UNSCATTER_TRY(webhooks, Webhooks::open({how.webhook_file, how.key, how.clock}, *service->writer_, service->metrics_,
                                         service->log_));
  service->webhooks_ = std::move(webhooks);
  return service;
}

std::shared_ptr<const TokenTable> Service::token_table() const {
  const std::lock_guard lock(mutex_);
  return tokens_;
}

Status Service::reload_tokens() {
  UNSCATTER_TRY(table, TokenTable::load(options_.token_file));
  const std::lock_guard lock(mutex_);
  tokens_ = std::make_shared<const TokenTable>(std::move(table));
  return ok_status();
}

void Service::drain(std::chrono::seconds longest) {
  webhooks_->stop();
  writer_->drain(longest);
}

bool Service::begin_key(const std::string& token, const std::string& key) {
  const std::lock_guard lock(mutex_);
  return keys_in_work_.emplace(token, key).second;
}

void Service::end_key(const std::string& token, const std::string& key) {
  const std::lock_guard lock(mutex_);
  keys_in_work_.erase({token, key});
}

Outcome<Token> Service::authenticate(const std::string& address, std::string_view token) {
  const auto table = token_table();
  // Each token by itself: many clients may share an address, and one that guesses must not lock out the others.
  const std::string bucket = address + " " + table->claimed_id(token);
  if (const auto wait = failures_.look(bucket, SteadyClock::now())) {
    ++metrics_.rate_limited;
    return too_many(*wait, "Too many attempts with a wrong token came from this address.");
  }
  if (const auto found = table->find(token)) return *found;
  static_cast<void>(failures_.take(bucket, SteadyClock::now()));
  ++metrics_.failed_authentications;
  return Refusal{.status = 401, .detail = "The token is not valid."};
}

Outcome<Principal> Service::principal_by_cookie(const HttpRequest& request, std::string_view cookie) {
  auto session = sessions_.find(cookie, now());
  // A token that was taken out of the file ends its sessions.
  const auto token = session ? token_table()->by_id(session->token) : std::nullopt;
  if (!token) return Refusal{.status = 401, .detail = "The session has ended; sign in again."};
  if (!is_safe(request.method)) {
    const auto sent = request.header("x-csrf-token");
    if (!sent || !Sessions::csrf_fits(*session, *sent)) {
      return Refusal{.status = 403, .detail = "The header X-CSRF-Token of this session is missing or wrong."};
    }
  }
  return Principal{token->id, token->scopes, std::move(session)};
}

Outcome<Principal> Service::principal_of(const HttpRequest& request) {
  if (const auto header = request.header("authorization")) {
    constexpr std::string_view kBearer = "bearer ";
    if (header->size() <= kBearer.size() || lower(header->substr(0, kBearer.size())) != kBearer) {
      return Refusal{.status = 401, .detail = "The header Authorization has to be: Bearer TOKEN."};
    }
    UNSCATTER_TRY(token, authenticate(request.address, header->substr(kBearer.size())));
    return Principal{token.id, token.scopes, std::nullopt};
  }
  if (const auto cookie = cookie_value(request, kSessionCookie)) return principal_by_cookie(request, *cookie);
  return Refusal{.status = 401, .detail = "A token is needed: Authorization: Bearer TOKEN."};
}

// A page of somebody else must not speak for whoever has this one open.  Without TLS the name has to be one of
// loopback, because anybody can let a name of theirs point to this machine.
std::optional<Refusal> Service::check_origin(const HttpRequest& request) const {
  const auto host = request.header("host");
  if (!host || host->empty()) return Refusal{.status = 400, .detail = "The header Host is needed, once."};
  const std::string name = host_name(*host);
  const bool known = is_loopback_name(name) || std::count(options_.hosts.begin(), options_.hosts.end(), name) > 0;
  if (!request.secure && !known) return Refusal{.status = 403, .detail = "The server is not called by this name."};
  const bool foreign_site = request.header("sec-fetch-site").value_or("same-origin") == "cross-site";
  bool foreign_origin = false;
  for (const auto& [key, value] : request.headers) {
    const std::string own = (request.secure ? "https://" : "http://") + lower(*host);
    if (key == "origin") foreign_origin = foreign_origin || lower(value) != own;
  }
  // A link from elsewhere may lead to the page itself, but not to what it holds.
  const bool of_interface = request.target.starts_with("/v1/") || !is_safe(request.method);
  if (foreign_origin || (foreign_site && of_interface)) {
    return Refusal{.status = 403, .detail = "Requests from pages of other origins are refused."};
  }
  return std::nullopt;
}

std::optional<Refusal> Service::dispatch(const CallPtr& call) {
  const HttpRequest& request = call->request;
  if (auto refusal = check_origin(request)) return refusal;
  auto target = parse_target(request.target);
  if (!target.ok()) return target.error();
  call->target = std::move(target).value();
  Match match = match_route(request.method, call->target.path);
  if (match.route == nullptr && match.allow.empty() && is_asset(call->target.path)) {
    call->route = "/page";
    call->finish(get_asset(request.method, call->target.path));
    return std::nullopt;
  }
  if (match.route == nullptr && match.allow.empty())
    return Refusal{.status = 404, .detail = "There is no such resource."};
  if (match.route == nullptr) {
    return Refusal{.status = 405, .detail = "The resource does not have this method.", .allow = std::move(match.allow)};
  }
  call->route = match.route->path;
  call->parameters = std::move(match.parameters);
  const bool open = match.route->access == Access::kPublic ||
                    (match.route->access == Access::kLocal && request.loopback && !request.header("authorization"));
  if (open) {
    if (const auto wait = public_.take(request.address, SteadyClock::now())) {
      ++metrics_.rate_limited;
      return too_many(*wait, "Too many requests came from this address.");
    }
  } else {
    auto principal = principal_of(request);
    if (!principal.ok()) return principal.error();
    call->principal = std::move(principal).value();
    if (const auto wait = per_token_.take(call->principal.token, SteadyClock::now())) {
      ++metrics_.rate_limited;
      return too_many(*wait, "Too many requests came with this token.");
    }
    const auto& scopes = match.route->scopes;
    if (std::none_of(scopes.begin(), scopes.end(), [&](Scope one) { return call->principal.scopes.has(one); })) {
      return Refusal{.status = 403, .detail = "The token does not have the scope that this needs."};
    }
  }
  match.route->handle(*this, call);
  return std::nullopt;
}

HttpResponse Service::refuse(const HttpRequest& request, const Refusal& refusal) {
  HttpResponse response = problem(refusal);
  complete(request, response);
  metrics_.count_request("-", response.route, response.status, 0);
  log_.answer("-", response, 0);
  return response;
}

void Service::handle(HttpRequest request, Answer answer) {
  const auto began = SteadyClock::now();
  const auto call = std::make_shared<Call>();
  call->request = std::move(request);
  call->answer = [this, began, method = call->request.method, answer = std::move(answer)](HttpResponse response) {
    const double seconds = std::chrono::duration<double>(SteadyClock::now() - began).count();
    // A method that nobody knows is text of the client's.
    const bool known = response.route != "-";
    metrics_.count_request(known ? method : "-", response.route, response.status, seconds);
    log_.answer(known ? method : "-", response, seconds);
    answer(std::move(response));
  };
  guarded(call, [this, &call] {
    if (auto refusal = dispatch(call)) call->finish(*std::move(refusal));
  });
}

void Service::on_writer(const CallPtr& call, Writer::Job job) {
  const bool taken = writer_->run([this, call, job = std::move(job)](Workspace& workspace, RequestQueue& queue) {
    guarded(call, [&] { job(workspace, queue); });
  });
  if (!taken) call->finish(Refusal{.status = 503, .detail = "The service is about to end.", .retry_after = 5});
}

void Service::guarded(const CallPtr& call, const std::function<void()>& step) {
  try {
    step();
  } catch (const std::exception&) {
    log_.note("error", "a request ended in an exception");
    call->finish(Refusal{.status = 500, .detail = "Something went wrong inside of the service."});
  }
}

}  // namespace unscatter::service
