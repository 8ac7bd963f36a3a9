// Losses of one signed margin t = s w.z, s = +1 for graphs of the class and -1 for the others.
//
//   logistic    l(t) = log(1 + e^-t)
//   squared     l(t) = (t - 1)^2 / 2, which is (w.z - s)^2 / 2 since s^2 = 1.  The Hessian is z z^T.  It does not
//               depend on w, so one Newton step is exact.  ([Pan23, Sec. 5] writes (w.z - s)^2 with the same Hessian.
//               A factor 2 is missing there.)
//   huber-svm   the hinge max(0, 1 - t).  Its corner is rounded between 1 - h and 1 + h, so that l'' is continuous:
//               l'' is the triangle of height 1/h over that interval, l' runs from -1 to 0, l is piecewise cubic.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "unscatter/base/result.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {

enum class LossKind { kLogistic, kSquared, kHuberSvm };

class Loss {
 public:
  [[nodiscard]] static Loss logistic() { return {LossKind::kLogistic, 0}; }
  [[nodiscard]] static Loss squared() { return {LossKind::kSquared, 0}; }
  // `smoothing` is h.  Errors: kInvalidArgument unless it is in [1e-6, 1e6].
  [[nodiscard]] static Result<Loss> huber_svm(double smoothing = 0.5);
  // "logistic", "squared", "huber-svm", "huber-svm:0.25".  Errors: kInvalidArgument.
  [[nodiscard]] static Result<Loss> parse(std::string_view text);
  // What parse() reads.
  [[nodiscard]] std::string describe() const;

  [[nodiscard]] LossKind kind() const noexcept { return kind_; }
  // h of huber-svm, 0 for the others.
  [[nodiscard]] double smoothing() const noexcept { return smoothing_; }

  [[nodiscard]] double value(double t) const;
  [[nodiscard]] double slope(double t) const;      // l'
  [[nodiscard]] double curvature(double t) const;  // l''
  // l' and l'' at every margin, several at a time.  They differ from the above by a few units in the last place at
  // most.
  void derivatives(std::span<const double> margins, std::span<double> slopes, std::span<double> curvatures) const;
  void derivatives(const Matrix& margins, Matrix& slopes, Matrix& curvatures) const;
  // l(t + step) - l(t) without cancellation: the relative accuracy stays near that of l' step, however small the step.
  [[nodiscard]] double change(double t, double step) const;

  // |l'| <= this: 1 for logistic and huber-svm, infinity for squared.
  [[nodiscard]] double slope_bound() const noexcept;
  // |l''| <= this, which is also the Lipschitz constant of l' (gamma_1): 1/4, 1, 1/h.
  [[nodiscard]] double curvature_bound() const noexcept;
  // The sharp Lipschitz constant of l'': 1/(6 sqrt 3) for logistic, 0 for squared, 1/h^2 for huber-svm.  Errs high.
  [[nodiscard]] double curvature_lipschitz() const noexcept;
  // kappa with |l'''| <= kappa l'' everywhere: 1 for logistic, 0 for squared.  Infinity for huber-svm, whose l'' ends
  // in corners.  Then |l''(t + h) - l''(t)| <= l''(t) (e^(kappa |h|) - 1).
  [[nodiscard]] double curvature_log_lipschitz() const noexcept;
  // The gamma_2 that [Pan23, Sec. 5] uses.  It is 1/4 for logistic, which is valid but 2.6 times looser.  For the other
  // losses it is the sharp constant.
  [[nodiscard]] double published_curvature_lipschitz() const noexcept;

  friend bool operator==(const Loss&, const Loss&) = default;

 private:
  Loss(LossKind kind, double smoothing) : kind_(kind), smoothing_(smoothing) {}

  LossKind kind_;
  double smoothing_;
};

}  // namespace unscatter
