// Lists of requests that remember how far they came.
#include <algorithm>
#include <cstddef>
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

// One run through a list.
class ListRun {
 public:
  ListRun(Workspace::State& state, std::span<const RemovalRequest> list, const Workspace::ListOptions& options,
          std::vector<Digest> prefixes, std::size_t done_before)
      : state_(state), list_(list), options_(options), prefixes_(std::move(prefixes)), recorded_(done_before) {
    outcome_.done_before = done_before;
  }

  [[nodiscard]] Result<Workspace::ListOutcome> run() {
    for (std::size_t next = outcome_.done_before; next < list_.size();) {
      if (options_.stop && options_.stop()) {
        outcome_.stopped = true;
        return std::move(outcome_);
      }
      Result<std::size_t> end = honour(next, std::min(list_.size(), next + options_.batch));
      if (!end.ok()) {
        Error why = std::move(end).error();
        why.request = next;
        return why;
      }
      if (!options_.skip_refused && !outcome_.refused.empty()) return std::move(outcome_.refused.front());
      next = *end;
    }
    // The last update forgets how far it came by itself, unless only refused requests came after it.
    const bool last_one_forgot = outcome_.updates > 0 && recorded_ == list_.size();
    if (options_.shred && recorded_ > 0 && !last_one_forgot) {
      UNSCATTER_CHECK_OK(forget_how_far(state_, prefixes_[recorded_]));
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
    how.shred = options_.shred;
    if (recorded_ > 0) how.list_before = prefixes_[recorded_];
    if (!options_.shred || last < list_.size()) how.list_after = prefixes_[last];
    UNSCATTER_TRY(forgotten, state_.forget(removal, std::move(honoured), how));
    recorded_ = last;
    outcome_.honoured += forgotten.requests.size();
    ++outcome_.updates;
    if (options_.acknowledge) options_.acknowledge(last, forgotten);
    return last;
  }

  static std::ptrdiff_t offset(std::size_t place) { return static_cast<std::ptrdiff_t>(place); }

  Workspace::State& state_;
  std::span<const RemovalRequest> list_;
  const Workspace::ListOptions& options_;
  std::vector<Digest> prefixes_;
  std::size_t recorded_;  // the prefix that the file knows
  Workspace::ListOutcome outcome_;
};

}  // namespace

Result<Workspace::ListOutcome> Workspace::forget_list(std::span<const RemovalRequest> requests,
                                                      const ListOptions& options) {
  if (options.batch == 0) return Error{ErrorCode::kInvalidArgument, "an update needs at least one request"};
  State& state = *state_;
  UNSCATTER_CHECK_OK(state.require_writable());
  std::vector<Digest> prefixes = prefix_digests(requests, state.contents.identity.list_key);
  UNSCATTER_TRY(known, read_lists(state.database));
  const std::size_t done_before = requests_done(prefixes, known);
  UNSCATTER_CHECK_OK(state.live());
  return ListRun(state, requests, options, std::move(prefixes), done_before).run();
}

}  // namespace unscatter
