// What work on curvature costs, and the decisions that follow from it: one model for all of them.
//
// Costs are counts of operations.  They decide what is done next and never what is true: a wrong decision costs time
// and changes no bound.
#pragma once

#include <cstddef>

namespace unscatter {

// Operations per class.
struct CurvatureCost {
  double step = 0;    // one step or iteration with a kept inverse
  double build = 0;   // a new inverse
  double factor = 0;  // a new factor, which serves one step

  // Steps that cost as much as a new inverse: between 5 and 100, because the count is rough.
  [[nodiscard]] std::size_t steps_worth_a_build() const;
};

// An operation takes this many times as long in a product with a vector as in a product of matrices: the former waits
// for memory.  Measured (docs/performance.md, "Decisions").
inline constexpr double kVectorSlowness = 2;

// Beyond an eighth of the rows, changing an inverse row by row costs as much as a new one.
[[nodiscard]] constexpr bool few_enough_to_fold(std::size_t edits, std::size_t rows) { return 8 * edits <= rows; }

// How many passes over the rows a descent without matrices takes (row_descent.h).
class PassAccount {
 public:
  // Counts a descent of so many passes.
  void count(std::size_t passes) noexcept;
  // What the next one will take.
  [[nodiscard]] double expected() const noexcept { return expected_; }

 private:
  double expected_ = 15;  // a guess until the first descent (docs/performance.md, "One removal, or few")
};

// How many updates new inverses will serve, if `left` of them are to come (0: many) and this one edits `edits` of
// `rows` rows.
[[nodiscard]] double updates_served(std::size_t left, std::size_t edits, std::size_t rows);

// When kept inverses are renewed.  The fewest steps of a descent since the last build are what good inverses need;
// every step beyond them is counted as wasted.  Renewal is due when the waste has cost as much as new inverses do.
class RenewalAccount {
 public:
  void reset() noexcept { *this = {}; }
  // Counts a descent or a solve of `steps` steps.  True if renewal is due.
  [[nodiscard]] bool count(std::size_t steps, const CurvatureCost& cost);

 private:
  std::size_t fewest_steps_ = 0;
  double wasted_ = 0;  // operations
};

// When the fast rung gets a new anchor.
//
// An anchor costs as much as new inverses.  An anchor whose bound did not serve a single time was not worth that: kept
// inverses step as well and live longer.  So the next anchor waits for p updates on the rung newton.  A failure sets p
// to the larger of 2p + 1 and the ratio of the failed bound to its limit.  An anchor that served sets p to 0
// (docs/theory.md, "Constant-time removal").
//
// An anchor that serves wears out: the weights move away from it, its bounds grow with the distance, and more and more
// updates have to look at all rows.  When these looks have cost as much as a new anchor, a new one is made.  So both
// together cost at most twice what the best moment would have cost.
class AnchorSchedule {
 public:
  [[nodiscard]] bool is_due() const noexcept { return waited_ >= pause_; }
  void wait() noexcept { ++waited_; }
  void anchored() noexcept;
  // An update had to look at all rows in spite of the anchor.
  void evaluated(double operations) noexcept { looks_ += operations; }
  [[nodiscard]] bool is_worn(double operations_of_an_anchor) const noexcept {
    return looks_ >= operations_of_an_anchor;
  }
  // A step was taken with the present anchor.  `usage`: its bound over the limit; at most 1 if the bound served.
  void stepped(bool served, double usage);

 private:
  std::size_t pause_ = 0;   // p: Newton updates to wait for before the next anchor
  std::size_t waited_ = 0;  // Newton updates that were waited for
  bool fresh_ = false;      // no step since the anchor
  double looks_ = 0;        // operations of evaluations since the anchor
};

}  // namespace unscatter
