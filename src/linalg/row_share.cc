#include "linalg/row_share.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "linalg/elementwise.h"
#include "linalg/row_products.h"
#include "linalg/summation_tree.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

// join(mine, of another rank) on the way to rank 0, along a binomial tree; then rank 0 tells all.
template <typename Number, typename Join>
void join_in_any_order(Communicator& ranks, std::span<Number> numbers, const Join& join) {
  std::vector<Number> others(numbers.size());
  for (std::size_t step = 1; step < ranks.size(); step *= 2) {
    if ((ranks.rank() & step) != 0) {
      ranks.send_numbers(ranks.rank() - step, std::span<const Number>(numbers));
      break;
    }
    if (ranks.rank() + step >= ranks.size()) continue;
    ranks.receive_numbers(ranks.rank() + step, std::span<Number>(others));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = join(numbers[i], others[i]);
  }
  ranks.broadcast_numbers(numbers);
}

std::size_t count_up(const RowShare& share, std::size_t first, std::size_t leaves) {
  const auto rank_of = [&](std::size_t leaf) { return rank_of_row(share, leaf * kLeafRows); };
  if (leaves <= 1 || rank_of(first) == rank_of(first + leaves - 1)) return 0;
  const std::size_t left = left_part(leaves);
  return count_up(share, first, left) + count_up(share, first + left, leaves - left) +
         (rank_of(first) == rank_of(first + left) ? 0 : 1);
}

// A number that depends on the kernels and on the mathematical library.
std::uint64_t how_numbers_are_rounded() {
  constexpr std::size_t kColumns = 37;
  SparseBlockRows Z(1, kColumns);
  BlockRow row;
  double* values = row.append(0, kColumns);
  Matrix W(static_cast<Eigen::Index>(kColumns), 3);
  for (std::size_t i = 0; i < kColumns; ++i) {
    values[i] = 1 / (3.0 + static_cast<double>(i));
    W.row(static_cast<Eigen::Index>(i)).setConstant(1 / (7.0 - static_cast<double>(i) / 5.1));
  }
  Z.set_row(0, std::move(row));
  const Matrix products = product(Z, W);
  const Matrix squares = weighted_square(Z, Vector::Constant(1, 0.1));
  std::vector<double> numbers(products.data(), products.data() + products.size());
  numbers.insert(numbers.end(), squares.data(), squares.data() + squares.size());
  for (const double x : {0.1, 0.7, 1.3, 2.9}) {
    double slope = 0;
    double curvature = 0;
    logistic_derivatives(std::span(&x, 1), std::span(&slope, 1), std::span(&curvature, 1));
    for (const double y : {slope, curvature, std::exp(-x), std::expm1(x), std::log1p(x), std::erfc(x)}) {
      numbers.push_back(y);
    }
  }
  // FNV-1a over the bits.
  std::uint64_t digest = 0xcbf29ce484222325;
  for (const double number : numbers) digest = (digest ^ std::bit_cast<std::uint64_t>(number)) * 0x100000001b3;
  return digest;
}

}  // namespace

void require_same(Communicator& communicator, std::uint64_t number, std::string_view sentence) {
  std::uint64_t of_first = number;
  communicator.broadcast_numbers(std::span(&of_first, 1));
  if (of_first != number) communicator.abort(sentence);
}

void share_rows(Communicator& communicator, SparseBlockRows& rows) {
  if (communicator.size() == 1) return rows.set_share(std::nullopt);
  require_same(communicator, how_numbers_are_rounded(),
               "this rank rounds numbers differently than rank 0: the machines of a job have to be of one kind");
  std::vector<std::array<std::uint64_t, 3>> all(communicator.size());
  const std::array<std::uint64_t, 3> mine = {rows.rows(), rows.stored_values(), rows.columns()};
  const std::vector<std::vector<std::byte>> gathered = communicator.gather(std::as_bytes(std::span(mine)));
  for (std::size_t rank = 0; rank < gathered.size(); ++rank) {
    if (gathered[rank].size() != sizeof(mine)) communicator.abort("a rank says something else of its rows");
    std::copy(gathered[rank].begin(), gathered[rank].end(), std::as_writable_bytes(std::span(all[rank])).begin());
  }
  communicator.broadcast_numbers(std::span(all));
  RowShare share{&communicator, communicator.rank(), {0}, 0, {}};
  for (const auto& [count, stored, width] : all) {
    if (width != rows.columns()) communicator.abort("ranks have rows of different widths");
    if (count != 0 && share.begins.back() % kLeafRows != 0) {
      communicator.abort("the rows of a rank do not begin where a leaf of the summation tree begins");
    }
    share.begins.push_back(share.begins.back() + count);
    share.stored_values += stored;
  }
  if (share.begins.back() == 0) communicator.abort("no rank has rows");
  rows.set_share(std::move(share));
}

std::size_t rank_of_row(const RowShare& share, std::size_t number) {
  // Of ranks that begin at the same row, the last one has it: the others are empty.
  const auto after = std::upper_bound(share.begins.begin(), share.begins.end(), number);
  invariant(after != share.begins.begin() && after != share.begins.end(), "a row of some rank");
  return static_cast<std::size_t>(after - share.begins.begin()) - 1;
}

std::size_t first_rank(const RowShare& share) { return rank_of_row(share, 0); }
std::size_t last_rank(const RowShare& share) { return rank_of_row(share, share.begins.back() - 1); }

std::size_t rank_after(const RowShare& share, std::size_t rank) {
  const std::size_t next = share.begins[rank + 1];
  return next == share.begins.back() ? share.begins.size() - 1 : rank_of_row(share, next);
}

std::size_t rank_before(const RowShare& share, std::size_t rank) {
  const std::size_t first = share.begins[rank];
  return first == 0 ? share.begins.size() - 1 : rank_of_row(share, first - 1);
}

std::size_t messages_up(const RowShare& share) { return count_up(share, 0, leaves_of(share.begins.back())); }

void largest_of_all(const RowShare* share, std::span<double> numbers) {
  if (share == nullptr) return;
  join_in_any_order(*share->communicator, numbers, [](double one, double other) { return std::max(one, other); });
}

double largest_of_all(const RowShare* share, double number) {
  largest_of_all(share, std::span(&number, 1));
  return number;
}

bool true_anywhere(const RowShare* share, bool here) { return largest_of_all(share, here ? 1.0 : 0.0) != 0; }

std::uint64_t count_of_all(const RowShare* share, std::uint64_t here) {
  if (share == nullptr) return here;
  join_in_any_order(*share->communicator, std::span(&here, 1),
                    [](std::uint64_t one, std::uint64_t other) { return one + other; });
  return here;
}

double sum_of_all(const RowShare* share, const Vector& terms) {
  if (share == nullptr) return terms.sum();
  // Eigen adds up two packets side by side, then the two, and then what did not fill them.  So entry i of a row of
  // lanes gets the terms i, i + lanes, i + 2 lanes, ... in turns, and Eigen itself adds up what that leaves.  A leaf
  // has a multiple of so many rows.
  constexpr Eigen::Index kLanes = Eigen::Index{2} * Eigen::internal::packet_traits<double>::size;
  static_assert(kLeafRows % kLanes == 0);
  // The lanes, then the terms beyond the last full row of them.
  std::array<double, 2 * kLanes> state{};
  in_turns(share, state, [&] {
    const Eigen::Index full = terms.size() / kLanes * kLanes;
    for (Eigen::Index i = 0; i < full; ++i) state[static_cast<std::size_t>(i % kLanes)] += terms(i);
    for (Eigen::Index i = full; i < terms.size(); ++i) state[static_cast<std::size_t>(kLanes + i - full)] = terms(i);
  });
  const auto total = static_cast<Eigen::Index>(share->begins.back());
  const Eigen::Index first = total < kLanes ? kLanes : 0;
  const Vector left = Eigen::Map<const Vector>(state.data() + first, kLanes - first + total % kLanes);
  return left.sum();
}

}  // namespace unscatter
