#include "service/webhooks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <future>
#include <span>
#include <utility>

#include "base/hex.h"
#include "base/utc_time.h"
#include "service/network.h"
#include "unscatter/base/random.h"

namespace unscatter::service {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostWebhooks = 16;
constexpr std::size_t kMostEvents = 64;      // of one round
constexpr std::uint32_t kMostAttempts = 80;  // about three days
constexpr std::int64_t kFirstPause = 5;
constexpr std::int64_t kLongestPause = 3600;
constexpr std::int64_t kFarthest = 2 * kLongestPause;  // more than a pause with its random part

std::string event_name(const QueueEvent& event) {
  const bool extended = event.note == RequestNote::kComplex || event.note == RequestNote::kManyRequests;
  return extended ? "extended" : std::string(request_state_name(event.state));
}

double random_unit() {
  std::array<std::uint8_t, 4> bytes{};
  SecureRandom().fill(std::as_writable_bytes(std::span(bytes)));
  const auto number = static_cast<std::uint32_t>(bytes[0] | bytes[1] << 8 | bytes[2] << 16) & 0xffffffU;
  return number / 16777216.0;
}

std::string new_webhook_id() {
  std::array<std::uint8_t, 16> bytes{};
  SecureRandom().fill(std::as_writable_bytes(std::span(bytes)));
  return to_hex(bytes);
}

}  // namespace

std::optional<std::int64_t> retry_after(std::uint32_t failed_attempts, double jitter) {
  if (failed_attempts >= kMostAttempts) return std::nullopt;
  const std::uint32_t doublings = std::min<std::uint32_t>(failed_attempts == 0 ? 0 : failed_attempts - 1, 20);
  const std::int64_t pause = std::min(kLongestPause, kFirstPause << doublings);
  return pause + static_cast<std::int64_t>(std::floor(jitter * static_cast<double>(pause) / 2));
}

std::string webhook_message(std::int64_t time, std::uint64_t number, std::string_view body) {
  return fmt::format("unscatter webhook 1\n{}\n{}\n{}", time, number, body);
}

std::string webhook_body(const QueueEvent& event) {
  return Json{{"event", event_name(event)},
              {"number", event.number},
              {"request", event.request.hex()},
              {"state", request_state_name(event.state)},
              {"note", request_note_name(event.note)},
              {"time", utc_text(event.time)}}
      .dump();
}

Webhooks::Webhooks(Options options, Writer& writer, Metrics& metrics, Log& log, std::vector<Webhook> webhooks)
    : options_(std::move(options)), writer_(writer), metrics_(metrics), log_(log), webhooks_(std::move(webhooks)) {
  thread_ = std::thread([this] { loop(); });
}

Webhooks::~Webhooks() { stop(); }

Result<std::unique_ptr<Webhooks>> Webhooks::open(Options options, Writer& writer, Metrics& metrics, Log& log) {
  UNSCATTER_TRY(webhooks, read_webhooks(options.file));
  return std::unique_ptr<Webhooks>(new Webhooks(std::move(options), writer, metrics, log, std::move(webhooks)));
}

void Webhooks::stop() {
  stopping_ = true;
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::vector<Webhook> Webhooks::list() const {
  const std::lock_guard lock(mutex_);
  return webhooks_;
}

Result<Webhook> Webhooks::put(Webhook webhook) {
  const std::lock_guard lock(mutex_);
  std::vector<Webhook> next = webhooks_;
  if (webhook.id.empty()) {
    if (next.size() >= kMostWebhooks) return Error{ErrorCode::kLimitExceeded, "there are 16 webhooks already"};
    webhook.id = new_webhook_id();
    next.push_back(webhook);
  } else {
    const auto found = std::find_if(next.begin(), next.end(), [&](const Webhook& one) { return one.id == webhook.id; });
    if (found == next.end()) return Error{ErrorCode::kNotFound, "there is no such webhook"};
    *found = webhook;
  }
  UNSCATTER_CHECK_OK(write_webhooks(options_.file, next));
  webhooks_ = std::move(next);
  return webhook;
}

Status Webhooks::remove(const std::string& id) {
  const std::lock_guard lock(mutex_);
  std::vector<Webhook> next = webhooks_;
  if (std::erase_if(next, [&](const Webhook& one) { return one.id == id; }) == 0) {
    return Error{ErrorCode::kNotFound, "there is no such webhook"};
  }
  UNSCATTER_CHECK_OK(write_webhooks(options_.file, next));
  webhooks_ = std::move(next);
  return ok_status();
}

void Webhooks::loop() {
  while (!stopping_) {
    deliver_due();
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, 500ms, [this] { return stopping_.load(); });
  }
}

bool Webhooks::send(const Webhook& webhook, const QueueEvent& event) {
  const auto url = parse_webhook_url(webhook.url);
  if (!url.ok()) return false;
  WebhookPost post{*url, webhook_body(event), {}};
  const std::int64_t time = options_.clock();
  const Signature signature = options_.key->sign(webhook_message(time, event.number, post.body));
  post.headers = {{"Unscatter-Timestamp", std::to_string(time)},
                  {"Unscatter-Event", std::to_string(event.number)},
                  {"Unscatter-Signature", "ed25519=" + signature.hex()}};
  const int status = network().post_webhook(post);
  const bool accepted = status >= 200 && status < 300;
  ++(accepted ? metrics_.deliveries : metrics_.failed_deliveries);
  return accepted;
}

bool Webhooks::deliver(const QueueEvent& event) {
  bool all = true;
  for (const Webhook& webhook : list()) {
    if (stopping_) return false;
    std::set<std::string>& accepted = accepted_[event.number];
    if (!webhook.wants(event_name(event)) || accepted.contains(webhook.id)) continue;
    if (send(webhook, event)) {
      accepted.insert(webhook.id);
    } else {
      all = false;
    }
  }
  return all;
}

void Webhooks::deliver_due() {
  const std::int64_t now = options_.clock();
  const auto events = writer_.queue().due_events(now, kMostEvents, kFarthest);
  if (!events.ok() || events->empty()) return;
  std::vector<Delivery> deliveries;
  for (const QueueEvent& event : *events) {
    if (deliver(event)) {
      accepted_.erase(event.number);
      deliveries.push_back({event.number, Delivery::Outcome::kDelivered, 0});
      continue;
    }
    if (stopping_) break;
    const auto pause = retry_after(event.attempts + 1, random_unit());
    if (!pause) accepted_.erase(event.number);
    deliveries.push_back({event.number, pause ? Delivery::Outcome::kTryAgain : Delivery::Outcome::kGiveUp,
                          options_.clock() + pause.value_or(0)});
    // A receiver that is down costs the time of one attempt, and then all that waits is put off together.
    if (deliveries.size() >= 4 && std::none_of(deliveries.begin(), deliveries.end(), [](const Delivery& one) {
          return one.outcome == Delivery::Outcome::kDelivered;
        })) {
      break;
    }
  }
  settle(std::move(deliveries));
}

void Webhooks::settle(std::vector<Delivery> deliveries) {
  if (deliveries.empty()) return;
  std::promise<void> settled;
  const bool taken = writer_.run([&](Workspace&, RequestQueue& queue) {
    if (!queue.settle(deliveries).ok()) log_.note("error", "the outcome of deliveries could not be written");
    settled.set_value();
  });
  if (taken) settled.get_future().wait();
}

}  // namespace unscatter::service
