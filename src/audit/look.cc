#include "audit/look.h"

#include <fmt/format.h>

#include <algorithm>

#include "audit/bounds.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

// So many blocks of coordinates.  More would find faults in smaller parts, and every further look costs the others
// some power.
constexpr Eigen::Index kBlocks = 8;
constexpr std::size_t kBins = 72;

}  // namespace

std::vector<Region> regions_of_model(Eigen::Index rows, Eigen::Index columns) {
  std::vector<Region> regions = {{"all weights", 0, rows, 0, columns}};
  for (Eigen::Index k = 0; k < columns; ++k) regions.push_back({fmt::format("class {}", k), 0, rows, k, 1});
  const Eigen::Index blocks = std::min(kBlocks, rows);
  for (Eigen::Index block = 0; blocks > 1 && block < blocks; ++block) {
    const Eigen::Index first = block * rows / blocks, next = (block + 1) * rows / blocks;
    regions.push_back({fmt::format("coordinates {}-{}", first, next - 1), first, next - first, 0, columns});
  }
  return regions;
}

std::vector<Region> regions_of_pair(Eigen::Index rows, Eigen::Index columns) {
  return {{"both models", 0, rows, 0, columns},
          {"model before", 0, rows, 0, columns / 2},
          {"model after", 0, rows, columns / 2, columns / 2}};
}

Comparison::Comparison(const Matrix& reference, const Matrix& direction, double noise_stddev,
                       const std::vector<Region>& regions, std::size_t pilot)
    : reference_(reference), direction_(direction), noise_stddev_(noise_stddev), pilot_(pilot) {
  invariant(pilot > 0, "thresholds need observations");
  for (const Region& region : regions) {
    const double length = direction_.block(region.row, region.column, region.rows, region.columns).stableNorm();
    if (length > 0) looks_.push_back({region, length});
  }
  invariant(!looks_.empty() && looks_.front().region.name == regions.front().name, "a direction to look along");
}

double Comparison::statistic(const Look& look, const Matrix& observed) const {
  const auto part = [&look](const Matrix& matrix) {
    return matrix.block(look.region.row, look.region.column, look.region.rows, look.region.columns).array();
  };
  // D / |D| before the product: |D| may be as small as 1e-12, and so may be what it is divided by.
  return ((part(observed) - part(reference_)) * (part(direction_) / look.length)).sum() / noise_stddev_;
}

void Comparison::see(const Matrix& reference, const Matrix& test) {
  const bool pilot = seen_ < pilot_;
  for (std::size_t i = 0; i < looks_.size(); ++i) {
    Look& look = looks_[i];
    const double at_reference = statistic(look, reference);
    const double at_test = statistic(look, test);
    if (pilot) {
      look.pilot_sum += at_reference + at_test;
      if (i == 0) {
        pilot_low_ = std::min({pilot_low_, at_reference, at_test});
        pilot_high_ = std::max({pilot_high_, at_reference, at_test});
      }
      continue;
    }
    look.reference_above += static_cast<std::size_t>(at_reference > look.threshold);
    look.test_above += static_cast<std::size_t>(at_test > look.threshold);
    if (i == 0) {
      add_to_histogram(histogram_.reference, at_reference);
      add_to_histogram(histogram_.test, at_test);
    }
  }
  if (++seen_ == pilot_) fix_thresholds();
}

void Comparison::fix_thresholds() {
  // Half-way between the means of the two worlds.  Both kinds of error are then equally likely, which gives the best
  // bound on mu.  The means are measured and not those that the kept weights promise: a fault may be anywhere.
  for (Look& look : looks_) look.threshold = look.pilot_sum / (2 * static_cast<double>(pilot_));
  // Some room at both ends, also where the worlds are far apart.
  const double room = 0.5 + (pilot_high_ - pilot_low_) / 20;
  histogram_.low = std::min(-4.0, pilot_low_ - room);
  histogram_.high = std::max(4.0, pilot_high_ + room);
  histogram_.reference.assign(kBins, 0);
  histogram_.test.assign(kBins, 0);
}

void Comparison::add_to_histogram(std::vector<std::size_t>& bins, double t) const {
  const double place = (t - histogram_.low) / (histogram_.high - histogram_.low) * static_cast<double>(bins.size());
  ++bins[static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(bins.size() - 1)))];
}

std::vector<AuditLook> Comparison::report(double delta, double error) const {
  invariant(seen_ > pilot_, "observations after the pilot ones");
  const std::size_t counted = seen_ - pilot_;
  std::vector<AuditLook> reports;
  for (const Look& look : looks_) {
    const MeasuredBounds bounds = lower_bounds({look.reference_above, counted}, {look.test_above, counted}, delta,
                                               error / static_cast<double>(looks_.size()));
    reports.push_back({look.region.name, look.length / noise_stddev_, look.threshold, counted, look.test_above,
                       look.reference_above, bounds.shift, bounds.epsilon});
  }
  return reports;
}

}  // namespace unscatter
