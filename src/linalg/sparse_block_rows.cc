#include "unscatter/linalg/sparse_block_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/wipe.h"
#include "linalg/row_products.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

// The kernels trust what this function checks: they compute addresses from segments without looking again.
void check_row(const BlockRow& row, std::size_t columns) {
  std::size_t end = 0;
  std::size_t stored = 0;
  for (const Segment& segment : row.segments) {
    invariant(segment.column >= end, "BlockRow segments must ascend");
    end = std::size_t{segment.column} + segment.length;
    stored += segment.length;
  }
  invariant(end <= columns, "BlockRow reaches beyond the last column");
  invariant(stored == row.values.size(), "BlockRow has as many values as its segments say");
}

// |row|_2.  Scaling takes several times as long, so it is done only where a square could overflow or vanish.
double norm_of(const BlockRow& row) {
  const Eigen::Map<const Vector> values(row.values.data(), static_cast<Eigen::Index>(row.values.size()));
  const double square = values.squaredNorm();
  return square > 1e-280 && square < 1e280 ? std::sqrt(square) : values.stableNorm();
}

}  // namespace

void BlockRow::extend(std::size_t column, std::size_t count) {
  if (!segments.empty() && std::size_t{segments.back().column} + segments.back().length == column) {
    segments.back().length += static_cast<std::uint32_t>(count);
  } else {
    segments.push_back({static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(count)});
  }
}

double* BlockRow::append(std::size_t column, std::size_t count) {
  extend(column, count);
  values.resize(values.size() + count);
  return values.data() + (values.size() - count);
}

void BlockRow::append_shifted(const BlockRow& other, std::size_t first_column) {
  const double* value = other.values.data();
  for (const Segment& segment : other.segments) {
    std::copy_n(value, segment.length, append(first_column + segment.column, segment.length));
    value += segment.length;
  }
}

void SparseBlockRows::note_row(std::size_t i, std::size_t stored_before) {
  stored_ = stored_ - stored_before + rows_[i].values.size();
  if (share_) share_->stored_values = share_->stored_values - stored_before + rows_[i].values.size();
  norms_[i] = norm_of(rows_[i]);
  depths_[i] = static_cast<std::uint32_t>(product_depth(rows_[i]));
}

void SparseBlockRows::set_row(std::size_t i, BlockRow row) {
  check_row(row, columns_);
  const std::size_t before = rows_.at(i).values.size();
  rows_[i] = std::move(row);
  note_row(i, before);
}

void SparseBlockRows::append_row(BlockRow row) {
  check_row(row, columns_);
  norms_.resize(rows_.size() + 1);
  depths_.resize(rows_.size() + 1);
  rows_.push_back(std::move(row));
  note_row(rows_.size() - 1, 0);
}

void SparseBlockRows::append_empty_rows(std::size_t count) {
  const std::size_t rows = rows_.size() + count;
  // All memory first: the three lists must never differ in length.
  rows_.reserve(rows);
  norms_.reserve(rows);
  depths_.reserve(rows);
  rows_.resize(rows);
  norms_.resize(rows, 0.0);
  depths_.resize(rows, 0);
}

void SparseBlockRows::truncate(std::size_t count) noexcept {
  for (std::size_t i = count; i < rows_.size(); ++i) {
    stored_ -= rows_[i].values.size();
    if (share_) share_->stored_values -= rows_[i].values.size();
    wipe(rows_[i].values);
    wipe(rows_[i].segments);
  }
  if (count >= rows_.size()) return;
  rows_.resize(count);
  norms_.resize(count);
  depths_.resize(count);
}

void SparseBlockRows::swap_row(std::size_t i, BlockRow& row) {
  check_row(row, columns_);
  const std::size_t before = rows_.at(i).values.size();
  std::swap(rows_[i], row);
  note_row(i, before);
}

std::optional<std::size_t> SparseBlockRows::place_of(std::size_t number) const noexcept {
  const std::size_t first = first_of_all();
  if (number < first || number - first >= rows()) return std::nullopt;
  return number - first;
}

const BlockRow& SparseBlockRows::row_of_all(std::size_t number) const {
  if (const std::optional<std::size_t> place = place_of(number)) return rows_[*place];
  return elsewhere(number).row;
}

void SparseBlockRows::set_elsewhere(std::size_t number, std::size_t stored_before, RowElsewhere now) {
  invariant(share_.has_value() && number < total_rows() && !place_of(number), "a row that another rank holds");
  check_row(now.row, columns_);
  RowElsewhere& known = share_->elsewhere[number];
  share_->stored_values = share_->stored_values - stored_before + now.row.values.size();
  std::swap(known, now);
  wipe(now.row.values);
  wipe(now.row.segments);
}

void SparseBlockRows::swap_elsewhere(std::size_t number, BlockRow& row, std::uint32_t label) {
  check_row(row, columns_);
  invariant(share_.has_value() && share_->elsewhere.count(number) != 0, "a row elsewhere that was told of");
  RowElsewhere& known = share_->elsewhere[number];
  share_->stored_values = share_->stored_values - known.row.values.size() + row.values.size();
  std::swap(known.row, row);
  known.label = label;
}

const RowElsewhere& SparseBlockRows::elsewhere(std::size_t number) const {
  invariant(share_.has_value(), "all rows are here");
  const auto known = share_->elsewhere.find(number);
  invariant(known != share_->elsewhere.end(), "a row elsewhere that was told of");
  return known->second;
}

void SparseBlockRows::forget_elsewhere() noexcept {
  if (!share_) return;
  for (auto& [number, known] : share_->elsewhere) {
    wipe(known.row.values);
    wipe(known.row.segments);
    known.label = 0;
  }
  share_->elsewhere.clear();
}

namespace {

// The rank that takes what comes: the one with the last row.
std::size_t last_rank_with_rows(const RowShare& share) {
  std::size_t rank = share.begins.size() - 2;
  while (rank > 0 && share.begins[rank] == share.begins.back()) --rank;
  return rank;
}

}  // namespace

void SparseBlockRows::append_empty_rows_to_all(std::size_t count) {
  if (!share_) return append_empty_rows(count);
  const std::size_t taker = last_rank_with_rows(*share_);
  if (taker == share_->rank) append_empty_rows(count);
  for (std::size_t rank = taker + 1; rank < share_->begins.size(); ++rank) share_->begins[rank] += count;
}

void SparseBlockRows::truncate_all(std::size_t total) noexcept {
  if (!share_) return truncate(total);
  const std::size_t taker = last_rank_with_rows(*share_);
  if (taker == share_->rank) truncate(total - share_->begins[taker]);
  for (std::size_t rank = taker + 1; rank < share_->begins.size(); ++rank) share_->begins[rank] = total;
  share_->elsewhere.erase(share_->elsewhere.lower_bound(total), share_->elsewhere.end());
}

void SparseBlockRows::copy_row(std::size_t i, std::span<double> dense) const {
  invariant(dense.size() == columns_, "copy_row needs room for every column");
  std::fill(dense.begin(), dense.end(), 0.0);
  const double* value = rows_.at(i).values.data();
  for (const Segment& segment : rows_[i].segments) {
    std::copy_n(value, segment.length, dense.begin() + segment.column);
    value += segment.length;
  }
}

RowMatrix SparseBlockRows::to_dense() const {
  RowMatrix dense(static_cast<Eigen::Index>(rows()), static_cast<Eigen::Index>(columns_));
  for (std::size_t i = 0; i < rows(); ++i) copy_row(i, {dense.data() + i * columns_, columns_});
  return dense;
}

}  // namespace unscatter
