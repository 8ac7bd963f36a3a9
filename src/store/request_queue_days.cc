// Statistics of the queue: one row per day, which outlives the requests.
#include <cstring>

#include "store/request_queue_rows.h"

namespace unscatter {
namespace {

constexpr std::size_t kNumbers = 6 + std::tuple_size_v<LatencyCounts>;
using Numbers = std::array<std::uint64_t, kNumbers>;

Numbers numbers_of(const QueueDay& day) {
  Numbers numbers = {day.received, day.done, day.already_absent, day.refused, day.cancelled, day.late};
  std::copy(day.latencies.begin(), day.latencies.end(), numbers.begin() + 6);
  return numbers;
}

QueueDay day_of(std::int64_t number, const Numbers& numbers) {
  QueueDay day{number, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], {}};
  std::copy(numbers.begin() + 6, numbers.end(), day.latencies.begin());
  return day;
}

Digest seal_of_day(const QueueDay& day) {
  Hasher hasher;
  hasher.add(std::string_view("unscatter queue day 1")).add(static_cast<std::uint64_t>(day.day));
  for (const std::uint64_t number : numbers_of(day)) hasher.add(number);
  return hasher.finish();
}

}  // namespace

void seal_row(DayRow& row) { row.seal = seal_of_day(row.day); }

Status write_day(const Database& database, const DayRow& row) {
  static_assert(std::endian::native == std::endian::little);
  const Numbers numbers = numbers_of(row.day);
  return database.prepare("INSERT OR REPLACE INTO queue_days(day, counts, seal) VALUES(?, ?, ?)")
      .bind(1, row.day.day)
      .bind(2, std::as_bytes(std::span(numbers)))
      .bind(3, bytes_of(row.seal))
      .run();
}

Status visit_days(const Database& database, const std::function<Status(const DayRow&)>& take) {
  Statement statement = database.prepare("SELECT day, counts, seal FROM queue_days ORDER BY day");
  for (;;) {
    UNSCATTER_TRY(more, statement.step());
    if (!more) return ok_status();
    UNSCATTER_TRY(day, statement.integer(0));
    UNSCATTER_TRY(counts, statement.blob(1));
    UNSCATTER_TRY(seal_bytes, statement.blob_view(2));
    UNSCATTER_TRY(seal, digest_from(seal_bytes));
    Numbers numbers;
    if (counts.size() != sizeof(numbers)) return damaged_queue("the counts of a day have the wrong length");
    std::memcpy(numbers.data(), counts.data(), counts.size());
    DayRow row{day_of(day, numbers), {}};
    seal_row(row);
    if (row.seal != seal) return damaged_queue("the counts of a day are not what was written");
    UNSCATTER_CHECK_OK(take(row));
  }
}

}  // namespace unscatter
