#include "reembedding/secular_equation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

using Eigen::Index;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Rational steps converge quadratically.  Over 200,000 random roots, clustered poles included, there were three to four
// on average and 17 at most.  A step that fails to halve |f| is followed by a bisection, which is geometric while the
// bracket is wide.  So even without any help from the rational steps, some 60 to 70 steps would exhaust the bracket.
constexpr int kMaxSteps = 200;

struct Bracket {
  double low;
  double high;
  [[nodiscard]] bool holds(double t) const { return low < t && t < high; }
  // Both ends have one sign.  A root close to its pole may be many orders of magnitude below the other end, and halving
  // would creep towards it.  So the geometric mean is taken where the ends are far apart.
  [[nodiscard]] double middle() const {
    const double ratio = std::abs(low) < std::abs(high) ? high / low : low / high;
    if (ratio <= 4) return low + 0.5 * (high - low);
    return std::copysign(std::sqrt(std::abs(low)) * std::sqrt(std::abs(high)), low);
  }
};

// f, split at the interval of the wanted root.  psi sums the poles on its left (terms < 0), phi those on its right
// (terms > 0).
struct Secular {
  double psi, phi;
  double psi_slope, phi_slope;
  [[nodiscard]] double value() const { return 1 + psi + phi; }
  // What rounding can make of value() [GuEisenstat94, Sec. 3.2].
  [[nodiscard]] double noise(Index terms) const {
    return kEpsilon * static_cast<double>(terms) * (1 + std::abs(psi) + std::abs(phi));
  }
};

// The root inside `bracket` of c t^2 - a t + b = 0, if there is one.  Both roots are formed without cancellation.
std::optional<double> quadratic_root(double c, double a, double b, const Bracket& bracket) {
  const double root = std::sqrt(std::max(0.0, a * a - 4 * b * c));
  const double q = 0.5 * (a + std::copysign(root, a));
  for (const double t : {b / q, q / c}) {
    if (std::isfinite(t) && bracket.holds(t)) return t;
  }
  return std::nullopt;
}

// One root, in coordinates relative to a pole ("origin"): poles delta_j = d_j - origin, unknown t = lambda - origin.
class RootFinder {
 public:
  // Poles 0..left lie left of the wanted root's interpolation split, the others right of it.
  RootFinder(const Vector& d, const Vector& w, Index origin, Index left)
      : w_(w), delta_(d.array() - d(origin)), left_(left) {}

  [[nodiscard]] const Eigen::ArrayXd& delta() const { return delta_; }

  Secular evaluate(double t) {
    gap_ = (delta_ - t).inverse();
    term_ = w_.array() * gap_;
    const Index n = term_.size();
    Secular f{};
    f.psi = term_.head(left_ + 1).sum();
    f.phi = term_.tail(n - left_ - 1).sum();
    term_ *= gap_;
    f.psi_slope = term_.head(left_ + 1).sum();
    f.phi_slope = term_.tail(n - left_ - 1).sum();
    return f;
  }

  double solve(Bracket bracket, double t) {
    if (!bracket.holds(t)) t = bracket.middle();
    double before = std::numeric_limits<double>::infinity();
    bool bisected = false;
    for (int step = 0; step < kMaxSteps; ++step) {
      const Secular f = evaluate(t);
      const double value = f.value();
      (value < 0 ? bracket.low : bracket.high) = t;  // f ascends between two poles
      const bool at_noise = std::abs(value) <= f.noise(term_.size());
      const bool slow = !bisected && std::abs(value) > 0.5 * before;
      before = std::abs(value);

      double next = t + rational_step(f, t, bracket);
      if (at_noise)
        return bracket.holds(next) ? next : t;  // the last step costs nothing and gains what is left to gain
      bisected = slow || !bracket.holds(next);
      if (bisected) next = bracket.middle();
      if (!bracket.holds(next) || next == t) return t;  // neighbours in floating point
      t = next;
    }
    return t;
  }

 private:
  // The "middle way" [Li93].  psi and phi are each replaced by a constant plus one pole, the nearest one on that side,
  // with the same value and slope.  The step solves c + s / (p - eta) + S / (q - eta) = 0, a quadratic in eta.
  [[nodiscard]] double rational_step(const Secular& f, double t, const Bracket& bracket) const {
    const double p = delta_(left_) - t;
    const double q = delta_(left_ + 1) - t;
    const double value = f.value();
    const double c = value - p * f.psi_slope - q * f.phi_slope;
    const double a = (p + q) * value - p * q * (f.psi_slope + f.phi_slope);
    const double b = p * q * value;
    const Bracket step{bracket.low - t, bracket.high - t};
    return quadratic_root(c, a, b, {std::min(step.low, 0.0), std::max(step.high, 0.0)}).value_or(0.0);
  }

  const Vector& w_;
  Eigen::ArrayXd delta_;
  Index left_;
  Eigen::ArrayXd gap_, term_;
};

// A first guess keeps the two neighbouring poles exactly and freezes the rest of f at `rest`:
//
//   rest + v / (p - t) + V / (q - t) = 0
//
// in coordinates relative to the origin.  p or q is 0 there, so nothing cancels in the constant term.
double first_guess(double rest, double p, double v, double q, double V, const Bracket& bracket) {
  const double a = rest * (p + q) + v + V;
  const double b = rest * p * q + v * q + V * p;
  return quadratic_root(rest, a, b, bracket).value_or(bracket.middle());
}

struct ShiftedRoot {
  Index origin;
  double offset;
};

// The root between d_i and d_{i+1}.  f at the midpoint tells which of the two is nearer.
ShiftedRoot inner_root(const Vector& d, const Vector& w, Index i) {
  RootFinder from_left(d, w, i, i);
  const double width = from_left.delta()(i + 1);
  const double half = 0.5 * width;
  const Secular f = from_left.evaluate(half);
  const double rest = f.value() + w(i) / half - w(i + 1) / half;
  // One end of each bracket comes from f = 0 itself.  On the left, w_i / t <= 1 + phi(t) <= 1 + phi(half).  On the
  // right, w_{i+1} / |t| <= |psi(t)| <= |psi(half)|.  A factor of two covers the rounding.
  if (f.value() >= 0) {
    const Bracket bracket{0.5 * w(i) / (1 + f.phi), half * (1 + kEpsilon)};
    return {i, from_left.solve(bracket, first_guess(rest, 0, w(i), width, w(i + 1), bracket))};
  }
  RootFinder from_right(d, w, i + 1, i);
  const Bracket bracket{-half * (1 + kEpsilon), 0.5 * w(i + 1) / f.psi};
  return {i + 1, from_right.solve(bracket, first_guess(rest, -width, w(i), 0, w(i + 1), bracket))};
}

// The root beyond the last pole: sum_j w_j / (t - delta_j) = 1 puts t between w_k and sum_j w_j.
ShiftedRoot last_root(const Vector& d, const Vector& w) {
  const Index k = d.size();
  if (k == 1) return {0, w(0)};
  RootFinder finder(d, w, k - 1, k - 2);
  const Bracket bracket{w(k - 1) * (1 - kEpsilon), w.sum() * (1 + static_cast<double>(k) * kEpsilon)};
  return {k - 1, finder.solve(bracket, bracket.middle())};
}

}  // namespace

SecularRoots solve_secular_equation(const Vector& d, const Vector& w) {
  const Index k = d.size();
  invariant(w.size() == k && (w.array() > 0).all(), "a secular equation needs one positive weight per pole");
  SecularRoots roots{Vector(k), Matrix(k, k)};
  for (Index i = 0; i < k; ++i) {
    const ShiftedRoot root = i + 1 < k ? inner_root(d, w, i) : last_root(d, w);
    roots.values(i) = d(root.origin) + root.offset;
    roots.gaps.col(i) = (d.array() - d(root.origin)) - root.offset;
  }
  return roots;
}

}  // namespace unscatter
