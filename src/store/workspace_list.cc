// Lists of requests that remember how far they came.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "store/workspace_state.h"
#include "unscatter/store/request_text.h"

namespace unscatter {
namespace {

// Entry k: a keyed digest of the first k requests.  Equal prefixes, equal digests, whatever follows.
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

// The longest prefix that is among `done`.
std::size_t requests_done(const std::vector<Digest>& prefixes, const std::vector<Digest>& done) {
  for (std::size_t k = prefixes.size() - 1; k > 0; --k) {
    if (std::find(done.begin(), done.end(), prefixes[k]) != done.end()) return k;
  }
  return 0;
}

Status forget_how_far(Workspace::State& state, const Digest& done) {
  UNSCATTER_TRY(transaction, Transaction::begin(state.database));
  UNSCATTER_CHECK_OK(erase_list(state.database, done));
  UNSCATTER_CHECK_OK(state.commit(transaction));
  return state.checkpoint("the list is honoured");
}

Error at_request(std::size_t index, const Error& error) {
  return {error.code, fmt::format("request {} of the list: {}", index + 1, error.message)};
}

// The next requests of a list, and what becomes of them.
struct Batch {
  std::vector<RemovalRequest> requests;
  std::vector<std::size_t> places;  // in the list
  std::size_t end = 0;              // the list is done up to here once they are honoured
  std::optional<Refusal> stop_at;   // the first that was refused, where such are not skipped

  Batch(std::span<const RemovalRequest> list, std::size_t first, std::size_t last) : end(last) {
    for (std::size_t i = first; i < last; ++i) {
      requests.push_back(list[i]);
      places.push_back(i);
    }
  }

  // Ends before request `index` of the batch.
  void cut(std::size_t index, const Error& why) {
    end = places[index];
    stop_at = Refusal{end, why};
    requests.resize(index);
    places.resize(index);
  }
  // Goes on without it.  Returns its place in the list.
  std::size_t drop(std::size_t index) {
    const std::size_t place = places[index];
    requests.erase(requests.begin() + static_cast<std::ptrdiff_t>(index));
    places.erase(places.begin() + static_cast<std::ptrdiff_t>(index));
    return place;
  }
};

// Honours the batch, without what is refused.  Only after a failure is it asked which request that was: nothing is
// planned twice where all goes well.  Nothing: no request was left.
Result<std::optional<Forgotten>> honour(Workspace::State& state, const Session& session, Batch& batch,
                                        PendingRemoval removal, const std::vector<Digest>& prefixes,
                                        const Workspace::ListOptions& options, std::vector<Refusal>& refused) {
  while (!batch.requests.empty()) {
    removal.requests = batch.requests;
    if (!options.shred || batch.end + 1 < prefixes.size()) removal.list_after = prefixes[batch.end];
    Result<Forgotten> forgotten = state.forget(removal);
    if (forgotten.ok()) return std::optional<Forgotten>(*std::move(forgotten));
    // After a commit of unknown outcome requests may look refused because they are in force.
    const std::optional<Refusal> refusal = state.uncertain ? std::nullopt : session.refusal(batch.requests);
    if (!refusal) return at_request(batch.places.front(), forgotten.error());
    if (options.skip_refused) {
      refused.push_back({batch.drop(refusal->index), refusal->error});
    } else {
      batch.cut(refusal->index, refusal->error);
    }
  }
  return std::optional<Forgotten>();
}

}  // namespace

Result<Workspace::ListOutcome> Workspace::forget_list(std::span<const RemovalRequest> requests,
                                                      const ListOptions& options) {
  if (options.batch == 0) return Error{ErrorCode::kInvalidArgument, "an update needs at least one request"};
  State& state = *state_;
  UNSCATTER_CHECK_OK(state.require_writable());
  const std::vector<Digest> prefixes = prefix_digests(requests, state.contents.identity.list_key);
  UNSCATTER_TRY(known, read_lists(state.database));
  ListOutcome outcome;
  outcome.done_before = requests_done(prefixes, known);
  UNSCATTER_TRY(session, state.live());

  std::size_t recorded = outcome.done_before;  // the prefix that the file knows
  for (std::size_t next = outcome.done_before; next < requests.size();) {
    if (options.stop && options.stop()) {
      outcome.stopped = true;
      break;
    }
    Batch batch(requests, next, std::min(requests.size(), next + options.batch));
    PendingRemoval removal;
    removal.shred = options.shred;
    if (recorded > 0) removal.list_before = prefixes[recorded];
    UNSCATTER_TRY(forgotten, honour(state, *session, batch, removal, prefixes, options, outcome.refused));
    if (forgotten) {
      recorded = batch.end;
      outcome.honoured += batch.requests.size();
      ++outcome.updates;
      if (options.acknowledge) options.acknowledge(batch.end, *forgotten);
    }
    if (batch.stop_at) return at_request(batch.stop_at->index, batch.stop_at->error);
    next = batch.end;
  }
  // The last update forgets it by itself, unless only refused requests came after it.
  const bool last_one_forgot = outcome.updates > 0 && recorded == requests.size();
  if (options.shred && !outcome.stopped && recorded > 0 && !last_one_forgot) {
    UNSCATTER_CHECK_OK(forget_how_far(state, prefixes[recorded]));
  }
  return outcome;
}

}  // namespace unscatter
