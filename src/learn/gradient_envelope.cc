#include "learn/gradient_envelope.h"

#include <algorithm>
#include <cmath>

#include "linalg/rounding.h"

namespace unscatter {

void GradientEnvelope::add_row(double length, std::size_t depth, const double* slopes, const double* curvatures) {
  // Two roundings more than the margin takes.  They are the room for the rounding of the stored weights (Lemma 9).
  const double per_weight = rounding_factor(static_cast<double>(depth) + 2) * length;  // e / |w|
  const double share = length * per_weight;
  for (std::size_t k = 0; k < curved_.size(); ++k) {
    curved_[k] += share * curvatures[k];
    sloped_[k] += length * std::abs(slopes[k]);
  }
  lengths_ += length;
  per_margin_ += share;
  squares_ += share * per_weight;
}

void GradientEnvelope::operator+=(const GradientEnvelope& other) {
  for (std::size_t k = 0; k < curved_.size(); ++k) {
    curved_[k] += other.curved_[k];
    sloped_[k] += other.sloped_[k];
  }
  lengths_ += other.lengths_;
  per_margin_ += other.per_margin_;
  squares_ += other.squares_;
}

void GradientEnvelope::write(std::span<double> numbers) const {
  auto out = std::copy(curved_.begin(), curved_.end(), numbers.begin());
  out = std::copy(sloped_.begin(), sloped_.end(), out);
  *out++ = lengths_;
  *out++ = per_margin_;
  *out = squares_;
}

void GradientEnvelope::read(std::span<const double> numbers) {
  auto in = numbers.begin();
  for (double& number : curved_) number = *in++;
  for (double& number : sloped_) number = *in++;
  lengths_ = *in++;
  per_margin_ = *in++;
  squares_ = *in;
}

double GradientEnvelope::upper_bound(std::size_t k, const Loss& loss, double weight_norm, std::size_t summing,
                                     double rest) const {
  const double flat = loss.curvature_bound();
  // c_i of (13), summed before the minimum is taken.  The minimum of the sums is no less than the sum of the minima.
  const double nearby =
      curved_[k] + loss.curvature_lipschitz() * weight_norm * squares_ + 8 * kUnitRoundoff * flat * per_margin_;
  const double of_margins = weight_norm * std::min(nearby, flat * per_margin_);
  const double of_slopes = 8 * kUnitRoundoff * (lengths_ + sloped_[k]);
  const double of_sums = rounding_factor(static_cast<double>(summing) + 4) * sloped_[k];
  // One per cent covers products of two errors and the rounding of these sums.
  return 1.01 * (of_margins + of_slopes + of_sums + 4 * kUnitRoundoff * rest);
}

}  // namespace unscatter
