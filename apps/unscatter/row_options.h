// The options that name rows in place of graphs.  They are the same for train, add and predict.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "unscatter/base/result.h"
#include "unscatter/embedding/transform_spec.h"
#include "unscatter/graph/read.h"

namespace unscatter::cli {

struct RowArguments {
  std::string rows;
  std::string labels;
  std::string row_ids;
  std::string subjects;
  bool needs_labels = true;

  void add_to(CLI::App& command, bool labels_needed = true);
  [[nodiscard]] bool given() const { return !rows.empty(); }
  [[nodiscard]] RowFiles files() const { return {rows, labels, row_ids, subjects}; }
  // Wrong usage: neither --data nor --rows, both, or an option that belongs to --rows alone.
  [[nodiscard]] Status check(const std::string& data) const;
};

// Rows are embeddings already, so the transform is "rows".  Errors: kInvalidArgument if the options of `command` ask
// for another one.
[[nodiscard]] Status use_rows(const CLI::App& command, TransformSpec& spec);

}  // namespace unscatter::cli
