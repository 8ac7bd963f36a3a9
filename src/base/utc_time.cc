#include "base/utc_time.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <ctime>
#include <optional>

namespace unscatter {
namespace {

constexpr std::int64_t kDay = 86400;

// The number that `digits` digits from `at` on spell.
std::optional<unsigned> number_at(std::string_view text, std::size_t at, std::size_t digits) {
  unsigned value = 0;
  for (std::size_t i = at; i < at + digits; ++i) {
    if (i >= text.size() || text[i] < '0' || text[i] > '9') return std::nullopt;
    value = 10 * value + static_cast<unsigned>(text[i] - '0');
  }
  return value;
}

bool is_at(std::string_view text, std::size_t at, char c) { return at < text.size() && text[at] == c; }

std::optional<std::int64_t> day_of(std::string_view text) {
  const auto year = number_at(text, 0, 4);
  const auto month = number_at(text, 5, 2);
  const auto day = number_at(text, 8, 2);
  if (!year || !month || !day || !is_at(text, 4, '-') || !is_at(text, 7, '-') || *year < 1970) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)), std::chrono::month(*month),
                                         std::chrono::day(*day)};
  // The calendar knows that there is no 30th of February.
  if (!date.ok()) return std::nullopt;
  return std::int64_t{std::chrono::sys_days(date).time_since_epoch().count()};
}

// Behind the date: "T12:00:00Z" or "T12:00:00.25Z".
std::optional<std::int64_t> second_of(std::string_view text) {
  const auto hour = number_at(text, 1, 2);
  const auto minute = number_at(text, 4, 2);
  const auto second = number_at(text, 7, 2);
  if (!hour || !minute || !second || !is_at(text, 0, 'T') || !is_at(text, 3, ':') || !is_at(text, 6, ':')) {
    return std::nullopt;
  }
  if (*hour > 23 || *minute > 59 || *second > 59 || text.back() != 'Z') return std::nullopt;
  const std::string_view fraction = text.substr(9, text.size() - 10);
  const bool digits = std::all_of(fraction.begin() + (fraction.empty() ? 0 : 1), fraction.end(),
                                  [](char c) { return c >= '0' && c <= '9'; });
  if (!fraction.empty() && (fraction.front() != '.' || fraction.size() == 1 || !digits)) return std::nullopt;
  return 3600 * std::int64_t{*hour} + 60 * std::int64_t{*minute} + std::int64_t{*second};
}

// Long text is cut, so that a message stays one sentence.
std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 40;
  return fmt::format("'{}'{}", text.substr(0, kShown), text.size() > kShown ? " and more" : "");
}

}  // namespace

Result<std::int64_t> parse_utc(std::string_view text) {
  constexpr std::size_t kDate = 10;
  const Error wrong{
      ErrorCode::kInvalidArgument,
      fmt::format("{} is no date; write 2027-03-01, or a time in UTC such as 2027-03-01T12:00:00Z", quoted(text))};
  const auto day = day_of(text);
  if (!day) return wrong;
  if (text.size() == kDate) return *day * kDay;
  const auto second = second_of(text.substr(kDate));
  if (!second) return wrong;
  return *day * kDay + *second;
}

std::string utc_text(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

std::string short_utc_text(std::int64_t seconds) {
  if (seconds % kDay != 0) return utc_text(seconds);
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

Result<std::int64_t> parse_span(std::string_view text) {
  constexpr std::int64_t kMost = 365250 * kDay;
  const Error wrong{ErrorCode::kInvalidArgument,
                    fmt::format("{} is no span of time; write days as 90d, weeks as 12w or hours as 36h, up to 1,000 "
                                "years",
                                quoted(text))};
  if (text.size() < 2) return wrong;
  const std::string_view digits = text.substr(0, text.size() - 1);
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (error != std::errc() || end != digits.data() + digits.size() || count < 1) return wrong;
  const std::int64_t unit = text.back() == 'h' ? 3600 : text.back() == 'd' ? kDay : text.back() == 'w' ? 7 * kDay : 0;
  if (unit == 0 || count > kMost / unit) return wrong;
  return count * unit;
}

}  // namespace unscatter
