#include "embedding_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <vector>

#include "unscatter/base/invariant.h"

namespace unscatter::cli {
namespace {

std::string subject_cells(const LineSubject& subject) {
  return fmt::format("{},{},{}", subject.number, csv_cell(subject.id.value_or("")),
                     csv_cell(subject.label.value_or("")));
}

}  // namespace

bool is_csv(const std::string& out) { return out.ends_with(".csv"); }

std::string graphs_path(const std::string& out) {
  return std::filesystem::path(out).replace_extension(".graphs.csv").string();
}

Result<EmbeddingOutput> EmbeddingOutput::create(const std::string& out, std::size_t columns) {
  EmbeddingOutput output(columns);
  if (out.empty()) return output;
  std::string head = "number,id,label";
  if (is_csv(out)) {
    for (std::size_t c = 0; c < columns; ++c) head += fmt::format(",z{}", c);
  } else {
    UNSCATTER_TRY(numbers, NpyFile::create(out, columns));
    output.numbers_.emplace(std::move(numbers));
  }
  UNSCATTER_TRY(table, ReplacingFile::create(is_csv(out) ? out : graphs_path(out)));
  output.table_.emplace(std::move(table));
  UNSCATTER_CHECK_OK(output.table_->write(head + '\n'));
  return output;
}

Status EmbeddingOutput::append(const SparseBlockRows& rows, std::span<const LineSubject> subjects) {
  invariant(rows.rows() == subjects.size() && rows.columns() == columns_, "one subject per row");
  rows_ += rows.rows();
  stored_values_ += rows.stored_values();
  for (std::size_t i = 0; i < rows.rows(); ++i) largest_norm_ = std::max(largest_norm_, rows.row_norm(i));
  if (!table_) return ok_status();
  if (numbers_) UNSCATTER_CHECK_OK(numbers_->append(rows));
  std::vector<double> dense(numbers_ ? 0 : columns_);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    std::string text = subject_cells(subjects[i]);
    if (!numbers_) rows.copy_row(i, dense);
    for (const double value : dense) fmt::format_to(std::back_inserter(text), ",{}", value);
    UNSCATTER_CHECK_OK(table_->write(text + '\n'));
  }
  return ok_status();
}

Status EmbeddingOutput::commit() {
  if (numbers_) UNSCATTER_CHECK_OK(numbers_->commit());
  return table_ ? table_->commit() : ok_status();
}

double EmbeddingOutput::density() const noexcept {
  const double all = static_cast<double>(rows_) * static_cast<double>(columns_);
  return all == 0 ? 0 : static_cast<double>(stored_values_) / all;
}

}  // namespace unscatter::cli
