#include "unscatter/store/request_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "store/request_queue_actor.h"
#include "store/request_queue_inside.h"
#include "store/schema.h"

namespace unscatter {
namespace {

// It takes the signing key to compute it, as with the digests of lists.  So whoever holds the file alone cannot hold a
// guess against what the file keeps.
Salt queue_secret(const SigningKey& signing, const Salt& list_key) {
  const Signature signature = signing.sign("unscatter queue key 1\n" + list_key.hex());
  Hasher hasher;
  hasher.add(std::string_view("unscatter queue key 1")).add_bytes(std::as_bytes(std::span(signature.bytes)));
  return {hasher.finish().bytes};
}

// The tables of a file without them, in a transaction of its own.
Status ensure_queue(Workspace::State& state) {
  UNSCATTER_TRY(there, has_queue(state.database));
  if (there) return ok_status();
  UNSCATTER_TRY(transaction, Transaction::begin(state.database));
  UNSCATTER_CHECK_OK(create_queue_tables(state.database));
  UNSCATTER_CHECK_OK(write_summary(state.database, state.contents.identity, *state.options.key, {}));
  UNSCATTER_CHECK_OK(state.commit(transaction));
  return state.checkpoint("the queue is made");
}

Status require_note(RequestNote note, std::initializer_list<RequestNote> allowed) {
  if (std::find(allowed.begin(), allowed.end(), note) != allowed.end()) return ok_status();
  return Error{ErrorCode::kInvalidArgument, fmt::format("the note '{}' has no place here", request_note_name(note))};
}

}  // namespace

Status check_actor(std::string_view actor) {
  constexpr std::size_t kLongest = 64;
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  };
  if (!actor.empty() && actor.size() <= kLongest && std::all_of(actor.begin(), actor.end(), allowed)) {
    return ok_status();
  }
  return Error{ErrorCode::kInvalidArgument,
               "the id of who asks has 1 to 64 letters, digits, '-', '_' or '.', and this one has not"};
}

RequestQueue::Inside::Inside(Workspace::State& workspace, QueueContents contents)
    : state(workspace),
      secret(queue_secret(*workspace.options.key, workspace.contents.identity.list_key)),
      summary(contents.summary),
      keys(std::move(contents.keys)),
      open(std::move(contents.open)),
      days(std::move(contents.days)),
      policy(summary.policy),
      pending_events(contents.pending_events),
      info(std::make_shared<const WorkspaceInfo>(workspace.info())) {
  for (const auto& [number, request] : open) number_of.emplace(request.request->id, number);
}

std::int64_t RequestQueue::Inside::now() const {
  return state.options.clock ? state.options.clock() : static_cast<std::int64_t>(std::time(nullptr));
}

Digest RequestQueue::Inside::kept_commitment(const RequestId& id, std::string_view text) const {
  // With the id: equal requests have different commitments.
  return Hasher(secret).add(std::string_view("unscatter queue request 1")).add_bytes(bytes_of(id)).add(text).finish();
}

RequestQueue::RequestQueue(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
RequestQueue::RequestQueue(RequestQueue&&) noexcept = default;
RequestQueue& RequestQueue::operator=(RequestQueue&&) noexcept = default;
RequestQueue::~RequestQueue() = default;

Result<RequestQueue> RequestQueue::open(Workspace& workspace) {
  Workspace::State& state = *workspace.state_;
  UNSCATTER_CHECK_OK(state.require_writable());
  UNSCATTER_CHECK_OK(ensure_queue(state));
  UNSCATTER_TRY(contents, read_queue(state.database, state.contents.identity));
  return RequestQueue(std::make_unique<Inside>(state, std::move(contents)));
}

Result<std::uint64_t> RequestQueue::Inside::open_number(const RequestId& id) const {
  const auto found = number_of.find(id);
  if (found != number_of.end()) return found->second;
  UNSCATTER_TRY(finished, read_finished(id));
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("the request is {}, and that is final", request_state_name(finished.state))};
}

namespace {

// One request, one transaction.  Returns the request as it is then.
template <typename Fill>
Result<QueuedRequest> change_one(RequestQueue::Inside& inside, const RequestId& id, std::string_view actor, bool erases,
                                 const Fill& fill) {
  UNSCATTER_CHECK_OK(check_actor(actor));
  UNSCATTER_TRY(number, inside.open_number(id));
  std::optional<QueuedRequest> after;
  const auto fill_and_look = [&](QueueChange& change) -> Status {
    UNSCATTER_CHECK_OK(fill(change, number));
    after = change.request(number);
    return ok_status();
  };
  UNSCATTER_CHECK_OK(inside.in_transaction(erases, fill_and_look));
  return *std::move(after);
}

}  // namespace

Result<QueuedRequest> RequestQueue::verify(const RequestId& id, std::string_view actor, RequestNote note) {
  UNSCATTER_CHECK_OK(require_note(note, {RequestNote::kNone, RequestNote::kIdentityShown}));
  return change_one(*inside_, id, actor, false, [&](QueueChange& change, std::uint64_t number) -> Status {
    UNSCATTER_CHECK_OK(change.move(number, RequestState::kVerified, actor, note));
    return change.move(number, RequestState::kQueued, "queue", RequestNote::kNone);
  });
}

Result<QueuedRequest> RequestQueue::cancel(const RequestId& id, std::string_view actor, RequestNote note) {
  UNSCATTER_CHECK_OK(require_note(note, {RequestNote::kNone, RequestNote::kWithdrawn, RequestNote::kMistake}));
  return change_one(*inside_, id, actor, true, [&](QueueChange& change, std::uint64_t number) {
    return change.move(number, RequestState::kCancelled, actor, note);
  });
}

Result<QueuedRequest> RequestQueue::refuse(const RequestId& id, std::string_view actor, RequestNote note) {
  UNSCATTER_CHECK_OK(
      require_note(note, {RequestNote::kIdentityNotShown, RequestNote::kMustBeKept, RequestNote::kExcessive}));
  return change_one(*inside_, id, actor, true, [&](QueueChange& change, std::uint64_t number) {
    return change.move(number, RequestState::kRefused, actor, note);
  });
}

Result<QueuedRequest> RequestQueue::try_again(const RequestId& id, std::string_view actor) {
  return change_one(*inside_, id, actor, false, [&](QueueChange& change, std::uint64_t number) -> Status {
    // A history without an end would fill the file.
    constexpr std::size_t kLongestHistory = 200;
    const QueuedRequest& request = change.request(number);
    if (request.state != RequestState::kFailed || request.history.size() >= kLongestHistory) {
      return Error{ErrorCode::kInvalidArgument,
                   request.state == RequestState::kFailed
                       ? std::string("the request was tried too often; refuse it, or cancel it")
                       : fmt::format("a request that is {} has not failed", request_state_name(request.state))};
    }
    return change.move(number, RequestState::kQueued, actor, RequestNote::kTriedAgain);
  });
}

Result<QueuedRequest> RequestQueue::extend(const RequestId& id, std::string_view actor, RequestNote note) {
  UNSCATTER_CHECK_OK(require_note(note, {RequestNote::kComplex, RequestNote::kManyRequests}));
  return change_one(*inside_, id, actor, false,
                    [&](QueueChange& change, std::uint64_t number) { return change.extend(number, actor, note); });
}

Status RequestQueue::set_policy(const QueuePolicy& policy) {
  UNSCATTER_CHECK_OK(check_policy(policy));
  return inside_->in_transaction(false, [&](QueueChange& change) {
    change.set_policy(policy);
    return ok_status();
  });
}

}  // namespace unscatter
