#include "store/streamed_curvature.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/wipe.h"
#include "learn/anchor_sums.h"
#include "linalg/row_products.h"
#include "store/stored_rows.h"
#include "store/workspace_files.h"

namespace unscatter {
namespace {

// The rows of at most kLeafRows slots.  Slots without a row are empty rows, as they are in memory.
class LeafOfRows {
 public:
  LeafOfRows(std::size_t width, std::size_t classes, std::size_t first, std::size_t count)
      : classes_(classes),
        first_(first),
        rows_(count, width),
        spare_(count),
        labels_(count, 0),
        filled_(count, false) {}
  LeafOfRows(LeafOfRows&&) = default;
  LeafOfRows& operator=(LeafOfRows&&) = delete;
  ~LeafOfRows() {
    rows_.truncate(0);
    for (BlockRow& row : spare_) wipe(row.values);
    wipe(labels_);
  }

  [[nodiscard]] std::size_t end() const { return first_ + rows_.rows(); }
  [[nodiscard]] Status put(std::size_t slot, std::span<const std::byte> content) {
    const std::size_t place = slot - first_;
    UNSCATTER_CHECK_OK(parse_row(content, slot, rows_.columns(), classes_, spare_[place], labels_[place]));
    rows_.swap_row(place, spare_[place]);
    filled_[place] = true;
    return ok_status();
  }
  // Adds them, and begins with the slots that follow.  The memory of the rows is used again.
  void add_to(AnchorSums& sums) {
    for (std::size_t i = 0; i < rows_.rows(); ++i) {
      if (filled_[i] || rows_.row(i).values.empty()) continue;
      spare_[i].clear();
      rows_.swap_row(i, spare_[i]);  // what is there is of slots before
    }
    sums.add(rows_, labels_);
    filled_.assign(filled_.size(), false);
    first_ = end();
  }

 private:
  std::size_t classes_;
  std::size_t first_;
  SparseBlockRows rows_;
  std::vector<BlockRow> spare_;
  std::vector<std::uint32_t> labels_;
  std::vector<bool> filled_;
};

// Parts of kSquarePartRows slots, one after the other for every thread, joined in their order.
class StreamedParts {
 public:
  StreamedParts(const StoredTree& tree, const Matrix& weights, const Loss& loss)
      : tree_(tree),
        weights_(weights),
        loss_(loss),
        slots_(tree.leaves()),
        parts_((slots_ + kSquarePartRows - 1) / kSquarePartRows),
        total_(loss, weights) {}

  [[nodiscard]] std::size_t parts() const { return parts_; }

  // Adds parts until there are no more, or until somebody met an error.
  void work(const WorkspaceTables& tables) {
    for (;;) {
      std::size_t part = 0;
      {
        const std::lock_guard lock(mutex_);
        if (next_ == parts_ || failed_) return;
        part = next_++;
      }
      AnchorSums sums(loss_, weights_);
      const Result<std::size_t> found = add_part(tables, part, sums);
      const std::lock_guard lock(mutex_);
      if (!found.ok()) {
        if (!failed_) failed_ = found.error();
        return;
      }
      found_ += *found;
      join(part, std::move(sums));
    }
  }

  [[nodiscard]] Result<KeptCurvature> finish(std::size_t graphs, double ridge) {
    if (failed_) return *std::move(failed_);
    UNSCATTER_CHECK_OK(check_row_count(found_, graphs));
    KeptCurvature curvature = total_.finish(ridge, slots_);
    total_.wipe();
    return curvature;
  }

 private:
  [[nodiscard]] Result<std::size_t> add_part(const WorkspaceTables& tables, std::size_t part, AnchorSums& sums) const {
    const std::size_t first = part * kSquarePartRows;
    const std::size_t last = std::min(first + kSquarePartRows, slots_);
    UNSCATTER_TRY(leaves, tree_.stored_leaves(tables.main(), first, last));
    const auto leaf_from = [&](std::size_t slot) {
      const auto width = static_cast<std::size_t>(weights_.rows());
      const auto classes = static_cast<std::size_t>(weights_.cols());
      return LeafOfRows(width, classes, slot, std::min(kLeafRows, last - slot));
    };
    std::optional<LeafOfRows> leaf(leaf_from(first));
    const auto next_leaf = [&] {
      leaf->add_to(sums);
      // The last one may be shorter.
      if (leaf->end() > last) leaf.emplace(leaf_from(leaf->end() - kLeafRows));
    };
    UNSCATTER_TRY(found, visit_rows_between(tables, {first, leaves, slots_},
                                            [&](std::size_t slot, std::span<const std::byte> content) {
                                              while (slot >= leaf->end()) next_leaf();
                                              return leaf->put(slot, content);
                                            }));
    while (leaf->end() < last) next_leaf();
    leaf->add_to(sums);
    return found;
  }

  // Parts that come too early wait.  They are no more than there are threads.
  void join(std::size_t part, AnchorSums&& sums) {
    waiting_.emplace(part, std::move(sums));
    for (auto entry = waiting_.find(joined_); entry != waiting_.end(); entry = waiting_.find(++joined_)) {
      total_.join(entry->second);
      entry->second.wipe();
      waiting_.erase(entry);
    }
  }

  const StoredTree& tree_;
  const Matrix& weights_;
  const Loss& loss_;
  std::size_t slots_;
  std::size_t parts_;
  std::mutex mutex_;  // of all that follows
  std::size_t next_ = 0;
  std::size_t joined_ = 0;
  std::size_t found_ = 0;
  std::optional<Error> failed_;
  AnchorSums total_;
  std::map<std::size_t, AnchorSums> waiting_;
};

}  // namespace

Result<KeptCurvature> curvature_of_rows(const WorkspaceTables& tables, const StoredTree& tree, std::size_t graphs,
                                        const Matrix& weights, const SessionOptions& options) {
  StreamedParts parts(tree, weights, options.loss);
  // A connection serves one thread at a time.
  const std::size_t threads = options.threads == 0 ? hardware_threads() : options.threads;
  std::vector<WorkspaceFiles> connections;
  while (threads > 1 && connections.size() < std::min(threads, parts.parts())) {
    // Each has every shard open once more.  Where the process may not open so many files, fewer threads read.
    Result<std::optional<WorkspaceFiles>> another = WorkspaceFiles::beside(tables);
    if (!another.ok() || !*another) break;
    connections.push_back(**std::move(another));
  }
  if (connections.empty()) {
    parts.work(tables);
  } else {
    parallel_for(connections.size(), threads, 1,
                 [&](std::size_t i, std::size_t) { parts.work(connections[i].tables()); });
  }
  return parts.finish(graphs, ridge_of(options, graphs));
}

}  // namespace unscatter
