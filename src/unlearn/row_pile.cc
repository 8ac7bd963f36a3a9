#include "unlearn/row_pile.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "learn/curvature_form.h"
#include "linalg/row_products.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

constexpr std::size_t kWaitingValues = std::size_t{1} << 20;

}  // namespace

RowPile::RowPile(std::size_t columns, RowCrew* crew, std::size_t threads)
    : columns_(columns),
      crew_(crew),
      counts_(crew == nullptr ? 1 : crew->begin_pile(columns, threads), 0),
      here_(0, columns),
      waiting_(0, columns) {
  if (counts_.size() == 1) crew_ = nullptr;
}

RowPile::~RowPile() {
  here_.truncate(0);
  waiting_.truncate(0);
  block_.truncate(0);
  if (crew_ != nullptr) crew_->end_pile();
}

void RowPile::append(BlockRow row, double came_before) {
  // Shares end where leaves of the summation tree end.
  if (total_ % kLeafRows == 0) {
    const double wanted = came_before * static_cast<double>(counts_.size());
    const std::size_t last = counts_.size() - 1;
    const std::size_t next =
        wanted < static_cast<double>(last) ? static_cast<std::size_t>(std::max(wanted, 0.0)) : last;
    if (next > keeper_) {
      send();
      keeper_ = next;
    }
  }
  ++total_;
  ++counts_[keeper_];
  if (keeper_ == 0) return here_.append_row(std::move(row));
  waiting_.append_row(std::move(row));
  if (waiting_.stored_values() >= kWaitingValues) send();
}

void RowPile::made_everywhere(SparseBlockRows own, std::span<const std::size_t> made) {
  invariant(total_ == 0 && made.size() == counts_.size() && own.rows() == made.front(), "rows come in one way");
  here_ = std::move(own);
  counts_.assign(made.begin(), made.end());
  total_ = std::accumulate(counts_.begin(), counts_.end(), std::size_t{0});
}

void RowPile::send() {
  if (waiting_.rows() == 0) return;
  crew_->add_to_pile(keeper_, waiting_);
  waiting_.truncate(0);
}

KeptState::Rows RowPile::share(std::span<const std::uint32_t> labels) {
  invariant(!taken_ && labels.size() == total_, "one label per row");
  taken_ = true;
  send();
  const std::size_t here = here_.rows();
  KeptState::Rows own{std::move(here_), {labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(here)}};
  here_ = SparseBlockRows(0, columns_);
  if (here == total_) return own;
  if (cheaper_form(total_, columns_) == HessianForm::kPrimal) {
    crew_->share_pile(own.rows, counts_, labels);
    return own;
  }
  // In dual form every number is about two rows, so rows stay in one place (train_together.cc).
  for (std::size_t number = here; number < total_; ++number) own.rows.append_row(BlockRow(row_elsewhere(number)));
  own.labels.assign(labels.begin(), labels.end());
  return own;
}

const BlockRow& RowPile::row_elsewhere(std::size_t number) {
  if (number < block_begin_ || number >= block_begin_ + block_.rows()) {
    std::size_t process = 0;
    std::size_t first = number;
    while (first >= counts_.at(process)) first -= counts_[process++];
    invariant(process > 0, "this process has no copy of its own rows");
    block_.truncate(0);
    block_ = crew_->rows_of_pile(process, first);
    block_begin_ = number;
  }
  return block_.row(number - block_begin_);
}

}  // namespace unscatter
