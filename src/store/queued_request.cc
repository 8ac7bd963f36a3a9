#include "unscatter/store/queued_request.h"

#include <fmt/format.h>

#include <array>

#include "base/hex.h"
#include "base/wipe.h"

namespace unscatter {
namespace {

using enum RequestState;

constexpr std::array<std::string_view, kRequestStates> kStateNames = {
    "received", "verified", "queued", "failed", "done", "already-absent", "refused", "cancelled"};

constexpr std::array<std::string_view, 15> kNoteNames = {
    "none",         "by-policy",     "identity-shown", "identity-not-shown", "must-be-kept", "excessive",
    "withdrawn",    "mistake",       "complex",        "many-requests",      "honoured",     "not-there",
    "not-possible", "not-converged", "tried-again"};

constexpr std::array<std::string_view, 5> kKindNames = {"features", "node", "edge", "graph", "subject"};

struct Move {
  RequestState from;
  RequestState to;
};
// All that is allowed.  Nothing leads out of a final state.
constexpr std::array kMoves = {
    Move{kReceived, kVerified}, Move{kReceived, kQueued},  Move{kReceived, kRefused},     Move{kReceived, kCancelled},
    Move{kVerified, kQueued},   Move{kVerified, kRefused}, Move{kVerified, kCancelled},   Move{kQueued, kDone},
    Move{kQueued, kFailed},     Move{kQueued, kRefused},   Move{kQueued, kAlreadyAbsent}, Move{kQueued, kCancelled},
    Move{kFailed, kQueued},     Move{kFailed, kRefused},   Move{kFailed, kCancelled},
};

template <typename Value, std::size_t kCount>
Result<Value> value_with_name(const std::array<std::string_view, kCount>& names, std::string_view name,
                              std::string_view what) {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (names[i] == name) return static_cast<Value>(i);
  }
  return Error{ErrorCode::kMalformedInput, fmt::format("this is no {} of a request", what)};
}

}  // namespace

std::string RequestId::hex() const { return to_hex(bytes); }

Result<RequestId> parse_request_id(std::string_view hex) {
  RequestId id;
  if (from_hex(hex, id.bytes)) return id;
  return Error{ErrorCode::kMalformedInput, "the id of a request has 32 digits from 0 to 9 and a to f"};
}

std::string_view request_state_name(RequestState state) noexcept {
  return kStateNames.at(static_cast<std::size_t>(state));
}

Result<RequestState> parse_request_state(std::string_view name) {
  return value_with_name<RequestState>(kStateNames, name, "state");
}

bool is_final(RequestState state) noexcept {
  return state == kDone || state == kAlreadyAbsent || state == kRefused || state == kCancelled;
}

bool may_move(RequestState from, RequestState to) noexcept {
  for (const Move& move : kMoves) {
    if (move.from == from && move.to == to) return true;
  }
  return false;
}

std::string_view request_note_name(RequestNote note) noexcept { return kNoteNames.at(static_cast<std::size_t>(note)); }

Result<RequestNote> parse_request_note(std::string_view name) {
  return value_with_name<RequestNote>(kNoteNames, name, "note");
}

std::string_view request_kind_name(RequestKind kind) noexcept { return kKindNames.at(static_cast<std::size_t>(kind)); }

QueuedRequest::~QueuedRequest() { wipe(text); }

}  // namespace unscatter
