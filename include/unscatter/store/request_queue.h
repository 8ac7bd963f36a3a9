// Requests to be forgotten, from the day they come to the day they are done: a queue inside of the workspace file.
//
// A request is received, perhaps verified by an operator, queued, and then honoured together with others by one
// certified update.  Its rows change in the SQLite transaction of the removal.  So a process that is killed loses no
// request that was acknowledged, and repeats none.  docs/workspace-format.md, "The queue", says what is on the disk.
//
//   received --> verified --> queued --> done | already absent | refused
//                               ^ |
//                               | v
//                              failed        cancelled, refused: from every state that is not final
//
// Names.  While a request is open, the file holds what was asked for (request_text()), enciphered under a key of its
// own.  The transaction that ends the request overwrites this key.  What stays is a commitment: that of the receipt if
// the request is done, a keyed digest otherwise.  History, events, keys and statistics name nobody.
//
// Threads.  One thread writes: it alone may call what is not marked "any thread", and it alone may use the Workspace.
// What is marked "any thread" may be called at any time by all, also while the writer computes a removal.  Open
// requests come from memory, and for find() the last 1,024 that were finished.  Other finished ones, entries and
// receipts come from the file, a page at a time, and wait only while the writer writes, which is short.  They do not
// wait while it computes, which may be long.  Memory grows with the number of open requests (QueuePolicy::most_open)
// and of days with statistics, and not with that of finished requests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "unscatter/base/digest.h"
#include "unscatter/base/error.h"
#include "unscatter/base/result.h"
#include "unscatter/store/ledger_record.h"
#include "unscatter/store/queued_request.h"
#include "unscatter/store/receipt.h"
#include "unscatter/store/workspace.h"
#include "unscatter/unlearn/request.h"

namespace unscatter {

// What the operator has decided.  Changes apply to requests that come later; due dates that were given stay.
struct QueuePolicy {
  std::int64_t days = 30;            // until a request is due: 1 to 3,650
  std::int64_t extension_days = 30;  // of the one extension: 0 (none) to 3,650
  std::int64_t most_days = 60;       // in all: days + extension_days are at most this
  bool verify = false;               // an operator verifies each request before it is queued
  std::int64_t most_open = 100000;   // open requests; more are not taken: 1 to 1,000,000
  std::int64_t key_hours = 24;       // how long a key of idempotency is remembered: 24 to 8,760
  // Days after which a finished request is dropped by drop_finished(): 1 to 36,500.  Nothing: it is kept.
  std::optional<std::int64_t> keep_days = {};
  bool events = false;  // write events for webhooks; without it the outbox stays empty
  friend bool operator==(const QueuePolicy&, const QueuePolicy&) = default;
};
// Errors: kInvalidArgument, naming the field and its range.
[[nodiscard]] Status check_policy(const QueuePolicy& policy);

// What one call of a client brings: one request or several, all or none of them.
struct Submission {
  std::vector<RemovalRequest> requests;  // 1 to 10,000, each of at most 64 KiB as request_text()
  // Who sends it: 1 to 64 letters, digits, '-', '_' or '.'.  It stays in the history for ever, so it names a token and
  // no person.
  std::string actor;
  // The client's key of idempotency, 1 to 255 bytes, or empty for none, and the bytes that it sent.  The file keeps a
  // keyed digest of both, because both may hold a name.
  std::string key = {};
  std::string body = {};
};
struct Submitted {
  enum class Outcome {
    kTaken,     // new; durable
    kReplayed,  // same key, same actor, same body: `ids` are those of the first time, and nothing was written
    kConflict,  // same key and actor, another body: nothing was written
    kRefused,   // it breaks a rule: see `error`; nothing was written
  };
  Outcome outcome = Outcome::kRefused;
  std::vector<RequestId> ids;       // in the order of Submission::requests
  std::optional<Error> error = {};  // of kRefused: kInvalidArgument; kLimitExceeded beyond QueuePolicy::most_open
};

struct ProcessOptions {
  std::size_t limit = 256;  // requests of one call, the oldest first
  bool keep_salts = false;  // this and the next as in ForgetOptions
  bool shred = false;
  // As ForgetOptions::hand_out, with the ids of `outcome.requests` in their order.  An error drops the removal, and
  // the requests stay queued.
  std::function<Status(const Forgotten& outcome, std::span<const RequestId> ids)> hand_out = nullptr;
};
struct Processed {
  std::vector<RequestId> done, already_absent, refused, failed;
  // One update, as a rule.  If it cannot be computed for all requests together, they are halved until it can be, so
  // that one of them does not block the others.  None if nothing was left to remove.
  std::vector<Forgotten> updates;
};

// Something for a webhook.  Names nobody.
struct QueueEvent {
  std::uint64_t number = 0;  // ascending
  RequestId request;
  RequestState state = RequestState::kReceived;  // that it came to
  RequestNote note = RequestNote::kNone;         // kComplex, kManyRequests: it was extended
  std::int64_t time = 0;
  std::uint32_t attempts = 0;     // that failed
  std::int64_t next_attempt = 0;  // not before
  bool given_up = false;          // stays until drop_finished() takes it
  friend bool operator==(const QueueEvent&, const QueueEvent&) = default;
};
struct Delivery {
  enum class Outcome { kDelivered, kTryAgain, kGiveUp };
  std::uint64_t number = 0;  // of the event
  Outcome outcome = Outcome::kDelivered;
  std::int64_t next_attempt = 0;  // of kTryAgain
};

// Latencies from received to done: bucket i counts those of at most kLatencyBounds[i] seconds and more than the bound
// before; the last one counts all others.
inline constexpr std::array<std::int64_t, 11> kLatencyBounds = {1,     10,     60,     600,     3600,   21600,
                                                                86400, 259200, 604800, 1209600, 2592000};
using LatencyCounts = std::array<std::uint64_t, kLatencyBounds.size() + 1>;

struct QueueDay {
  std::int64_t day = 0;  // days since 1970-01-01, UTC
  std::uint64_t received = 0;
  std::uint64_t done = 0, already_absent = 0, refused = 0, cancelled = 0;
  std::uint64_t late = 0;     // of those that were finished this day: after their due date
  LatencyCounts latencies{};  // of `done`
  friend bool operator==(const QueueDay&, const QueueDay&) = default;
};
struct QueueStatistics {
  // Open states: how many are in them now.  Final states: how many ever came to them, dropped ones included.
  std::array<std::uint64_t, kRequestStates> by_state{};
  std::optional<std::int64_t> next_due = {};  // the earliest due date of an open request
  std::uint64_t pending_events = 0;           // in the outbox
  LatencyCounts latencies{};                  // of all that were done
  std::vector<QueueDay> days;                 // ascending, those on which something happened
};

// All open requests at one moment, in the order of their numbers.  It never changes.
struct QueueView {
  std::uint64_t version = 0;  // grows with every change of the queue since it was opened
  std::vector<std::shared_ptr<const QueuedRequest>> open;
  QueuePolicy policy;
  QueueStatistics statistics;
  [[nodiscard]] std::size_t overdue(std::int64_t now) const noexcept;
};

// Finished requests, the latest number first.
struct FinishedQuery {
  std::optional<std::uint64_t> before = {};  // numbers below this one; of the next page: FinishedPage::next
  std::size_t limit = 100;                   // 1 to 1,000
  std::optional<RequestState> state = {};    // only this final state
};
struct FinishedPage {
  std::vector<QueuedRequest> requests;
  std::optional<std::uint64_t> next = {};  // for `before`, if there may be more
};

// Errors of all that write: kInvalidArgument without the key of the workspace; kMalformedInput where something in the
// file is not what was written; kIo as of Workspace.  They change nothing.  Errors of all that name an id: kNotFound.
class RequestQueue {
 public:
  // Makes the tables of a file that has none, and reads all rows against their signed summary.  The workspace must be
  // opened with its key and for writing; it must outlive the queue.  Errors also: kOutdated for an older copy.
  [[nodiscard]] static Result<RequestQueue> open(Workspace& workspace);
  RequestQueue(RequestQueue&&) noexcept;
  RequestQueue& operator=(RequestQueue&&) noexcept;
  ~RequestQueue();

  // Durable when it returns.  All of them are written in one transaction; what one submission breaks concerns no other.
  // Results stand in the order of `submissions`.
  [[nodiscard]] Result<std::vector<Submitted>> submit_many(std::span<const Submission> submissions);
  [[nodiscard]] Result<Submitted> submit(const Submission& submission);

  // Moves by people.  Errors also: kInvalidArgument where the table of moves, or the rule below, does not allow it, and
  // for an actor or a note that has no place here.
  //
  // received -> verified -> queued.
  [[nodiscard]] Result<QueuedRequest> verify(const RequestId& id, std::string_view actor,
                                             RequestNote note = RequestNote::kIdentityShown);
  // Open -> cancelled.  Notes: kNone, kWithdrawn, kMistake.
  [[nodiscard]] Result<QueuedRequest> cancel(const RequestId& id, std::string_view actor,
                                             RequestNote note = RequestNote::kWithdrawn);
  // Open -> refused.  Notes: kIdentityNotShown, kMustBeKept, kExcessive.
  [[nodiscard]] Result<QueuedRequest> refuse(const RequestId& id, std::string_view actor, RequestNote note);
  // failed -> queued.
  [[nodiscard]] Result<QueuedRequest> try_again(const RequestId& id, std::string_view actor);
  // The one extension of the due date, by QueuePolicy::extension_days, while the request is open and not yet due.
  // Notes: kComplex, kManyRequests.
  [[nodiscard]] Result<QueuedRequest> extend(const RequestId& id, std::string_view actor, RequestNote note);

  // Honours queued requests, and returns when this is durable and nothing of what was removed is left.  What is not
  // there becomes already absent, what cannot be honoured refused.  Both and those that are done change in the
  // transaction of the removal.  Errors: those of Workspace::forget() that are not about one request; those of
  // hand_out.  Requests that were not settled before the error stay queued.
  [[nodiscard]] Result<Processed> process(const ProcessOptions& options = {});

  // Errors also: check_policy().
  [[nodiscard]] Status set_policy(const QueuePolicy& policy);

  // Pending events whose time has come, the oldest first.  Then those whose time is more than `longest_pause` seconds
  // ahead: nobody puts an event off for so long, so the clock has gone back since.  Any thread.
  [[nodiscard]] Result<std::vector<QueueEvent>> due_events(std::int64_t now, std::size_t limit,
                                                           std::int64_t longest_pause = INT64_MAX) const;
  // What came of deliveries, in one transaction.  Events that are gone already are passed over.
  [[nodiscard]] Status settle(std::span<const Delivery> deliveries);

  // Drops finished requests and events that were given up, once they are older than QueuePolicy::keep_days, and keys
  // that have expired; at most `limit` of each.  Returns how many requests went.  Statistics keep counting them.
  [[nodiscard]] Result<std::size_t> drop_finished(std::size_t limit = 10000);

  // Any thread, all of them.
  //
  // The view of the present version.  It is made when it is first asked for, which takes a pointer per open request,
  // and shared from then on.
  [[nodiscard]] std::shared_ptr<const QueueView> view() const;
  [[nodiscard]] std::uint64_t version() const noexcept;
  [[nodiscard]] Result<QueuedRequest> find(const RequestId& id) const;  // open or finished
  [[nodiscard]] Result<FinishedPage> finished(const FinishedQuery& query) const;
  // As of Workspace.
  [[nodiscard]] Result<LedgerRecord> entry(std::size_t sequence) const;
  [[nodiscard]] Result<Digest> hash_of_entry(std::size_t sequence) const;
  // Of the signer, over "unscatter ledger entry 1", a newline and the hash in hexadecimal digits.
  [[nodiscard]] Result<Signature> signature_of_entry(std::size_t sequence) const;
  [[nodiscard]] Result<Receipt> receipt(std::size_t sequence) const;
  // As it was after the last change that this queue made, or refresh_info().
  [[nodiscard]] std::shared_ptr<const WorkspaceInfo> info() const;
  // Is the finished request with this kept commitment about `request`?  For whoever has the signing key.
  [[nodiscard]] bool is_about(const QueuedRequest& finished, const RemovalRequest& request) const;

  // For the writer.  A write failed in such a way that only opening the workspace again can tell what the disk has.
  // Until then nothing can be written.
  [[nodiscard]] bool must_be_opened_again() const noexcept;
  // For the writer, after it has changed the workspace by other means, for instance by release().
  void refresh_info();

  struct Inside;  // not for users

 private:
  explicit RequestQueue(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace unscatter
