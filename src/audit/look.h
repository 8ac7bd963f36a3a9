// Looking at two worlds: the best test of a known observer, along several parts of the weights.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "unscatter/audit/audit.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {

// A block of an observation.
struct Region {
  std::string name;
  Eigen::Index row = 0;
  Eigen::Index rows = 0;
  Eigen::Index column = 0;
  Eigen::Index columns = 0;
};

// All of it, each column, and blocks of rows.  A column is a class.
[[nodiscard]] std::vector<Region> regions_of_model(Eigen::Index rows, Eigen::Index columns);
// Of two models side by side: both, the first and the second.
[[nodiscard]] std::vector<Region> regions_of_pair(Eigen::Index rows, Eigen::Index columns);

// For every region with direction D, an observation W~ is reduced to
//
//   t = <W~ - W_ref, D> / (sigma |D|)
//
// This is N(0, 1) in the reference world and N(mu, 1), mu = |D| / sigma, in the other one.  No test tells the two
// better apart (Neyman and Pearson).  The first `pilot` pairs give thresholds and are not counted.
class Comparison {
 public:
  // Regions in which D vanishes are left out.  D of the first region must not vanish.
  Comparison(const Matrix& reference, const Matrix& direction, double noise_stddev, const std::vector<Region>& regions,
             std::size_t pilot);

  // One observation of each world.
  void see(const Matrix& reference, const Matrix& test);

  [[nodiscard]] std::size_t looks() const noexcept { return looks_.size(); }
  // Of all bounds together at most `error` is wrong.
  [[nodiscard]] std::vector<AuditLook> report(double delta, double error) const;
  [[nodiscard]] const AuditHistogram& histogram() const noexcept { return histogram_; }

 private:
  struct Look {
    Region region;
    double length = 0;  // |D| on it
    double pilot_sum = 0;
    double threshold = 0;
    std::size_t reference_above = 0;
    std::size_t test_above = 0;
  };
  [[nodiscard]] double statistic(const Look& look, const Matrix& observed) const;
  void fix_thresholds();
  void add_to_histogram(std::vector<std::size_t>& bins, double t) const;

  Matrix reference_;
  Matrix direction_;
  double noise_stddev_;
  std::size_t pilot_;
  std::size_t seen_ = 0;
  std::vector<Look> looks_;
  double pilot_low_ = 0, pilot_high_ = 0;  // of the first look
  AuditHistogram histogram_;
};

}  // namespace unscatter
