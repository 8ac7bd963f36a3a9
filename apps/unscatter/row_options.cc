#include "row_options.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "unscatter/embedding/make_embedder.h"

namespace unscatter::cli {

void RowArguments::add_to(CLI::App& command, bool labels_needed) {
  const std::string group = "Rows";
  needs_labels = labels_needed;
  command.add_option("--rows", rows, "In place of --data: rows that are embedded already, a NumPy array (.npy)")
      ->group(group);
  command
      .add_option("--labels", labels,
                  fmt::format("The class of each row: a NumPy array of integers, or text with one per line{}",
                              labels_needed ? "" : "; may be missing"))
      ->group(group);
  command.add_option("--row-ids", row_ids, "One distinct id per row, in the same forms; by it a row is removed")
      ->group(group);
  command.add_option("--subjects", subjects, "Per row the id of the person whom it is about, in the same forms")
      ->group(group);
}

Status RowArguments::check(const std::string& data) const {
  const auto wrong = [](std::string sentence) { return Error{ErrorCode::kInvalidArgument, std::move(sentence)}; };
  if (given() && !data.empty()) {
    return wrong("--data and --rows exclude each other: graphs, or rows that are embedded already");
  }
  if (!given() && data.empty()) {
    return wrong(fmt::format("name --data, a data set of graphs, or --rows{}, rows that are embedded already",
                             needs_labels ? " and --labels" : ""));
  }
  if (given()) {
    if (needs_labels && labels.empty()) return wrong("--rows needs --labels: the class of each row");
    return ok_status();
  }
  const std::array<std::pair<const char*, const std::string*>, 3> others = {
      {{"--labels", &labels}, {"--row-ids", &row_ids}, {"--subjects", &subjects}}};
  for (const auto& [option, value] : others) {
    if (!value->empty()) return wrong(fmt::format("{} belongs to --rows", option));
  }
  return ok_status();
}

Status use_rows(const CLI::App& command, TransformSpec& spec) {
  const bool asked = command.count("--embedding") > 0;
  const bool other = spec.family != (asked ? "rows" : default_transform().family) || command.count("--features") > 0 ||
                     command.count("--transform") > 0;
  if (other) {
    return Error{ErrorCode::kInvalidArgument,
                 "--rows are embeddings already: leave --transform, --features, --scales and the like out; "
                 "--embedding rows:SCALE divides them by a stated number"};
  }
  spec.family = "rows";
  return ok_status();
}

}  // namespace unscatter::cli
