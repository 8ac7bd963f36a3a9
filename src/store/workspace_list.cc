// Lists of requests that remember how far they came.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

}  // namespace

Result<Workspace::ListOutcome> Workspace::forget_list(std::span<const RemovalRequest> requests, const ListOptions& options) {
  if (options.batch == 0) return Error{ErrorCode::kInvalidArgument, "an update needs at least one request"};
  State& state = *state_;
  UNSCATTER_CHECK_OK(state.require_writable());
  const std::vector<Digest> prefixes = prefix_digests(requests, state.contents.identity.list_key);
  UNSCATTER_TRY(known, read_lists(state.database));
  ListOutcome outcome;
  outcome.done_before = requests_done(prefixes, known);
  UNSCATTER_TRY(session, state.live());

  std::size_t recorded = outcome.done_before;  // the prefix that the file knows
  std::size_t next = outcome.done_before;
  while (next < requests.size()) {
    if (options.stop && options.stop()) {
      outcome.stopped = true;
      break;
    }
    // Those of the next `batch` that can be honoured, up to the first that cannot unless such are skipped.
    std::size_t end = std::min(requests.size(), next + options.batch);
    std::vector<RemovalRequest> batch(requests.begin() + static_cast<std::ptrdiff_t>(next),
                                      requests.begin() + static_cast<std::ptrdiff_t>(end));
    std::vector<std::size_t> places;
    for (std::size_t i = next; i < end; ++i) places.push_back(i);
    std::optional<Refusal> stop_at;
    while (const std::optional<Refusal> refused = session->refusal(batch)) {
      const auto offset = static_cast<std::ptrdiff_t>(refused->index);
      Refusal in_list{places[refused->index], refused->error};
      if (!options.skip_refused) {
        end = in_list.index;
        batch.erase(batch.begin() + offset, batch.end());
        stop_at = std::move(in_list);
        break;
      }
      batch.erase(batch.begin() + offset);
      places.erase(places.begin() + offset);
      outcome.refused.push_back(std::move(in_list));
    }
    if (!batch.empty()) {
      PendingRemoval removal;
      removal.requests = batch;
      removal.shred = options.shred;
      if (recorded > 0) removal.list_before = prefixes[recorded];
      if (!options.shred || end < requests.size()) removal.list_after = prefixes[end];
      Result<Forgotten> forgotten = state.forget(std::move(removal));
      if (!forgotten.ok()) return at_request(next, forgotten.error());
      recorded = end;
      outcome.honoured += batch.size();
      ++outcome.updates;
      if (options.acknowledge) options.acknowledge(end, *forgotten);
    }
    if (stop_at) return at_request(stop_at->index, stop_at->error);
    next = end;
  }
  // The last update forgets it by itself, unless only refused requests came after it.
  const bool last_one_forgot = outcome.updates > 0 && recorded == requests.size();
  if (options.shred && !outcome.stopped && recorded > 0 && !last_one_forgot) {
    UNSCATTER_CHECK_OK(forget_how_far(state, prefixes[recorded]));
  }
  return outcome;
}

}  // namespace unscatter
