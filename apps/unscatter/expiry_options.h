// Due dates on the command line, for every subcommand that takes graphs in, and how they are shown.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "context.h"
#include "output.h"
#include "unscatter/base/result.h"
#include "unscatter/graph/dataset.h"
#include "unscatter/unlearn/request.h"

namespace unscatter::cli {

// --expires DATE or --keep-for 90d, for all graphs of a data set.
struct ExpiryArguments {
  std::string expires;
  std::string keep_for;

  void add_to(CLI::App& command);
  // At most one of the two, and readable.  Errors: kInvalidArgument, a sentence for the user.
  [[nodiscard]] Status check() const;
  // Gives every graph this date.  A graph that has an earlier one keeps it: nobody is kept longer than the data says.
  [[nodiscard]] Status apply(DueDates& dates, std::size_t graphs, std::int64_t now) const;

 private:
  [[nodiscard]] Result<std::optional<std::int64_t>> date(std::int64_t now) const;
};

// Seconds since 1970, by the system's clock.
[[nodiscard]] std::int64_t seconds_now();
// Says on stderr that some of the data should not be kept any more.
void note_overdue(const DueDates& dates, std::int64_t now, Context& context);

// {"graph": 17} or {"subject": "user-00042"}, with "due".
[[nodiscard]] Json due_json(const RemovalRequest& what, std::int64_t due);
// "2027-03-01T00:00:00Z" or null.
[[nodiscard]] Json date_json(const std::optional<std::int64_t>& due);

}  // namespace unscatter::cli
