// Telling others of changes: signed deliveries from the queue's outbox.
//
// A thread of its own asks the queue for events whose time has come, sends each to every webhook that wants it, and
// settles the outcome.  Whoever does not answer is tried again, later each time, and given up after about three days.
// Nobody else waits for it.  Events name no one.
//
// Webhooks stand in a file beside the workspace, mode 0600.  Which webhook has accepted an event is kept in memory only.
// So after a restart a webhook may get an event twice: its number tells (docs/service.md, "Webhooks").
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "service/log.h"
#include "service/metrics.h"
#include "service/webhook_file.h"
#include "service/writer.h"
#include "unscatter/base/result.h"
#include "unscatter/store/signing_key.h"

namespace unscatter::service {

// Seconds until the next attempt, after so many failed ones: 5, 10, 20, ..., an hour at most; plus up to half of that, so
// that receivers are not called by all at the same moment.  `jitter` is in [0, 1).  Nothing: give up.
[[nodiscard]] std::optional<std::int64_t> retry_after(std::uint32_t failed_attempts, double jitter);
// What is signed: "unscatter webhook 1", the time, the number of the event and the body, a line each.
[[nodiscard]] std::string webhook_message(std::int64_t time, std::uint64_t number, std::string_view body);
// {"event", "number", "request", "state", "note", "time"}
[[nodiscard]] std::string webhook_body(const QueueEvent& event);

class Webhooks {
 public:
  struct Options {
    std::filesystem::path file;
    std::shared_ptr<const SigningKey> key;
    std::function<std::int64_t()> clock;
  };
  // Errors: those of read_webhooks().
  [[nodiscard]] static Result<std::unique_ptr<Webhooks>> open(Options options, Writer& writer, Metrics& metrics,
                                                              Log& log);
  ~Webhooks();

  // Any thread.
  [[nodiscard]] std::vector<Webhook> list() const;
  // Puts one in or, with its id, in place of the one that is there; durable.  Errors: kNotFound, kIo, kLimitExceeded
  // beyond 16.
  [[nodiscard]] Result<Webhook> put(Webhook webhook);
  [[nodiscard]] Status remove(const std::string& id);
  // Ends the thread after the delivery in hand.
  void stop();

 private:
  Webhooks(Options options, Writer& writer, Metrics& metrics, Log& log, std::vector<Webhook> webhooks);
  void loop();
  void deliver_due();
  [[nodiscard]] bool deliver(const QueueEvent& event);
  [[nodiscard]] bool send(const Webhook& webhook, const QueueEvent& event);
  void settle(std::vector<Delivery> deliveries);

  const Options options_;
  Writer& writer_;
  Metrics& metrics_;
  Log& log_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Webhook> webhooks_;
  std::atomic<bool> stopping_ = false;
  std::map<std::uint64_t, std::set<std::string>> accepted_;  // by number of the event: ids of webhooks
  std::thread thread_;
};

}  // namespace unscatter::service
