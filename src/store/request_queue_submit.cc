// Requests that come.  Those that come together are written by one transaction, with their keys of idempotency.
#include <fmt/format.h>

#include <utility>
#include <variant>

#include "base/wipe.h"
#include "store/request_queue_actor.h"
#include "store/request_queue_inside.h"
#include "unscatter/store/request_text.h"

namespace unscatter {
namespace {

constexpr std::size_t kMostRequests = 10000;
constexpr std::size_t kLongestText = 65536;
constexpr std::size_t kLongestKey = 255;
// Expired keys that a submission takes along, so that their number does not grow while nobody calls drop_finished().
constexpr std::size_t kKeysToDrop = 16;

// A submission that was looked at.
struct Spelled {
  std::vector<std::string> texts;  // request_text()
  std::vector<RequestKind> kinds;
  ~Spelled() { wipe(texts); }
};

Result<Spelled> spell(const Submission& submission) {
  const auto wrong = [](std::string why) { return Error{ErrorCode::kInvalidArgument, std::move(why)}; };
  UNSCATTER_CHECK_OK(check_actor(submission.actor));
  if (submission.key.size() > kLongestKey) return wrong("a key of idempotency has at most 255 bytes");
  if (submission.requests.empty()) return wrong("there is no request");
  if (submission.requests.size() > kMostRequests) return wrong("at most 10,000 requests can come together");
  Spelled spelled;
  for (std::size_t i = 0; i < submission.requests.size(); ++i) {
    const RemovalRequest& request = submission.requests[i];
    std::string text = request_text(request);
    // The places of the variant are the kinds.
    static_assert(std::is_same_v<std::variant_alternative_t<4, RemovalRequest>, ForgetSubject>);
    spelled.kinds.push_back(static_cast<RequestKind>(request.index()));
    const bool fits = text.size() <= kLongestText && parse_request(text).ok();
    spelled.texts.push_back(std::move(text));
    if (!fits) {
      Error error = wrong(fmt::format("request {} has an empty id, or is longer than 64 KiB", i + 1));
      error.request = i;
      return error;
    }
  }
  return spelled;
}

Digest key_digest(const Salt& secret, const Submission& submission) {
  return Hasher(secret)
      .add(std::string_view("unscatter queue idempotency 1"))
      .add(submission.actor)
      .add(submission.key)
      .finish();
}

// With the key, which is random as a rule: so the digest confirms no guess of the body alone, not even for whoever has
// the signing key.
Digest body_digest(const Salt& secret, const Submission& submission) {
  return Hasher(secret)
      .add(std::string_view("unscatter queue body 1"))
      .add(submission.actor)
      .add(submission.key)
      .add(submission.body)
      .finish();
}

// What an earlier submission with the same key says about this one; nothing if there was none.
Result<std::optional<Submitted>> known(RequestQueue::Inside& inside, QueueChange& change,
                                       const Submission& submission) {
  if (submission.key.empty()) return std::optional<Submitted>();
  UNSCATTER_TRY(row, read_key(inside.state.database, key_digest(inside.secret, submission)));
  if (!row) return std::optional<Submitted>();
  if (row->expires <= change.now()) {
    UNSCATTER_CHECK_OK(change.drop_key(*row));
    return std::optional<Submitted>();
  }
  Submitted answer;
  const bool same = row->body == body_digest(inside.secret, submission);
  answer.outcome = same ? Submitted::Outcome::kReplayed : Submitted::Outcome::kConflict;
  if (same) answer.ids = std::move(row->requests);
  return std::optional(std::move(answer));
}

Submitted refused_submission(Error why) {
  Submitted answer;
  answer.error = std::move(why);
  return answer;
}

Result<Submitted> take(RequestQueue::Inside& inside, QueueChange& change, const Submission& submission) {
  // A submission that breaks a rule is refused before its key is looked at: no key was ever kept for such a one.
  Result<Spelled> spelled = spell(submission);
  if (!spelled.ok()) return refused_submission(std::move(spelled).error());
  UNSCATTER_TRY(answered, known(inside, change, submission));
  if (answered) return *std::move(answered);
  const auto most = static_cast<std::size_t>(inside.summary.policy.most_open);
  if (change.open_requests() + spelled->texts.size() > most) {
    return refused_submission(
        {ErrorCode::kLimitExceeded, fmt::format("the queue is full: at most {} requests can be open", most)});
  }
  Submitted answer;
  answer.outcome = Submitted::Outcome::kTaken;
  for (std::size_t i = 0; i < spelled->texts.size(); ++i) {
    UNSCATTER_TRY(id, change.add(spelled->kinds[i], spelled->texts[i], submission.actor));
    answer.ids.push_back(id);
  }
  if (!submission.key.empty()) {
    constexpr std::int64_t kSecondsOfHour = 3600;
    UNSCATTER_CHECK_OK(change.add_key({key_digest(inside.secret, submission),
                                       body_digest(inside.secret, submission),
                                       change.now() + inside.summary.policy.key_hours * kSecondsOfHour,
                                       answer.ids,
                                       {}}));
  }
  return answer;
}

}  // namespace

Result<std::vector<Submitted>> RequestQueue::submit_many(std::span<const Submission> submissions) {
  std::vector<Submitted> answers;
  const auto take_all = [&](QueueChange& change) -> Status {
    UNSCATTER_TRY(old, expired_keys(inside_->state.database, change.now(), kKeysToDrop));
    for (const KeyRow& row : old) UNSCATTER_CHECK_OK(change.drop_key(row));
    for (const Submission& submission : submissions) {
      UNSCATTER_TRY(answer, take(*inside_, change, submission));
      answers.push_back(std::move(answer));
    }
    return ok_status();
  };
  UNSCATTER_CHECK_OK(inside_->in_transaction(false, take_all));
  return answers;
}

Result<Submitted> RequestQueue::submit(const Submission& submission) {
  UNSCATTER_TRY(answers, submit_many(std::span(&submission, 1)));
  return std::move(answers.front());
}

}  // namespace unscatter
