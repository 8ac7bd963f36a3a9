// Lists of requests that remember how far they came.
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "store/workspace_state.h"
#include "unscatter/store/request_text.h"

namespace unscatter {
namespace {

// The key of the digests.  It takes the signing key to compute it.  So whoever holds the file alone cannot hold a guess
// of a short list against the digest that the file keeps.  Ed25519 signatures are the same every time (RFC 8032), so
// the key is too.
Salt digest_key(const SigningKey& signing, const Salt& list_key) {
  const Signature signature = signing.sign("unscatter list key 1\n" + list_key.hex());
  Hasher hasher;
  hasher.add(std::string_view("unscatter list key 1")).add_bytes(std::as_bytes(std::span(signature.bytes)));
  return {hasher.finish().bytes};
}

// Entry k: a keyed digest of the first k requests.  Equal prefixes have equal digests, whatever follows.  The key keeps
// lists of two workspaces from being matched.
std::vector<Digest> prefix_digests(std::span<const RemovalRequest> requests, const Salt& key) {
  std::vector<Digest> digests = {Hasher(key).add(std::string_view("unscatter list 1")).finish()};
  digests.reserve(requests.size() + 1);
  for (const RemovalRequest& request : requests) {
    Hasher hasher(key);
    hasher.add_bytes(std::as_bytes(std::span(digests.back().bytes)));
    digests.push_back(hasher.add(request_text(request)).finish());
  }
  return digests;
}

// How far a list came.
struct ListDone {
  std::size_t requests = 0;
  ListRow row;  // that says so
};

// The longest prefix that is among `rows`.
ListDone requests_done(const std::vector<Digest>& prefixes, const std::vector<ListRow>& rows) {
  // The longest one counts: a list that grew since the last run has its old end as a prefix.
  for (std::size_t k = prefixes.size() - 1; k > 0; --k) {
    for (const ListRow& row : rows) {
      if (row.done == prefixes[k]) return {k, row};
    }
  }
  return {};
}

std::vector<std::size_t> entries_of(const std::vector<EntryRun>& runs) {
  std::vector<std::size_t> entries;
  for (const EntryRun& run : runs) {
    for (std::uint64_t entry = run.first; entry <= run.last; ++entry) entries.push_back(entry);
  }
  return entries;
}

Status forget_how_far(Workspace::State& state, const Digest& done) {
  // Nothing is signed and no entry is made: this is no removal.
  UNSCATTER_TRY(transaction, Transaction::begin(state.database));
  UNSCATTER_CHECK_OK(erase_list(state.database, done));
  UNSCATTER_CHECK_OK(state.commit(transaction));
  return state.checkpoint("the list is honoured");
}

// One run through a list.
class ListRun {
 public:
  ListRun(Workspace::State& state, std::span<const RemovalRequest> list, const Workspace::ListOptions& options,
          std::vector<Digest> prefixes, ListDone before)
      : state_(state), list_(list), options_(options), prefixes_(std::move(prefixes)), recorded_(std::move(before)) {
    outcome_.done_before = recorded_.requests;
    outcome_.entries_before = entries_of(recorded_.row.entries);
  }

  [[nodiscard]] Result<Workspace::ListOutcome> run() {
    for (std::size_t next = outcome_.done_before; next < list_.size();) {
      // Asked between updates only, so that whatever is on disk is whole updates with their receipts.
      if (options_.stop && options_.stop()) {
        outcome_.stopped = true;
        return std::move(outcome_);
      }
      Result<std::size_t> end = honour(next, std::min(list_.size(), next + options_.batch));
      if (!end.ok()) {
        // The whole update failed, so its first request stands for it.
        Error why = std::move(end).error();
        why.request = next;
        return why;
      }
      if (!options_.skip_refused && !outcome_.refused.empty()) return std::move(outcome_.refused.front());
      next = *end;
    }
    // The last update forgets how far it came by itself, unless only refused requests came after it.
    const bool last_one_forgot = outcome_.updates > 0 && recorded_.requests == list_.size();
    if (options_.shred && recorded_.requests > 0 && !last_one_forgot) {
      UNSCATTER_CHECK_OK(forget_how_far(state_, recorded_.row.done));
    }
    return std::move(outcome_);
  }

 private:
  // Honours the requests from `first` up to `last` by one update, without what is refused.  Returns how far the list is
  // done: to `last`, or to a refused request that ends the run.
  [[nodiscard]] Result<std::size_t> honour(std::size_t first, std::size_t last) {
    const OnRefusal on_refusal = options_.skip_refused ? OnRefusal::kPassOver : OnRefusal::kStopBefore;
    UNSCATTER_TRY(removal, state_.prepare(list_.subspan(first, last - first), on_refusal));
    std::vector<RemovalRequest> honoured;
    std::size_t next = first;
    for (const Error& refused : removal.refused()) {
      const std::size_t place = first + refused.request.value();
      honoured.insert(honoured.end(), list_.begin() + offset(next), list_.begin() + offset(place));
      outcome_.refused.push_back({refused.code, refused.message, place});
      next = place + 1;
      if (!options_.skip_refused) next = last = place;
    }
    honoured.insert(honoured.end(), list_.begin() + offset(next), list_.begin() + offset(last));
    if (removal.empty()) return last;

    RecordOptions how;
    how.keep_salts = options_.keep_salts;
    how.shred = options_.shred;
    how.hand_out = options_.hand_out;
    if (recorded_.requests > 0) how.list_before = recorded_.row.done;
    how.list_entries = recorded_.row.entries;
    // With --shred the end of a list leaves no digest: a list that is done need not go on, and the digest could confirm
    // a guess.
    if (!options_.shred || last < list_.size()) how.list_after = prefixes_[last];
    UNSCATTER_TRY(forgotten, state_.forget(removal, std::move(honoured), how));
    recorded_ = {last, {prefixes_[last], with_entry(std::move(how.list_entries), forgotten.entry.sequence)}};
    outcome_.honoured += forgotten.requests.size();
    ++outcome_.updates;
    // After forget(), so after the checkpoint: what is acknowledged survives a power cut.
    if (options_.acknowledge) options_.acknowledge(last, forgotten);
    return last;
  }

  static std::ptrdiff_t offset(std::size_t place) { return static_cast<std::ptrdiff_t>(place); }

  Workspace::State& state_;
  std::span<const RemovalRequest> list_;
  const Workspace::ListOptions& options_;
  std::vector<Digest> prefixes_;
  ListDone recorded_;  // what the file knows
  Workspace::ListOutcome outcome_;
};

}  // namespace

Result<Workspace::ListOutcome> Workspace::forget_list(std::span<const RemovalRequest> requests,
                                                      const ListOptions& options) {
  if (options.batch == 0) return Error{ErrorCode::kInvalidArgument, "an update needs at least one request"};
  State& state = *state_;
  UNSCATTER_CHECK_OK(state.require_writable());
  const Salt& list_key = state.contents.identity.list_key;
  std::vector<Digest> prefixes = prefix_digests(requests, digest_key(*state.options.key, list_key));
  UNSCATTER_TRY(known, read_lists(state.database));
  ListDone before = requests_done(prefixes, known);
  // A list that unscatter 0.1 began has a digest under the key that lies in the file.  Its next update replaces it.
  if (before.requests == 0 && !known.empty()) before = requests_done(prefix_digests(requests, list_key), known);
  // A long list pays for a session of all graphs.
  if (!state.worth_staying_cold(requests.size() - before.requests)) UNSCATTER_CHECK_OK(state.live());
  return ListRun(state, requests, options, std::move(prefixes), std::move(before)).run();
}

}  // namespace unscatter
