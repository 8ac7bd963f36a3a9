// One request to be forgotten as a queue keeps it (request_queue.h): its states, its history, its end.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"

namespace unscatter {

// Random, so that nobody can guess the address of somebody else's request.
struct RequestId {
  std::array<std::uint8_t, 16> bytes{};
  [[nodiscard]] std::string hex() const;  // 32 lower-case digits
  // NOLINTNEXTLINE(modernize-use-nullptr): the checker sees the zero that this compares with.
  friend auto operator<=>(const RequestId&, const RequestId&) = default;
};
// Errors: kMalformedInput.
[[nodiscard]] Result<RequestId> parse_request_id(std::string_view hex);

// The values are those in the file.
enum class RequestState : std::uint8_t {
  kReceived = 0,
  kVerified = 1,  // on the way to kQueued, in the same transaction
  kQueued = 2,
  kFailed = 3,  // the update could not be computed; an operator may queue the request again
  kDone = 4,
  kAlreadyAbsent = 5,
  kRefused = 6,
  kCancelled = 7,
};
inline constexpr std::size_t kRequestStates = 8;
// "received", "verified", "queued", "failed", "done", "already-absent", "refused", "cancelled".
[[nodiscard]] std::string_view request_state_name(RequestState state) noexcept;
// Errors: kMalformedInput.
[[nodiscard]] Result<RequestState> parse_request_state(std::string_view name);
// No move leads out of it, and the text is gone: done, already absent, refused, cancelled.
[[nodiscard]] bool is_final(RequestState state) noexcept;
// The fixed table of moves.
[[nodiscard]] bool may_move(RequestState from, RequestState to) noexcept;

// Why something happened.  A code and no free text: what people write names people.  The values are those in the file.
enum class RequestNote : std::uint8_t {
  kNone = 0,
  kByPolicy = 1,          // queued without verification
  kIdentityShown = 2,     // verified
  kIdentityNotShown = 3,  // refused: nobody could tell that the person asks for themselves
  kMustBeKept = 4,        // refused: a law or a contract asks to keep the data
  kExcessive = 5,         // refused: repeated without reason
  kWithdrawn = 6,         // cancelled by whoever asked
  kMistake = 7,           // cancelled: it was not meant, or somebody else was meant
  kComplex = 8,           // extended: the request is complex
  kManyRequests = 9,      // extended: there are many requests
  kHonoured = 10,         // done
  kNotThere = 11,         // already absent: the workspace has no such graph, node, edge or subject
  kNotPossible = 12,      // refused: the workspace cannot honour it, for instance because no graph would be left
  kNotConverged = 13,     // failed: the update could not be computed
  kTriedAgain = 14,       // queued again after a failure
};
// "none", "by-policy", "identity-shown", ...
[[nodiscard]] std::string_view request_note_name(RequestNote note) noexcept;
// Errors: kMalformedInput.
[[nodiscard]] Result<RequestNote> parse_request_note(std::string_view name);

// One change.  An extension has the same state before and after.
struct RequestChange {
  std::int64_t time = 0;                  // seconds since 1970, as the clock said; it may have been set back in between
  std::optional<RequestState> from = {};  // nothing for the first
  RequestState to = RequestState::kReceived;
  std::string actor;  // opaque id of a token, see Submission::actor; "queue" for what the queue did by itself
  RequestNote note = RequestNote::kNone;
  friend bool operator==(const RequestChange&, const RequestChange&) = default;
};

// Where to find a request that is done: entry and receipt have the same number.
struct RequestResult {
  std::uint64_t entry = 0;             // of the ledger, and number of the receipt
  std::uint64_t commitment_index = 0;  // of the request among the commitments of both
  Digest commitment;                   // the one that stands there
  friend bool operator==(const RequestResult&, const RequestResult&) = default;
};

enum class RequestKind : std::uint8_t { kFeatures = 0, kNode = 1, kEdge = 2, kGraph = 3, kSubject = 4 };
// "features", "node", "edge", "graph", "subject", as in {"forget": ...}.
[[nodiscard]] std::string_view request_kind_name(RequestKind kind) noexcept;

struct QueuedRequest {
  RequestId id;
  std::uint64_t number = 0;  // 1, 2, 3, ... in the order of arrival; requests are honoured in this order
  RequestKind kind = RequestKind::kSubject;
  RequestState state = RequestState::kReceived;
  std::int64_t received = 0;   // seconds since 1970
  std::int64_t due = 0;        // with the extension, if there is one
  std::int64_t first_due = 0;  // without it
  bool extended = false;
  std::optional<std::int64_t> finished = {};  // when it reached its final state
  std::vector<RequestChange> history;         // in the order in which they happened
  // request_text(), while the request is open; empty once it has reached its final state.
  std::string text;
  std::optional<RequestResult> result = {};  // of a request that is done
  // Of a request with another end: a digest of its text under a key that takes the signing key to compute.  See
  // RequestQueue::is_about().
  std::optional<Digest> kept_commitment = {};

  QueuedRequest() = default;
  QueuedRequest(const QueuedRequest&) = default;
  QueuedRequest(QueuedRequest&&) = default;
  QueuedRequest& operator=(const QueuedRequest&) = default;
  QueuedRequest& operator=(QueuedRequest&&) = default;
  ~QueuedRequest();  // overwrites the text
};

}  // namespace unscatter
