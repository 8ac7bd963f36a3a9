#include "unscatter/learn/loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>

#include "linalg/elementwise.h"

namespace unscatter {
namespace {

double sigmoid(double t) {
  // The exponential is of -|t|, so it cannot overflow.  Neither branch subtracts, so small values keep their digits.
  if (t >= 0) return 1 / (1 + std::exp(-t));
  const double e = std::exp(t);
  return e / (1 + e);
}

// Right of 0 the value is small and log1p() keeps its digits.  Left of 0 e^-t may overflow, so -t is taken out first.
double logistic_value(double t) { return t > 0 ? std::log1p(std::exp(-t)) : std::log1p(std::exp(t)) - t; }

double logistic_change(double t, double step) {
  // log((1 + e^-(t + step)) / (1 + e^-t)) = log(1 + sigmoid(-t) (e^-step - 1)).  For steps below -700 the exponential
  // would overflow.  There the plain difference is accurate.
  if (step < -700) return logistic_value(t + step) - logistic_value(t);
  const double argument = sigmoid(-t) * std::expm1(-step);
  if (argument > -0.5) return std::log1p(argument);
  // Close to -1 the logarithm magnifies rounding errors.  An argument this low means a long step downhill, and for such
  // a step these differences do not cancel.
  const double to = t + step;
  return to < 0 ? std::log1p(std::exp(to)) - std::log1p(std::exp(t)) - step : logistic_value(to) - logistic_value(t);
}

// huber-svm in x = (1 - t) / h, divided by h:  0 | (1 + x)^3 / 6 | x + (1 - x)^3 / 6 | x,  with knots at -1, 0, 1.
double huber_value(double x) {
  if (x <= -1) return 0;
  if (x <= 0) return (1 + x) * (1 + x) * (1 + x) / 6;
  if (x <= 1) return x + (1 - x) * (1 - x) * (1 - x) / 6;
  return x;
}

double huber_slope(double x) {
  if (x <= -1) return 0;
  if (x <= 0) return (1 + x) * (1 + x) / 2;
  if (x <= 1) return 1 - (1 - x) * (1 - x) / 2;
  return 1;
}

double huber_curvature(double x) { return std::max(0.0, 1 - std::abs(x)); }

// huber_value(x + step) - huber_value(x).  On each cubic piece that the step crosses, the Taylor polynomial is exact.
// What is left of the step is never computed from x + step, because that sum would round a short step away.
double huber_change(double x, double step) {
  constexpr double kKnots[] = {-1, 0, 1};
  constexpr double kThird[] = {0, 1, -1, 0};  // third derivative of the piece with that many knots below
  double change = 0;
  double from = x;
  double left = step;
  while (left != 0) {
    // Knots below the piece that the step goes through from here; a knot itself belongs to the piece ahead.
    const std::ptrdiff_t below = left > 0 ? std::upper_bound(kKnots, kKnots + 3, from) - kKnots
                                          : std::lower_bound(kKnots, kKnots + 3, from) - kKnots;
    const bool last = left > 0 ? below == 3 : below == 0;
    const double reach = last ? left : (left > 0 ? kKnots[below] : kKnots[below - 1]) - from;
    const double part = std::abs(left) > std::abs(reach) ? reach : left;
    change += part * (huber_slope(from) + part * (huber_curvature(from) / 2 + part * kThird[below] / 6));
    if (part == left) break;
    from = left > 0 ? kKnots[below] : kKnots[below - 1];
    left -= part;
  }
  return change;
}

}  // namespace

Result<Loss> Loss::huber_svm(double smoothing) {
  // Written so that NaN is refused too.
  if (!(smoothing >= 1e-6 && smoothing <= 1e6)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("huber-svm: the smoothing {} is not in [1e-6, 1e6]", smoothing)};
  }
  return Loss(LossKind::kHuberSvm, smoothing);
}

Result<Loss> Loss::parse(std::string_view text) {
  if (text == "logistic") return logistic();
  if (text == "squared") return squared();
  if (text == "huber-svm") return huber_svm();
  constexpr std::string_view kPrefix = "huber-svm:";
  if (text.starts_with(kPrefix)) {
    const std::string_view number = text.substr(kPrefix.size());
    double smoothing = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), smoothing);
    if (error == std::errc() && end == number.data() + number.size()) return huber_svm(smoothing);
  }
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("unknown loss '{}'; choose logistic, squared, huber-svm or huber-svm:WIDTH", text)};
}

std::string Loss::describe() const {
  switch (kind_) {
    case LossKind::kLogistic: return "logistic";
    case LossKind::kSquared: return "squared";
    case LossKind::kHuberSvm: break;
  }
  // The shortest text that parse() turns into the same double again.
  return fmt::format("huber-svm:{}", smoothing_);
}

double Loss::value(double t) const {
  switch (kind_) {
    case LossKind::kLogistic: return logistic_value(t);
    case LossKind::kSquared: return (t - 1) * (t - 1) / 2;
    case LossKind::kHuberSvm: break;
  }
  return smoothing_ * huber_value((1 - t) / smoothing_);
}

double Loss::slope(double t) const {
  switch (kind_) {
    case LossKind::kLogistic: return -sigmoid(-t);
    case LossKind::kSquared: return t - 1;
    case LossKind::kHuberSvm: break;
  }
  return -huber_slope((1 - t) / smoothing_);
}

double Loss::curvature(double t) const {
  switch (kind_) {
    // Not p (1 - p): 1 - p would lose all digits for large t.
    case LossKind::kLogistic: return sigmoid(t) * sigmoid(-t);
    case LossKind::kSquared: return 1;
    case LossKind::kHuberSvm: break;
  }
  return huber_curvature((1 - t) / smoothing_) / smoothing_;
}

void Loss::derivatives(std::span<const double> margins, std::span<double> slopes, std::span<double> curvatures) const {
  // The logistic loss is computed for several margins at a time.  Even so it takes a fifth of an evaluation
  // (docs/performance.md, "Removals").
  if (kind_ == LossKind::kLogistic) return logistic_derivatives(margins, slopes, curvatures);
  for (std::size_t i = 0; i < margins.size(); ++i) {
    slopes[i] = slope(margins[i]);
    curvatures[i] = curvature(margins[i]);
  }
}

void Loss::derivatives(const Matrix& margins, Matrix& slopes, Matrix& curvatures) const {
  slopes.resize(margins.rows(), margins.cols());
  curvatures.resize(margins.rows(), margins.cols());
  const auto count = static_cast<std::size_t>(margins.size());
  derivatives(std::span(margins.data(), count), std::span(slopes.data(), count), std::span(curvatures.data(), count));
}

double Loss::change(double t, double step) const {
  switch (kind_) {
    case LossKind::kLogistic: return logistic_change(t, step);
    // Multiplied out: the difference of two squares would cancel.
    case LossKind::kSquared: return step * ((t - 1) + step / 2);
    case LossKind::kHuberSvm: break;
  }
  return smoothing_ * huber_change((1 - t) / smoothing_, -step / smoothing_);
}

double Loss::slope_bound() const noexcept {
  return kind_ == LossKind::kSquared ? std::numeric_limits<double>::infinity() : 1;
}

double Loss::curvature_bound() const noexcept {
  switch (kind_) {
    case LossKind::kLogistic: return 0.25;
    case LossKind::kSquared: return 1;
    case LossKind::kHuberSvm: break;
  }
  // Rounded up: 1 / h as computed may be below 1 / h.
  return 1 / smoothing_ * (1 + 1e-15);
}

double Loss::curvature_lipschitz() const noexcept {
  switch (kind_) {
    case LossKind::kLogistic:
      // The largest |p (1 - p) (1 - 2p)| over p in [0, 1] is at p = (1 - 1/sqrt 3)/2 (docs/theory.md, "Losses").  It is
      // 1/(6 sqrt 3), 0.096225044864937627 to 17 digits.  The number below is rounded up.
      return 0.0962250448649377;
    case LossKind::kSquared: return 0;
    case LossKind::kHuberSvm: break;
  }
  return 1 / (smoothing_ * smoothing_) * (1 + 1e-15);
}

double Loss::curvature_log_lipschitz() const noexcept {
  switch (kind_) {
    // l''' = l'' (1 - 2p) with p in [0, 1].
    case LossKind::kLogistic: return 1;
    case LossKind::kSquared: return 0;
    case LossKind::kHuberSvm: break;
  }
  return std::numeric_limits<double>::infinity();
}

double Loss::published_curvature_lipschitz() const noexcept {
  return kind_ == LossKind::kLogistic ? 0.25 : curvature_lipschitz();
}

}  // namespace unscatter
