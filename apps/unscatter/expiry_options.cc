#include "expiry_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <variant>

#include "base/utc_time.h"

namespace unscatter::cli {

void ExpiryArguments::add_to(CLI::App& command) {
  command
      .add_option("--expires", expires,
                  "Date from which on no graph may be kept: 2027-03-01, or a time in UTC such as 2027-03-01T12:00:00Z")
      ->group("Due dates");
  command
      .add_option("--keep-for", keep_for,
                  "How long every graph may be kept from now on: 90d, 12w or 36h (days, weeks, hours)")
      ->group("Due dates");
}

Result<std::optional<std::int64_t>> ExpiryArguments::date(std::int64_t now) const {
  const auto of_option = [](const char* option, Result<std::int64_t> parsed) -> Result<std::int64_t> {
    if (parsed.ok()) return parsed;
    return Error{parsed.error().code, fmt::format("{}: {}", option, parsed.error().message)};
  };
  if (!expires.empty() && !keep_for.empty()) {
    return Error{ErrorCode::kInvalidArgument, "--expires and --keep-for exclude one another; name one"};
  }
  if (!expires.empty()) {
    UNSCATTER_TRY(due, of_option("--expires", parse_utc(expires)));
    return std::optional(due);
  }
  if (keep_for.empty()) return std::optional<std::int64_t>();
  UNSCATTER_TRY(span, of_option("--keep-for", parse_span(keep_for)));
  return std::optional(now + span);
}

Status ExpiryArguments::check() const {
  UNSCATTER_CHECK_OK(date(0));
  return ok_status();
}

Status ExpiryArguments::apply(DueDates& dates, std::size_t graphs, std::int64_t now) const {
  UNSCATTER_TRY(due, date(now));
  if (!due) return ok_status();
  dates.limit_graphs(graphs, *due);
  return ok_status();
}

std::int64_t seconds_now() { return std::int64_t{std::time(nullptr)}; }

void note_overdue(const DueDates& dates, std::int64_t now, Context& context) {
  const auto graphs = static_cast<std::size_t>(
      std::count_if(dates.graphs.begin(), dates.graphs.end(), [now](const auto& due) { return due && *due <= now; }));
  const auto subjects = static_cast<std::size_t>(std::count_if(
      dates.subjects.begin(), dates.subjects.end(), [now](const auto& entry) { return entry.second <= now; }));
  if (graphs + subjects == 0) return;
  context.note(fmt::format("{} and {} of the data are overdue already; 'unscatter expire' forgets them",
                           counted(graphs, "graph", "graphs"), counted(subjects, "subject", "subjects")));
}

Json date_json(const std::optional<std::int64_t>& due) { return due ? Json(utc_text(*due)) : Json(nullptr); }

Json due_json(const RemovalRequest& what, std::int64_t due) {
  Json json;
  if (const auto* subject = std::get_if<ForgetSubject>(&what)) {
    json["subject"] = subject->id;
  } else if (const auto* graph = std::get_if<ForgetGraph>(&what)) {
    std::visit([&](const auto& key) { json["graph"] = key; }, graph->graph);
  }
  json["due"] = utc_text(due);
  return json;
}

}  // namespace unscatter::cli
