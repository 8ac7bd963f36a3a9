#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "base/utc_time.h"
#include "commands.h"
#include "expiry_options.h"
#include "files.h"
#include "forget.h"

namespace unscatter::cli {
namespace {

struct ExpireArguments {
  ForgetArguments removal;  // `what`: --graph and --subject, with --set and --clear
  std::string until;        // empty: now
  std::string set;
  bool clear = false;

  [[nodiscard]] bool changes_a_date() const { return clear || !set.empty(); }
  [[nodiscard]] Result<std::int64_t> end() const { return until.empty() ? seconds_now() : parse_utc(until); }
};

Status check_expire_usage(const ExpireArguments& arguments) {
  const auto wrong = [](std::string sentence) { return Error{ErrorCode::kInvalidArgument, std::move(sentence)}; };
  const RequestArguments& what = arguments.removal.what;
  UNSCATTER_CHECK_OK(check_salts_usage(arguments.removal));
  if (!arguments.changes_a_date()) {
    if (!what.graph.empty() || !what.subject.empty()) {
      return wrong("--graph and --subject go with --set DATE or --clear; without them all that is due is forgotten");
    }
    if (const auto end = arguments.end(); !end.ok()) return wrong("--until: " + end.error().message);
    return ok_status();
  }
  if (arguments.clear && !arguments.set.empty()) return wrong("--set and --clear exclude one another; name one");
  const bool removes = arguments.removal.dry_run || arguments.removal.keep_salts || arguments.removal.shred ||
                       !arguments.removal.receipt.empty() || !arguments.removal.openings.empty() ||
                       !arguments.until.empty();
  if (removes) {
    return wrong(fmt::format("{} changes a due date and forgets nothing; it goes with --graph or --subject only",
                             arguments.clear ? "--clear" : "--set"));
  }
  if (what.graph.empty() == what.subject.empty()) {
    return wrong(fmt::format("{} is about one graph or one subject: --graph G or --subject ID",
                             arguments.clear ? "--clear" : "--set"));
  }
  UNSCATTER_CHECK_OK(what.check());
  if (const auto date = parse_utc(arguments.set); !arguments.clear && !date.ok()) {
    return wrong("--set: " + date.error().message);
  }
  return ok_status();
}

Result<Report> change_date(const ExpireArguments& arguments, Context& context) {
  const ForgetArguments& removal = arguments.removal;
  UNSCATTER_TRY(what, removal.what.request());
  std::optional<std::int64_t> due;
  if (!arguments.clear) {
    UNSCATTER_TRY(date, parse_utc(arguments.set));
    due = date;
  }
  UNSCATTER_TRY(key, removal.key.load());
  UNSCATTER_TRY(workspace, removal.workspace.open(context, removal.key.record(), std::move(key)));
  UNSCATTER_CHECK_OK(workspace.set_due(what, due));
  Report report;
  report.json = due_json(what, due.value_or(0));
  report.json["due"] = date_json(due);
  report.json["workspace"] = removal.workspace.path;
  report.text = due ? fmt::format("{} is due on {}.\n", describe(what), short_utc_text(*due))
                    : fmt::format("{} has no due date any more.\n", describe(what));
  report.stands = due ? "the due date is set" : "the due date is taken away";
  if (due && *due <= seconds_now()) {
    report.text +=
        fmt::format("That is in the past: 'unscatter expire --workspace {}' forgets it.\n", removal.workspace.path);
  }
  return report;
}

Json dates_json(const std::vector<DueDate>& dates) {
  Json list = Json::array();
  for (const DueDate& date : dates) list.push_back(due_json(date.what, date.due));
  return list;
}

// "2 graphs and 1 subject, due until 2027-03-01"
std::string due_words(std::span<const DueDate> dates, std::int64_t until) {
  const auto graphs = static_cast<std::size_t>(std::count_if(
      dates.begin(), dates.end(), [](const DueDate& date) { return std::holds_alternative<ForgetGraph>(date.what); }));
  return fmt::format("{} and {}, due until {}", counted(graphs, "graph", "graphs"),
                     counted(dates.size() - graphs, "subject", "subjects"), short_utc_text(until));
}

Report nothing_due(const ExpireArguments& arguments, std::int64_t until, const DueSummary& summary,
                   std::size_t dropped) {
  Report report;
  report.json = {{"workspace", arguments.removal.workspace.path},
                 {"dry_run", arguments.removal.dry_run},
                 {"until", utc_text(until)},
                 {"due", Json::array()},
                 {"entry", nullptr},
                 {"dates_dropped", dropped},
                 {"next", summary.next ? due_json(summary.next->what, summary.next->due) : Json(nullptr)}};
  report.text = fmt::format("Nothing is due until {}.", short_utc_text(until));
  if (dropped > 0) {
    report.text += fmt::format("  {} of what is not there any more went.", counted(dropped, "date", "dates"));
    report.stands = "the due dates are taken away";
  }
  report.text += summary.next ? fmt::format("  Next: {}, on {}.\n", describe(summary.next->what),
                                            short_utc_text(summary.next->due))
                              : std::string("  Nothing else has a due date.\n");
  return report;
}

// Dates of something that was removed in another way, which no removal has to honour.
Result<Report> drop_stale(const ExpireArguments& arguments, Workspace& workspace, const std::vector<DueDate>& dates,
                          std::int64_t until) {
  std::size_t dropped = 0;
  if (!dates.empty() && !arguments.removal.dry_run) {
    UNSCATTER_TRY(count, workspace.drop_due(dates));
    dropped = count;
  }
  UNSCATTER_TRY(summary, workspace.due_summary(until));
  return nothing_due(arguments, until, summary, dropped);
}

Result<Report> forget_due(const ExpireArguments& arguments, Context& context) {
  const ForgetArguments& removal = arguments.removal;
  UNSCATTER_TRY(until, arguments.end());
  if (!removal.receipt.empty())
    UNSCATTER_CHECK_OK(check_free(removal.receipt, false, "name another file for the receipt"));
  RemovalTimes times;
  Stopwatch watch;
  const auto open = [&]() -> Result<Workspace> {
    // A preview signs nothing and needs no key.
    if (removal.dry_run) return removal.workspace.open_to_read(context, removal.key.record());
    UNSCATTER_TRY(key, removal.key.load());
    return removal.workspace.open(context, removal.key.record(), std::move(key));
  };
  UNSCATTER_TRY(workspace, open());
  // "Nothing is due" would be about a state that is gone.
  if (std::optional<Error> outdated = workspace.info().outdated) return *std::move(outdated);
  UNSCATTER_TRY(dates, workspace.due(until));
  // Before graphs are embedded: a run every night finds nothing on most of them.
  if (dates.empty()) return drop_stale(arguments, workspace, dates, until);
  times.open = watch.lap();
  UNSCATTER_TRY(prepared, workspace.prepare_due(dates));
  if (!prepared) return drop_stale(arguments, workspace, dates, until);
  times.forget = watch.lap();
  Result<Report> report = removal.dry_run
                              ? report_preview(removal, workspace, *prepared, times.forget)
                              : commit_and_report(removal, workspace, *prepared, due_words(dates, until), times);
  if (!report.ok()) return report;
  report->json["until"] = utc_text(until);
  report->json["due"] = dates_json(dates);
  return report;
}

}  // namespace

void add_expire_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("expire", "Forget all that is due, or set a due date");
  const auto arguments = std::make_shared<ExpireArguments>();
  ForgetArguments& removal = arguments->removal;
  removal.workspace.add_to(command);
  removal.key.add_to(command);
  command.add_option("--until", arguments->until, "Forget what is due until this date or time in UTC (default: now)");
  add_removal_options(command, removal);
  command.add_option("--set", arguments->set, "Set the due date of --graph or --subject: 2027-03-01, or a time in UTC");
  command.add_flag("--clear", arguments->clear, "Take the due date of --graph or --subject away");
  command.add_option("--graph", removal.what.graph, "With --set or --clear: a graph, by number or external id");
  command.add_option("--subject", removal.what.subject, "With --set or --clear: a subject, by external id");
  command.footer(R"(
Examples:
  unscatter expire --workspace w.unscatter
  unscatter expire --workspace w.unscatter --receipt expired.json --openings openings.jsonl
  unscatter expire --workspace w.unscatter --until 2027-03-01 --dry-run
  unscatter expire --workspace w.unscatter --set 2027-03-01 --subject user-00042
  unscatter expire --workspace w.unscatter --set 2027-03-01T12:00:00Z --graph 17
  unscatter expire --workspace w.unscatter --clear --graph group-0017

All that is due is forgotten by one update with one receipt, as 'forget' does it.  If nothing is due, nothing changes,
and the exit code is 0.  A date alone is the beginning of that day in UTC; from then on it is due.
Dates come with the data ("expires" and "node_expires" in JSONL), with 'train --expires' or 'train --keep-for', or with
--set.  They go with what they are about, whichever command forgets it.)");
  context.add_action(
      command,
      [arguments, &context] {
        return arguments->changes_a_date() ? change_date(*arguments, context) : forget_due(*arguments, context);
      },
      [arguments] { return check_expire_usage(*arguments); });
}

}  // namespace unscatter::cli
