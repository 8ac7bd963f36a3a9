#include "service/writer.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/stopwatch.h"
#include "service/json_body.h"
#include "service/openings.h"

namespace unscatter::service {
namespace {

using namespace std::chrono_literals;

constexpr auto kShortGather = 2ms;  // less than a durable write takes
constexpr auto kLongGather = 20ms;
constexpr int kGatherShare = 8;      // of the time of the update before
constexpr auto kPause = 2s;          // after a failure
constexpr int kBrokenAfter = 5;      // failures in a row
constexpr auto kHousekeeping = 60s;  // between two rounds of dropping what is old

}  // namespace

Writer::Writer(std::unique_ptr<Workspace> workspace, std::unique_ptr<RequestQueue> queue, WriterOptions options,
               EventHub& events, Metrics& metrics, Log& log)
    : options_(std::move(options)),
      workspace_(std::move(workspace)),
      queue_(std::move(queue)),
      events_(events),
      metrics_(metrics),
      log_(log) {
  if (auto published = published_of(*workspace_); published.ok()) published_ = *std::move(published);
  thread_ = std::thread([this] { loop(); });
}

Writer::~Writer() { drain(0s); }

bool Writer::submit(Submission submission, std::chrono::seconds wait, Submitting done) {
  const std::lock_guard lock(mutex_);
  if (ended_ || draining_) return false;
  submissions_.push_back({std::move(submission), wait, std::move(done)});
  changed_.notify_one();
  return true;
}

bool Writer::run(Job job) {
  const std::lock_guard lock(mutex_);
  if (ended_) return false;
  jobs_.push_back(std::move(job));
  changed_.notify_one();
  return true;
}

std::shared_ptr<const Published> Writer::published() const {
  const std::lock_guard lock(mutex_);
  return published_;
}

void Writer::set_published(std::shared_ptr<const Published> published) {
  {
    const std::lock_guard lock(mutex_);
    published_ = std::move(published);
  }
  tell_status();
}

std::optional<std::string> Writer::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

bool Writer::broken() const {
  const std::lock_guard lock(mutex_);
  return failures_ >= kBrokenAfter;
}

void Writer::drain(std::chrono::seconds longest) {
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
    drain_until_ = Clock::now() + longest;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
  aside_.finish();
}

bool Writer::has_queued() const {
  const auto by_state = queue_->view()->statistics.by_state;
  return by_state[static_cast<std::size_t>(RequestState::kQueued)] > 0;
}

void Writer::gather(std::unique_lock<std::mutex>& lock) {
  if (expected_ <= 1 || submissions_.empty()) return;
  changed_.wait_for(lock, patience_, [this] { return submissions_.size() >= expected_ || draining_; });
}

bool Writer::next_round(std::vector<Waiting>& submissions, std::vector<Job>& jobs) {
  const bool queued = has_queued();
  std::unique_lock lock(mutex_);
  const auto something = [this] { return !submissions_.empty() || !jobs_.empty() || draining_; };
  const auto now = Clock::now();
  const bool work_now = queued && now >= try_again_;
  if (!work_now && !something()) {
    auto until = waiters_.empty() ? now + 1s : now + 100ms;
    if (queued) until = std::min(until, try_again_);
    changed_.wait_until(lock, until, something);
  }
  gather(lock);
  submissions.swap(submissions_);
  jobs.swap(jobs_);
  const bool done = draining_ && submissions.empty() && jobs.empty() &&
                    (!queued || Clock::now() >= drain_until_ || problem_.has_value());
  if (done) ended_ = true;
  return !done;
}

void Writer::loop() {
  std::vector<Waiting> submissions;
  std::vector<Job> jobs;
  while (next_round(submissions, jobs)) {
    answered_ = 0;
    patience_ = kShortGather;
    commit(std::exchange(submissions, {}));
    for (const Job& job : std::exchange(jobs, {})) job(*workspace_, *queue_);
    if (has_queued() && Clock::now() >= try_again_) process();
    answer_waiters(false);
    expect_again();
    keep_house();
  }
  answer_waiters(true);
}

void Writer::commit(std::vector<Waiting> submissions) {
  if (submissions.empty()) return;
  std::vector<Submission> together;
  together.reserve(submissions.size());
  for (Waiting& one : submissions) together.push_back(std::move(one.submission));
  auto outcomes = queue_->submit_many(together);
  if (!outcomes.ok()) {
    failed(outcomes.error());
    for (Waiting& one : submissions) answer(std::move(one.done), outcomes.error());
    return;
  }
  wrote();
  for (std::size_t i = 0; i < submissions.size(); ++i) {
    Submitted& outcome = (*outcomes)[i];
    if (outcome.outcome == Submitted::Outcome::kTaken) tell_all(outcome.ids);
    if (submissions[i].wait > 0s && !outcome.ids.empty()) {
      waiters_.push_back({std::move(outcome), Clock::now() + submissions[i].wait, std::move(submissions[i].done)});
    } else {
      answer(std::move(submissions[i].done), std::move(outcome));
    }
  }
}

Status Writer::hand_out(const Forgotten& outcome) {
  if (options_.openings.empty()) return ok_status();
  return append_openings(options_.openings, outcome);
}

void Writer::process() {
  Stopwatch watch;
  ProcessOptions how;
  how.keep_salts = options_.keep_salts;
  how.shred = options_.shred;
  how.hand_out = [this](const Forgotten& outcome, std::span<const RequestId>) { return hand_out(outcome); };
  const Result<Processed> processed = queue_->process(how);
  update_failed_ = !processed.ok();
  if (!processed.ok()) return failed(processed.error());
  succeeded();
  const double seconds = watch.lap();
  const auto share = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds / kGatherShare));
  patience_ = std::clamp<Clock::duration>(share, kShortGather, kLongGather);
  metrics_.updates += processed->updates.size();
  metrics_.updated_requests += processed->done.size();
  metrics_.update_microseconds += static_cast<std::uint64_t>(seconds * 1e6);
  for (const auto* ids : {&processed->done, &processed->already_absent, &processed->refused, &processed->failed}) {
    tell_all(*ids);
  }
}

void Writer::answer_waiters(bool all) {
  const auto is_over = [this](const RequestId& id) {
    const auto request = queue_->find(id);
    return !request.ok() || is_final(request->state) || request->state == RequestState::kFailed ||
           request->state == RequestState::kReceived;
  };
  const auto now = Clock::now();
  std::erase_if(waiters_, [&](Waiter& waiter) {
    const bool over =
        all || now >= waiter.until || std::all_of(waiter.outcome.ids.begin(), waiter.outcome.ids.end(), is_over);
    if (over) answer(std::move(waiter.done), std::move(waiter.outcome));
    return over;
  });
}

void Writer::answer(Submitting done, Result<Submitted> outcome) {
  ++answered_;
  aside_.run([done = std::move(done), outcome = std::move(outcome)]() mutable { done(std::move(outcome)); });
}

void Writer::expect_again() {
  const std::lock_guard lock(mutex_);
  expected_ = answered_ + submissions_.size();
}

void Writer::failed(const Error& error) {
  ++metrics_.write_failures;
  next_house_ = std::min(next_house_, Clock::now() + kPause);
  // The sentence of the error may name a file of the operator, and somebody of the data.  Its kind names nobody.
  const std::string kind(error_code_name(error.code));
  log_.note("error", "the workspace could not be changed: " + kind);
  try_again_ = Clock::now() + kPause;
  const std::lock_guard lock(mutex_);
  problem_ = kind;
  if (queue_->must_be_opened_again()) {
    failures_ = kBrokenAfter;
  } else if (error.code != ErrorCode::kIo) {
    ++failures_;
  }
}

void Writer::succeeded() {
  const std::lock_guard lock(mutex_);
  problem_.reset();
  failures_ = 0;
}

void Writer::wrote() {
  if (!update_failed_ || !has_queued()) succeeded();
}

void Writer::keep_house() {
  publish_if_due();
  const auto now = Clock::now();
  if (now < next_house_) return;
  const auto dropped = queue_->drop_finished();
  // This writes, whether or not there is something to drop.  So the end of a problem is noticed, even if nobody sends
  // anything because of it.
  if (dropped.ok()) {
    wrote();
  } else {
    failed(dropped.error());
  }
  next_house_ = now + (problem() ? Clock::duration(kPause) : Clock::duration(kHousekeeping));
}

void Writer::publish_if_due() {
  if (options_.publish_every <= 0s || Clock::now() < next_publish_) return;
  next_publish_ = Clock::now() + options_.publish_every;
  const auto held = published();
  if (held && workspace_->published_document().ok()) return;
  if (const auto model = workspace_->release(); !model.ok()) {
    log_.note("error", "no model could be published: " + std::string(error_code_name(model.error().code)));
    return;
  }
  queue_->refresh_info();
  if (auto fresh = published_of(*workspace_); fresh.ok()) set_published(*std::move(fresh));
}

void Writer::tell(const QueuedRequest& request) {
  const RequestNote note = request.history.empty() ? RequestNote::kNone : request.history.back().note;
  events_.publish(
      "request",
      Json{{"id", request.id.hex()}, {"state", request_state_name(request.state)}, {"note", request_note_name(note)}}
          .dump());
  tell_status();
}

void Writer::tell_all(const std::vector<RequestId>& ids) {
  if (ids.empty() || events_.listeners() == 0) return;
  for (const RequestId& id : ids) {
    const auto request = queue_->find(id);
    if (!request.ok()) continue;
    events_.publish(
        "request",
        Json{{"id", id.hex()},
             {"state", request_state_name(request->state)},
             {"note", request_note_name(request->history.empty() ? RequestNote::kNone : request->history.back().note)}}
            .dump());
  }
  tell_status();
}

void Writer::tell_status() {
  if (events_.listeners() == 0) return;
  const auto info = queue_->info();
  const auto view = queue_->view();
  events_.publish("status", Json{{"entries", info->entries},
                                 {"hash", info->head.hex()},
                                 {"open", view->open.size()},
                                 {"overdue", view->overdue(options_.clock())},
                                 {"published", info->published}}
                                .dump());
}

}  // namespace unscatter::service
