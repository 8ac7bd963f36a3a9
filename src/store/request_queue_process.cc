// Queued requests become one certified update, and change in its transaction.
#include <utility>

#include "store/request_queue_inside.h"
#include "unscatter/base/invariant.h"
#include "unscatter/store/request_text.h"

namespace unscatter {
namespace {

constexpr std::string_view kQueueItself = "queue";

// What becomes of a request that is not honoured.
struct Ending {
  RequestState state;
  RequestNote note;
};

// Of one request that was passed over.  All that a plan says of a single request is that what it names is not there, or
// not any more.
Ending ending_of_passed_over(const Error& why) {
  const bool absent = why.code == ErrorCode::kNotFound || why.code == ErrorCode::kInvalidArgument;
  return absent ? Ending{RequestState::kAlreadyAbsent, RequestNote::kNotThere}
                : Ending{RequestState::kRefused, RequestNote::kNotPossible};
}

// Of one request for which no update could be computed.
Ending ending_of_failure(const Error& why) {
  const bool may_work_later = why.code == ErrorCode::kNotConverged || why.code == ErrorCode::kLimitExceeded;
  return may_work_later ? Ending{RequestState::kFailed, RequestNote::kNotConverged}
                        : Ending{RequestState::kRefused, RequestNote::kNotPossible};
}

// Nothing is wrong with a request then, but with the file or the machine.
bool is_about_no_request(const Error& why) {
  switch (why.code) {
    case ErrorCode::kIo:
    case ErrorCode::kMalformedInput:
    case ErrorCode::kUnavailable:
    case ErrorCode::kOutdated: return true;
    default: return false;
  }
}

class Processing {
 public:
  Processing(RequestQueue::Inside& inside, const ProcessOptions& options) : inside_(inside), options_(options) {}

  [[nodiscard]] Result<Processed> run() {
    UNSCATTER_CHECK_OK(inside_.state.require_writable());
    std::vector<std::uint64_t> numbers;
    for (const auto& [number, open] : inside_.open) {
      if (numbers.size() == options_.limit) break;
      if (open.request->state == RequestState::kQueued) numbers.push_back(number);
    }
    if (numbers.empty()) return std::move(outcome_);
    // Submissions leave a log.  Rows are read faster without one.
    UNSCATTER_CHECK_OK(inside_.state.database.empty_log());
    UNSCATTER_CHECK_OK(honour(numbers));
    return std::move(outcome_);
  }

 private:
  // All of them by one update.  If there is none for all together, half of them first.
  [[nodiscard]] Status honour(std::span<const std::uint64_t> numbers) {
    std::vector<RemovalRequest> requests;
    for (const std::uint64_t number : numbers) {
      UNSCATTER_TRY(request, parse_request(inside_.open.at(number).request->text));
      requests.push_back(std::move(request));
    }
    Result<PreparedRemoval> update = inside_.state.prepare(requests, OnRefusal::kPassOver);
    if (update.ok()) return settle(*update, numbers, std::move(requests));
    if (is_about_no_request(update.error())) return std::move(update).error();
    if (numbers.size() == 1) return end_alone(numbers.front(), ending_of_failure(update.error()));
    const std::size_t half = numbers.size() / 2;
    UNSCATTER_CHECK_OK(honour(numbers.first(half)));
    return honour(numbers.subspan(half));
  }

  [[nodiscard]] Status end_alone(std::uint64_t number, const Ending& ending) {
    const RequestId id = inside_.open.at(number).request->id;
    UNSCATTER_CHECK_OK(inside_.in_transaction(is_final(ending.state), [&](QueueChange& change) {
      return change.move(number, ending.state, kQueueItself, ending.note);
    }));
    note(id, ending.state);
    return ok_status();
  }

  [[nodiscard]] Status settle(PreparedRemoval& update, std::span<const std::uint64_t> numbers,
                              std::vector<RemovalRequest> requests) {
    std::map<std::uint64_t, Ending> passed_over;
    std::vector<std::uint64_t> honoured;
    std::vector<RemovalRequest> asked;
    std::vector<RequestId> ids;
    for (const Error& refused : update.refused()) {
      passed_over.emplace(numbers[refused.request.value()], ending_of_passed_over(refused));
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (passed_over.contains(numbers[i])) continue;
      honoured.push_back(numbers[i]);
      ids.push_back(inside_.open.at(numbers[i]).request->id);
      asked.push_back(std::move(requests[i]));
    }
    QueueChange change(inside_);
    const auto end_others = [&]() -> Status {
      for (const auto& [number, ending] : passed_over) {
        UNSCATTER_CHECK_OK(change.move(number, ending.state, kQueueItself, ending.note));
      }
      return change.finish();
    };
    std::vector<std::pair<RequestId, RequestState>> ended;
    ended.reserve(passed_over.size() + ids.size());
    for (const auto& [number, ending] : passed_over) {
      ended.emplace_back(inside_.open.at(number).request->id, ending.state);
    }
    for (const RequestId& id : ids) ended.emplace_back(id, RequestState::kDone);

    if (update.empty()) {
      UNSCATTER_TRY(transaction, Transaction::begin(inside_.state.database));
      UNSCATTER_CHECK_OK(end_others());
      UNSCATTER_CHECK_OK(inside_.state.commit(transaction));
      change.keep();
      for (const auto& [id, state] : ended) note(id, state);
      return inside_.state.checkpoint("the requests are settled");
    }
    RecordOptions how;
    how.keep_salts = options_.keep_salts;
    how.shred = options_.shred;
    if (options_.hand_out) {
      how.hand_out = [&](const Forgotten& done) { return options_.hand_out(done, ids); };
    }
    how.also_write = [&](const LedgerRecord& entry) -> Status {
      for (std::size_t i = 0; i < honoured.size(); ++i) {
        UNSCATTER_CHECK_OK(change.move(honoured[i], RequestState::kDone, kQueueItself, RequestNote::kHonoured,
                                       RequestResult{entry.sequence, i, entry.commitments.at(i)}));
      }
      return end_others();
    };
    // Between the commit and the record beside the key.  If one of the later steps fails, the requests are done all the
    // same.
    how.committed = [&] { change.keep(); };
    UNSCATTER_TRY(done, inside_.state.forget(update, std::move(asked), how));
    for (const auto& [id, state] : ended) note(id, state);
    outcome_.updates.push_back(std::move(done));
    inside_.refresh_info();
    return ok_status();
  }

  void note(const RequestId& id, RequestState state) {
    switch (state) {
      case RequestState::kDone: outcome_.done.push_back(id); break;
      case RequestState::kAlreadyAbsent: outcome_.already_absent.push_back(id); break;
      case RequestState::kRefused: outcome_.refused.push_back(id); break;
      default: outcome_.failed.push_back(id);
    }
  }

  RequestQueue::Inside& inside_;
  const ProcessOptions& options_;
  Processed outcome_;
};

}  // namespace

Result<Processed> RequestQueue::process(const ProcessOptions& options) {
  if (options.limit == 0) return Error{ErrorCode::kInvalidArgument, "an update needs at least one request"};
  return Processing(*inside_, options).run();
}

}  // namespace unscatter
