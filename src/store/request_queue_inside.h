// The inside of a RequestQueue: what memory knows, and how it changes together with the file.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "store/request_queue_contents.h"
#include "store/workspace_state.h"
#include "unscatter/store/request_queue.h"

namespace unscatter {

struct RequestQueue::Inside {
  Inside(Workspace::State& workspace, QueueContents contents);

  [[nodiscard]] std::int64_t now() const;
  // One transaction of the queue alone.  `erases`: it ends requests, and their texts have to leave the disk before it
  // returns.  `fill` gets the change and fills it.
  template <typename Fill>
  [[nodiscard]] Status in_transaction(bool erases, const Fill& fill);
  // The open request with this id.  Errors: kNotFound; kInvalidArgument for one that is finished.
  [[nodiscard]] Result<std::uint64_t> open_number(const RequestId& id) const;
  // A digest of what was asked for that takes the signing key to compute.
  [[nodiscard]] Digest kept_commitment(const RequestId& id, std::string_view text) const;
  // Open or finished, as the file has it.
  [[nodiscard]] Result<QueuedRequest> read_finished(const RequestId& id) const;
  [[nodiscard]] QueueStatistics statistics() const;                 // with `mutex` held
  void keep_recent(std::shared_ptr<const QueuedRequest> finished);  // with `mutex` held
  void refresh_info();

  Workspace::State& state;
  Salt secret;  // of commitments and keys of idempotency
  // What only the writer uses.
  QueueSummary summary;
  TextKeys keys;
  // What other threads see as well: changed by the writer with `mutex` held, read by others with `mutex` held.
  mutable std::mutex mutex;
  std::map<std::uint64_t, OpenRequest> open;
  std::map<RequestId, std::uint64_t> number_of;  // open ones
  // The last ones that were finished, as they were written.  Whoever waited for one asks for it at once, and the file
  // need not be read for that.
  static constexpr std::size_t kMostRecent = 1024;
  std::map<RequestId, std::shared_ptr<const QueuedRequest>> recent;
  std::deque<RequestId> recent_order;
  std::map<std::int64_t, DayRow> days;
  QueuePolicy policy;
  std::uint64_t pending_events = 0;
  std::uint64_t version = 0;
  std::shared_ptr<const WorkspaceInfo> info;
  mutable std::shared_ptr<const QueueView> view;  // of `version`, or an older one
};

// Changes of a queue in a transaction of the caller.  They go to the file as they are told, and to memory by keep(),
// once the transaction is committed.  A change that is dropped has no effect.
class QueueChange {
 public:
  explicit QueueChange(RequestQueue::Inside& inside)
      : inside_(inside), now_(inside.now()), summary_(inside.summary), keys_(inside.keys) {}

  // A new request, received and, if nobody has to verify it, queued.  `text` is request_text().
  [[nodiscard]] Result<RequestId> add(RequestKind kind, std::string_view text, std::string_view actor);
  // A move of an open request.  The table of moves must allow it.  With a result: done.
  [[nodiscard]] Status move(std::uint64_t number, RequestState to, std::string_view actor, RequestNote note,
                            std::optional<RequestResult> result = {});
  [[nodiscard]] Status extend(std::uint64_t number, std::string_view actor, RequestNote note);
  [[nodiscard]] Status add_key(KeyRow row);
  [[nodiscard]] Status drop_key(const KeyRow& row);
  [[nodiscard]] Status replace_event(const EventRow& before, const std::optional<QueueEvent>& after);
  // A finished request.
  [[nodiscard]] Status drop(const RequestRow& row);
  void set_policy(const QueuePolicy& policy) { summary_.policy = policy; }
  // Keys, statistics and the summary, signed.  Last.
  [[nodiscard]] Status finish();
  // Memory follows.
  void keep();

  [[nodiscard]] std::int64_t now() const { return now_; }
  [[nodiscard]] std::size_t open_requests() const { return inside_.open.size() + added_; }
  // As it is after the change so far.
  [[nodiscard]] const QueuedRequest& request(std::uint64_t number) const { return *at(number).request; }

 private:
  [[nodiscard]] const OpenRequest& at(std::uint64_t number) const;
  [[nodiscard]] QueueDay& today();
  [[nodiscard]] Status tell(const QueuedRequest& request);
  [[nodiscard]] Status write_changed(std::uint64_t number, QueuedRequest&& changed);
  void count(const QueuedRequest& finished);

  RequestQueue::Inside& inside_;
  std::int64_t now_;
  QueueSummary summary_;
  TextKeyChange keys_;
  std::map<std::uint64_t, OpenRequest> changed_;  // a finished one has no text
  std::map<std::int64_t, DayRow> days_;
  std::vector<RequestId> dropped_;  // finished ones
  std::size_t added_ = 0;
  std::int64_t pending_events_ = 0;  // more or less than before
};

template <typename Fill>
Status RequestQueue::Inside::in_transaction(bool erases, const Fill& fill) {
  UNSCATTER_CHECK_OK(state.require_writable());
  UNSCATTER_TRY(transaction, Transaction::begin(state.database));
  QueueChange change(*this);
  UNSCATTER_CHECK_OK(fill(change));
  UNSCATTER_CHECK_OK(change.finish());
  UNSCATTER_CHECK_OK(state.commit(transaction));
  change.keep();
  return erases ? state.checkpoint("the request is changed") : ok_status();
}

}  // namespace unscatter
