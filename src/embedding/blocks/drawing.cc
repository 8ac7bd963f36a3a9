#include "embedding/blocks/drawing.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "base/wipe.h"
#include "embedding/blocks/hashing.h"

namespace unscatter {
namespace {

constexpr int kScalingSteps = 12;
constexpr int kStressSteps = 10;
constexpr double kApart = 1.5;           // nodes that no path joins, in units of the longest path
constexpr double kSquareRadius = 0.408;  // the root of 1/6: that of points spread over a unit square
// Added to squared distances.  Nodes with the same neighbours lie together; rounding does not tear them apart.
constexpr double kTogether = 0.1;
constexpr double kNoDistance = -1;

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// to = B from, for both columns.
void multiply(std::span<const double> B, std::span<const double> x, std::span<const double> y, std::span<double> to_x,
              std::span<double> to_y) {
  const std::size_t n = x.size();
  for (std::size_t i = 0; i < n; ++i) {
    to_x[i] = dot(B.subspan(i * n, n), x);
    to_y[i] = dot(B.subspan(i * n, n), y);
  }
}

void normalise(std::span<double> x) {
  const double norm = std::sqrt(dot(x, x));
  for (double& value : x) value = norm > 0 ? value / norm : 0;
}

void make_orthonormal(std::span<double> x, std::span<double> y) {
  normalise(x);
  const double along = dot(x, y);
  for (std::size_t i = 0; i < x.size(); ++i) y[i] -= along * x[i];
  normalise(y);
}

}  // namespace

Drawing::~Drawing() {
  for (std::vector<double>* numbers : {&distances_, &products_, &x_, &y_, &next_x_, &next_y_}) wipe(*numbers);
  wipe(queue_);
}

void Drawing::draw(GraphShape& shape) {
  count_ = shape.nodes();
  for (std::vector<double>* numbers : {&x_, &y_, &next_x_, &next_y_}) numbers->assign(count_, 0.0);
  fill_distances(shape);
  start(shape);
  scale_classically();
  relax();
  settle();
}

void Drawing::fill_distances(const GraphShape& shape) {
  const std::size_t n = count_;
  distances_.assign(n * n, kNoDistance);
  queue_.resize(n);
  double longest = 0;
  for (NodeIndex from = 0; from < n; ++from) {
    double* const row = distances_.data() + from * n;
    row[from] = 0;
    queue_[0] = from;
    std::size_t end = 1;
    for (std::size_t head = 0; head < end; ++head) {
      for (const NodeIndex j : shape.neighbours(queue_[head])) {
        if (row[j] != kNoDistance) continue;
        row[j] = row[queue_[head]] + 1;
        longest = std::max(longest, row[j]);
        queue_[end++] = j;
      }
    }
  }
  // Without any edge all nodes are equally far apart.
  const double apart = kApart * std::max(longest, 1.0);
  std::replace(distances_.begin(), distances_.end(), kNoDistance, apart);
}

// By the place of a node in the graph and not by its number: the drawing does not depend on the order of nodes.
void Drawing::start(GraphShape& shape) {
  const std::size_t n = count_;
  const std::span<std::uint64_t> colours = shape.words(0, n);
  const std::span<std::uint64_t> next = shape.words(1, n);
  for (std::size_t i = 0; i < n; ++i) colours[i] = mixed(shape.degree(i));
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t sum = 0;
      for (const NodeIndex j : shape.neighbours(i)) sum += mixed(colours[j]);
      next[i] = mixed(colours[i], sum);
    }
    std::copy(next.begin(), next.end(), colours.begin());
  }
  const auto other = [&](std::uint64_t than) {
    return std::find_if(colours.begin(), colours.end(), [&](std::uint64_t c) { return c != than; });
  };
  const auto second = other(colours[0]);
  const bool three = second != colours.end() && std::any_of(colours.begin(), colours.end(), [&](std::uint64_t c) {
                       return c != colours[0] && c != *second;
                     });
  const auto unit = [](std::uint64_t hash) { return static_cast<double>(hash) * 0x1.0p-64 - 0.5; };
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t colour = three ? colours[i] : i;
    x_[i] = unit(mixed(mixed(0, colour), 0));
    y_[i] = unit(mixed(mixed(0, colour), 1));
  }
}

void Drawing::scale_classically() {
  const std::size_t n = count_;
  products_.resize(n * n);
  std::fill(next_x_.begin(), next_x_.end(), 0.0);  // means of rows, for now
  double mean = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) next_x_[i] += distances_[i * n + j] * distances_[i * n + j];
    next_x_[i] /= static_cast<double>(n);
    mean += next_x_[i];
  }
  mean /= static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double d = distances_[i * n + j];
      products_[i * n + j] = -0.5 * (d * d - next_x_[i] - next_x_[j] + mean);
    }
  }
  make_orthonormal(x_, y_);
  for (int step = 0; step < kScalingSteps; ++step) {
    multiply(products_, x_, y_, next_x_, next_y_);
    x_.swap(next_x_);
    y_.swap(next_y_);
    make_orthonormal(x_, y_);
  }
  // The eigenvectors inside the plane that was found.
  multiply(products_, x_, y_, next_x_, next_y_);
  const double a = dot(x_, next_x_);
  const double b = dot(x_, next_y_);
  const double c = dot(y_, next_y_);
  const double angle = 0.5 * std::atan2(2 * b, a - c);
  const double cosine = std::cos(angle);
  const double sine = std::sin(angle);
  const double root = std::sqrt((a - c) * (a - c) / 4 + b * b);
  const double large = std::sqrt(std::max((a + c) / 2 + root, 1e-9));
  const double small = std::sqrt(std::max((a + c) / 2 - root, 1e-9));
  for (std::size_t i = 0; i < n; ++i) {
    const double x = x_[i];
    const double y = y_[i];
    x_[i] = large * (cosine * x + sine * y);
    y_[i] = small * (cosine * y - sine * x);
  }
}

void Drawing::relax() {
  const std::size_t n = count_;
  for (int step = 0; step < kStressSteps && n > 1; ++step) {
    for (std::size_t i = 0; i < n; ++i) {
      const double* const d = distances_.data() + i * n;
      const double x = x_[i];
      const double y = y_[i];
      double sum_x = 0;
      double sum_y = 0;
      double weights = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const double right = x - x_[j];
        const double down = y - y_[j];
        const double near = j == i ? 0 : 1 / d[j];  // w D
        const double weight = near * near;
        const double pull = near / std::sqrt(right * right + down * down + kTogether);
        sum_x += weight * x_[j] + pull * right;
        sum_y += weight * y_[j] + pull * down;
        weights += weight;
      }
      next_x_[i] = sum_x / weights;
      next_y_[i] = sum_y / weights;
    }
    x_.swap(next_x_);
    y_.swap(next_y_);
  }
}

void Drawing::settle() {
  const auto n = static_cast<double>(count_);
  double mean_x = 0;
  double mean_y = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    mean_x += x_[i] / n;
    mean_y += y_[i] / n;
  }
  double squares = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    x_[i] -= mean_x;
    y_[i] -= mean_y;
    squares += (x_[i] * x_[i] + y_[i] * y_[i]) / n;
  }
  const double radius = squares > 0 ? std::sqrt(squares) : 1;
  std::complex<double> fourth = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const std::complex<double> z(x_[i] / radius, y_[i] / radius);
    fourth += (z * z) * (z * z);
  }
  const double angle = (std::arg(fourth) - std::numbers::pi) / 4;
  const double cosine = std::cos(angle);
  const double sine = std::sin(angle);
  for (std::size_t i = 0; i < count_; ++i) {
    const double x = x_[i] / radius * kSquareRadius;
    const double y = y_[i] / radius * kSquareRadius;
    x_[i] = cosine * x + sine * y;
    y_[i] = cosine * y - sine * x;
  }
}

Drawing::Place Drawing::place(std::size_t i, std::size_t view) const {
  double x = x_[i];
  double y = y_[i];
  for (std::size_t turn = 0; turn < view % 4; ++turn) {
    const double before = x;
    x = -y;
    y = before;
  }
  if (view >= 4) std::swap(x, y);
  return {0.5 + x, 0.5 + y};
}

}  // namespace unscatter
