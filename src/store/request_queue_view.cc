// What any thread may ask at any time.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "store/request_queue_inside.h"
#include "unscatter/store/request_text.h"

namespace unscatter {

std::size_t QueueView::overdue(std::int64_t now) const noexcept {
  return static_cast<std::size_t>(
      std::count_if(open.begin(), open.end(), [&](const auto& request) { return request->due < now; }));
}

QueueStatistics RequestQueue::Inside::statistics() const {
  QueueStatistics statistics;
  const auto of = [&](RequestState which) -> std::uint64_t& {
    return statistics.by_state[static_cast<std::size_t>(which)];
  };
  for (const auto& [number, entry] : open) {
    const QueuedRequest& request = *entry.request;
    ++of(request.state);
    if (!statistics.next_due || request.due < *statistics.next_due) statistics.next_due = request.due;
  }
  for (const auto& [number, row] : days) {
    const QueueDay& day = row.day;
    statistics.days.push_back(day);
    of(RequestState::kDone) += day.done;
    of(RequestState::kAlreadyAbsent) += day.already_absent;
    of(RequestState::kRefused) += day.refused;
    of(RequestState::kCancelled) += day.cancelled;
    for (std::size_t i = 0; i < day.latencies.size(); ++i) statistics.latencies[i] += day.latencies[i];
  }
  statistics.pending_events = pending_events;
  return statistics;
}

std::shared_ptr<const QueueView> RequestQueue::view() const {
  const Inside& inside = *inside_;
  const std::lock_guard lock(inside.mutex);
  // Made when somebody asks: a queue into which much is written and which few look at makes few.
  if (!inside.view || inside.view->version != inside.version) {
    auto view = std::make_shared<QueueView>();
    view->version = inside.version;
    view->open.reserve(inside.open.size());
    for (const auto& [number, entry] : inside.open) view->open.push_back(entry.request);
    view->policy = inside.policy;
    view->statistics = inside.statistics();
    inside.view = std::move(view);
  }
  return inside.view;
}

std::uint64_t RequestQueue::version() const noexcept {
  const std::lock_guard lock(inside_->mutex);
  return inside_->version;
}

Result<QueuedRequest> RequestQueue::Inside::read_finished(const RequestId& id) const {
  const auto gate = state.database.hold();
  Statement statement =
      state.database.prepare(fmt::format("SELECT {} FROM queue_requests WHERE id = ?", kRequestColumns));
  statement.bind(1, bytes_of(id));
  UNSCATTER_TRY(found, statement.step());
  if (!found) return Error{ErrorCode::kNotFound, fmt::format("there is no request {}", id.hex())};
  UNSCATTER_TRY(row, request_row_at(statement));
  return std::move(row.request);
}

Result<QueuedRequest> RequestQueue::find(const RequestId& id) const {
  {
    const std::lock_guard lock(inside_->mutex);
    const auto found = inside_->number_of.find(id);
    if (found != inside_->number_of.end()) return *inside_->open.at(found->second).request;
    const auto recent = inside_->recent.find(id);
    if (recent != inside_->recent.end()) return *recent->second;
  }
  Result<QueuedRequest> finished = inside_->read_finished(id);
  if (finished.ok() && !is_final(finished->state)) {
    // Its transaction is committed, and memory follows at this moment.
    return Error{ErrorCode::kUnavailable, "the request is just being written; ask again"};
  }
  return finished;
}

void RequestQueue::Inside::keep_recent(std::shared_ptr<const QueuedRequest> finished) {
  recent_order.push_back(finished->id);
  recent.insert_or_assign(finished->id, std::move(finished));
  // One that was dropped is still in the order, and leaves it when its turn comes.
  while (recent_order.size() > kMostRecent) {
    recent.erase(recent_order.front());
    recent_order.pop_front();
  }
}

Result<FinishedPage> RequestQueue::finished(const FinishedQuery& query) const {
  constexpr std::size_t kMostOnAPage = 1000;
  if (query.limit == 0 || query.limit > kMostOnAPage) {
    return Error{ErrorCode::kInvalidArgument, "a page has 1 to 1,000 requests"};
  }
  if (query.state && !is_final(*query.state)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("a request that is {} is not finished", request_state_name(*query.state))};
  }
  const auto gate = inside_->state.database.hold();
  Statement statement = inside_->state.database.prepare(
      fmt::format("SELECT {} FROM queue_requests WHERE finished IS NOT NULL AND number < ?1 {} ORDER BY number DESC "
                  "LIMIT ?2",
                  kRequestColumns, query.state ? "AND state = ?3" : ""));
  const std::uint64_t before = std::min<std::uint64_t>(query.before.value_or(INT64_MAX), INT64_MAX);
  statement.bind(1, static_cast<std::int64_t>(before)).bind(2, static_cast<std::int64_t>(query.limit));
  if (query.state) statement.bind(3, static_cast<std::int64_t>(*query.state));
  FinishedPage page;
  for (;;) {
    UNSCATTER_TRY(more, statement.step());
    if (!more) break;
    UNSCATTER_TRY(row, request_row_at(statement));
    page.requests.push_back(std::move(row.request));
  }
  if (page.requests.size() == query.limit) page.next = page.requests.back().number;
  return page;
}

Result<LedgerRecord> RequestQueue::entry(std::size_t sequence) const {
  const auto gate = inside_->state.database.hold();
  UNSCATTER_TRY(row, read_entry(inside_->state.database, sequence));
  return parse_ledger_text(row.body);
}

Result<Digest> RequestQueue::hash_of_entry(std::size_t sequence) const {
  const auto gate = inside_->state.database.hold();
  UNSCATTER_TRY(row, read_entry(inside_->state.database, sequence));
  return row.hash;
}

Result<Signature> RequestQueue::signature_of_entry(std::size_t sequence) const {
  const auto gate = inside_->state.database.hold();
  UNSCATTER_TRY(row, read_entry(inside_->state.database, sequence));
  return row.signature;
}

Result<Receipt> RequestQueue::receipt(std::size_t sequence) const {
  const auto gate = inside_->state.database.hold();
  UNSCATTER_CHECK_OK(read_entry(inside_->state.database, sequence));
  UNSCATTER_TRY(text, read_receipt(inside_->state.database, sequence));
  return parse_receipt(text);
}

std::shared_ptr<const WorkspaceInfo> RequestQueue::info() const {
  const std::lock_guard lock(inside_->mutex);
  return inside_->info;
}

void RequestQueue::Inside::refresh_info() {
  auto fresh = std::make_shared<const WorkspaceInfo>(state.info());
  const std::lock_guard lock(mutex);
  info = std::move(fresh);
}

bool RequestQueue::must_be_opened_again() const noexcept { return inside_->state.uncertain; }

void RequestQueue::refresh_info() { inside_->refresh_info(); }

bool RequestQueue::is_about(const QueuedRequest& finished, const RemovalRequest& request) const {
  return finished.kept_commitment == inside_->kept_commitment(finished.id, request_text(request));
}

}  // namespace unscatter
