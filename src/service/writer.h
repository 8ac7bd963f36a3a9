// The one thread that owns the workspace and its queue.
//
// Whatever arrives while it works is done together in the next round: all submissions in one transaction, and all
// queued requests by one certified update.  So a single client never waits for others, and many clients share the cost
// of the disk.  Only where the round before had several, the next one waits a moment for those who were answered then:
// clients that send one request after the other come again at once.  The moment is short beside the update before.
// Answers are written on a thread beside this one.
//
// Readers never wait for a removal: what they need is the queue's view, its pages, and published().
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "service/aside.h"
#include "service/events.h"
#include "service/log.h"
#include "service/metrics.h"
#include "service/published.h"
#include "unscatter/base/result.h"
#include "unscatter/store/request_queue.h"
#include "unscatter/store/workspace.h"

namespace unscatter::service {

struct WriterOptions {
  std::function<std::int64_t()> clock;  // seconds since 1970
  // Salts of requests that are done go there, a line each, before the removal is committed (docs/receipts.md).
  std::string openings = {};
  bool keep_salts = false;
  bool shred = false;
  // Publish a model by itself when the last one is out of date, but not more often than this; 0: never.
  std::chrono::seconds publish_every{0};
};

class Writer {
 public:
  using Clock = std::chrono::steady_clock;
  // What became of a submission.  With a wait: when all of its requests are final, or when the time is over.
  using Submitting = std::function<void(Result<Submitted> outcome)>;
  using Job = std::function<void(Workspace& workspace, RequestQueue& queue)>;

  // Starts the thread.
  Writer(std::unique_ptr<Workspace> workspace, std::unique_ptr<RequestQueue> queue, WriterOptions options,
         EventHub& events, Metrics& metrics, Log& log);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Any thread.  False: the writer has ended, and nothing will be called.
  [[nodiscard]] bool submit(Submission submission, std::chrono::seconds wait, Submitting done);
  [[nodiscard]] bool run(Job job);

  // Any thread; only what is marked so there.
  [[nodiscard]] const RequestQueue& queue() const { return *queue_; }
  [[nodiscard]] std::shared_ptr<const Published> published() const;
  void set_published(std::shared_ptr<const Published> published);
  // Why nothing can be written at present.
  [[nodiscard]] std::optional<std::string> problem() const;
  // Only opening the file again can help: it is not known what the disk has, or there were several failures in a row
  // that were not the disk's.  A disk that is full is waited for.
  [[nodiscard]] bool broken() const;
  // Tells listeners about a request, and where things stand.
  void tell(const QueuedRequest& request);

  // Completes what was accepted, then ends the thread.  At the deadline it ends after the update in hand; what is
  // queued then is on disk and goes on at the next start.
  void drain(std::chrono::seconds longest);

 private:
  struct Waiting {
    Submission submission;
    std::chrono::seconds wait;
    Submitting done;
  };
  struct Waiter {
    Submitted outcome;
    Clock::time_point until;
    Submitting done;
  };
  void loop();
  // What came in meanwhile; returns at once if there is queued work.
  bool next_round(std::vector<Waiting>& submissions, std::vector<Job>& jobs);
  void gather(std::unique_lock<std::mutex>& lock);
  void commit(std::vector<Waiting> submissions);
  void process();
  void answer_waiters(bool all);
  void answer(Submitting done, Result<Submitted> outcome);
  // How many may come in the next round: those who wait already, and those who were answered in this one.
  void expect_again();
  void keep_house();
  void publish_if_due();
  [[nodiscard]] bool has_queued() const;
  [[nodiscard]] Status hand_out(const Forgotten& outcome);
  void failed(const Error& error);
  void succeeded();
  // A write of the queue alone succeeded.  It does not mean that updates do.
  void wrote();
  void tell_all(const std::vector<RequestId>& ids);
  void tell_status();

  const WriterOptions options_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<RequestQueue> queue_;
  EventHub& events_;
  Metrics& metrics_;
  Log& log_;

  mutable std::mutex mutex_;  // of what follows, down to the empty line
  std::condition_variable changed_;
  std::vector<Waiting> submissions_;
  std::vector<Job> jobs_;
  bool draining_ = false;
  bool ended_ = false;
  Clock::time_point drain_until_ = Clock::time_point::max();
  std::shared_ptr<const Published> published_;
  std::optional<std::string> problem_;
  int failures_ = 0;

  std::size_t answered_ = 0;       // in this round
  std::size_t expected_ = 0;       // in the next one
  Clock::duration patience_{};     // for them
  Clock::time_point try_again_{};  // after a failure: not before
  bool update_failed_ = false;     // the last one
  Clock::time_point next_house_{};
  Clock::time_point next_publish_{};
  std::vector<Waiter> waiters_;
  Aside aside_;
  std::thread thread_;
};

}  // namespace unscatter::service
