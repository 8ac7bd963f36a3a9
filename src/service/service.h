// A workspace behind an interface of requests and answers, whoever moves them: the server, or a test.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "service/answering.h"
#include "service/call.h"
#include "service/events.h"
#include "service/http_message.h"
#include "service/log.h"
#include "service/metrics.h"
#include "service/rate_limit.h"
#include "service/sessions.h"
#include "service/tokens.h"
#include "service/webhooks.h"
#include "service/writer.h"
#include "unscatter/store/signing_key.h"

namespace unscatter::service {

struct ServiceOptions {
  std::filesystem::path workspace;
  std::filesystem::path token_file;
  std::filesystem::path webhook_file;  // who is told of changes
  std::shared_ptr<const SigningKey> key;
  std::filesystem::path record = {};  // file of the signing key, beside which the record against rollback lies
  std::chrono::milliseconds wait{10000};
  std::string openings = {};
  bool keep_salts = false;
  bool shred = false;
  std::chrono::seconds publish_every{0};
  Rate per_token{200, 400};             // requests
  Rate failures_per_address{0.2, 10};   // of authentication
  Rate public_per_address{20, 100};     // requests without a token
  std::vector<std::string> hosts = {};  // names that clients may call the server by, beside those of loopback
  std::function<std::int64_t()> clock = nullptr;
  std::function<void(std::string_view)> log = nullptr;
};

class Service final : public Answering {
 public:
  // Opens workspace and queue, reads the tokens, starts writer and webhooks.  Errors: those of Workspace::open(),
  // RequestQueue::open() and TokenTable::load(); a token file that is not there is empty.
  [[nodiscard]] static Result<std::unique_ptr<Service>> open(ServiceOptions options);
  ~Service() override;

  void handle(HttpRequest request, Answer answer) override;
  [[nodiscard]] HttpResponse refuse(const HttpRequest& request, const Refusal& refusal) override;
  [[nodiscard]] std::uint64_t listen(EventHub::Listener listener) override {
    return events_.listen(std::move(listener));
  }
  void leave(std::uint64_t number) override { events_.leave(number); }
  [[nodiscard]] bool knows_token(const std::string& id) const override { return token_table()->by_id(id).has_value(); }
  // Any thread: the token file again.  If it cannot be read, the old tokens stay valid.
  [[nodiscard]] Status reload_tokens();
  [[nodiscard]] std::size_t tokens() const { return token_table()->size(); }
  // Gives the writer something to do for a call, which it answers.  503 if the service ends, 500 after an exception:
  // one request must not end the process.
  void on_writer(const CallPtr& call, Writer::Job job);
  // Completes what was accepted; nothing is taken any more.
  void drain(std::chrono::seconds longest);

  // For handlers and the server.
  [[nodiscard]] const ServiceOptions& options() const { return options_; }
  [[nodiscard]] Writer& writer() { return *writer_; }
  [[nodiscard]] const RequestQueue& queue() const { return writer_->queue(); }
  [[nodiscard]] EventHub& events() { return events_; }
  [[nodiscard]] Metrics& metrics() override { return metrics_; }
  [[nodiscard]] Log& log() { return log_; }
  [[nodiscard]] Sessions& sessions() { return sessions_; }
  [[nodiscard]] Webhooks& webhooks() { return *webhooks_; }
  [[nodiscard]] std::shared_ptr<const TokenTable> token_table() const;
  [[nodiscard]] std::int64_t now() const { return options_.clock(); }
  [[nodiscard]] std::int64_t started() const { return started_; }
  // Whether a token is right; failures count against the address, for each id that there is by itself.  429 beyond the
  // rate.
  [[nodiscard]] Outcome<Token> authenticate(const std::string& address, std::string_view token);
  // Of one key of idempotency, only one request is in work at a time.
  [[nodiscard]] bool begin_key(const std::string& token, const std::string& key);
  void end_key(const std::string& token, const std::string& key);

 private:
  explicit Service(ServiceOptions options);
  [[nodiscard]] Outcome<Principal> principal_of(const HttpRequest& request);
  [[nodiscard]] Outcome<Principal> principal_by_cookie(const HttpRequest& request, std::string_view cookie);
  [[nodiscard]] std::optional<Refusal> check_origin(const HttpRequest& request) const;
  // Runs a step of a call.  What it throws is a broken invariant or too little memory, and may name somebody, so it is
  // told to nobody.
  void guarded(const CallPtr& call, const std::function<void()>& step);
  // Nothing: the route's handler has the call.
  [[nodiscard]] std::optional<Refusal> dispatch(const CallPtr& call);

  const ServiceOptions options_;
  std::int64_t started_ = 0;
  EventHub events_;
  Metrics metrics_;
  Log log_;
  Sessions sessions_;
  RateLimit per_token_;
  RateLimit failures_;
  RateLimit public_;
  mutable std::mutex mutex_;
  std::shared_ptr<const TokenTable> tokens_;
  std::set<std::pair<std::string, std::string>> keys_in_work_;
  std::unique_ptr<Writer> writer_;
  std::unique_ptr<Webhooks> webhooks_;
};

// The value of the cookie of that name; nothing if there is none, or two.
[[nodiscard]] std::optional<std::string_view> cookie_value(const HttpRequest& request, std::string_view name);
inline constexpr std::string_view kSessionCookie = "unscatter_session";

}  // namespace unscatter::service
