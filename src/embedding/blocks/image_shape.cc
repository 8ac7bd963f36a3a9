#include "embedding/blocks/image_shape.h"

#include <algorithm>
#include <cmath>

#include "base/wipe.h"
#include "embedding/blocks/exp_minus.h"

namespace unscatter {
namespace {

// No window is divided by 0, however far the nodes are.
constexpr double kLonelyWindow = 1e-6;
// 1, r, c, r^2, r c, c^2
constexpr std::size_t kMoments = 6;

Eigen::Index at(std::size_t i) { return static_cast<Eigen::Index>(i); }

// Memory as a matrix.  It only grows, so that nothing is allocated after some graphs.
Eigen::Map<RowMatrix> matrix_in(std::vector<double>& memory, std::size_t rows, std::size_t columns) {
  if (memory.size() < rows * columns) memory.resize(rows * columns);
  return {memory.data(), at(rows), at(columns)};
}

}  // namespace

ImageShape::~ImageShape() {
  for (std::vector<double>* numbers : {&rows_, &columns_, &values_, &near_rows_, &near_columns_}) wipe(*numbers);
  for (Wavelets& wavelets : kept_) {
    wipe(wavelets.gradients);
    wipe(wavelets.bends);
  }
  for (std::vector<double>* matrix : {&weights_, &moments_, &sums_, &windows_, &pooled_}) wipe(*matrix);
}

void ImageShape::look_at(const Graph& graph) {
  if (!graph.has_positions()) {
    forget();
    return;
  }
  look_at(graph, [&](NodeIndex i) { return std::array{graph.position(i)[0], graph.position(i)[1]}; });
}

void ImageShape::forget() {
  count_ = 0;
  kept_count_ = 0;
  rows_.clear();
  columns_.clear();
  values_.clear();
}

void ImageShape::add(std::span<const double> attributes, std::array<double, 2> place) {
  const auto cut = [](double value) { return std::clamp(value, 0.0, 1.0); };
  ++count_;
  rows_.push_back(cut(place[0]));
  columns_.push_back(cut(place[1]));
  const double red = cut(attributes[0]);
  if (channels_ == 1) {
    values_.push_back(red);
    return;
  }
  const double green = cut(attributes[1]);
  const double blue = cut(attributes[2]);
  values_.push_back((red + green + blue) / 3);
  values_.push_back(red - blue);
  values_.push_back(green - (red + blue) / 2);
}

Eigen::Map<const RowMatrix> ImageShape::values() const { return {values_.data(), at(count_), at(channels_)}; }

// Not divided by their sums.
void ImageShape::fill_weights(double scale) {
  (void)matrix_in(weights_, count_, count_);
  const double factor = 1 / (2 * scale * scale);
  const double* const rows = rows_.data();
  const double* const columns = columns_.data();
  // One triangle, and its mirror.
  for (std::size_t i = 0; i < count_; ++i) {
    double* const row = weights_.data() + i * count_;
    const double r = rows[i];
    const double c = columns[i];
    for (std::size_t j = 0; j < i; ++j) {
      const double down = rows[j] - r;
      const double right = columns[j] - c;
      row[j] = (down * down + right * right) * factor;
    }
    exp_minus(row, i);
    row[i] = 1;
    for (std::size_t j = 0; j < i; ++j) weights_[j * count_ + i] = row[j];
  }
}

// All moments come from one product of the weights with r^a c^b x, in coordinates of the whole image.  Moments around
// p_i follow from them: sum w (r_j - r_i) x = sum w r_j x - r_i sum w x, and so on.
const ImageShape::Wavelets& ImageShape::wavelets(double scale) {
  for (std::size_t k = 0; k < kept_count_; ++k) {
    if (kept_[k].scale == scale) return kept_[k];
  }
  // The oldest one goes if there are too many.  It is computed again where a part asks for it.
  if (kept_count_ == kKept) {
    std::rotate(kept_.begin(), kept_.begin() + 1, kept_.end());
    --kept_count_;
  }
  Wavelets& made = kept_[kept_count_++];
  made.scale = scale;
  const std::size_t n = count_;
  const std::size_t signals = channels_ + 1;  // the first one is constant
  fill_weights(scale);
  const Eigen::Map<RowMatrix> moments = matrix_in(moments_, n, kMoments * signals);
  for (std::size_t i = 0; i < n; ++i) {
    const double r = rows_[i];
    const double c = columns_[i];
    const std::array<double, kMoments> powers = {1, r, c, r * r, r * c, c * c};
    double* const row = moments_.data() + i * kMoments * signals;
    for (std::size_t s = 0; s < signals; ++s) {
      const double x = s == 0 ? 1.0 : values_[i * channels_ + s - 1];
      for (std::size_t m = 0; m < kMoments; ++m) row[s * kMoments + m] = powers[m] * x;
    }
  }
  matrix_in(sums_, n, kMoments * signals).noalias() = matrix_in(weights_, n, n) * moments;
  made.gradients.resize(n * channels_ * 2);
  made.bends.resize(n * channels_ * 3);
  struct Around {
    double mean, r, c, rr, rc, cc;
  };
  for (std::size_t i = 0; i < n; ++i) {
    const double* const row = sums_.data() + i * kMoments * signals;
    const double r = rows_[i];
    const double c = columns_[i];
    const double weight = row[0];  // at least 1: a node is near itself
    const auto around = [&](std::size_t s) {
      const double* const v = row + s * kMoments;
      const double first = 1 / (weight * scale);
      const double second = first / scale;
      return Around{v[0] / weight,
                    (v[1] - r * v[0]) * first,
                    (v[2] - c * v[0]) * first,
                    (v[3] - 2 * r * v[1] + r * r * v[0]) * second,
                    (v[4] - r * v[2] - c * v[1] + r * c * v[0]) * second,
                    (v[5] - 2 * c * v[2] + c * c * v[0]) * second};
    };
    const Around one = around(0);
    for (std::size_t channel = 0; channel < channels_; ++channel) {
      const Around x = around(channel + 1);
      double* const gradient = made.gradients.data() + (i * channels_ + channel) * 2;
      double* const bend = made.bends.data() + (i * channels_ + channel) * 3;
      gradient[0] = x.r - one.r * x.mean;
      gradient[1] = x.c - one.c * x.mean;
      bend[0] = x.rr - one.rr * x.mean;
      bend[1] = x.rc - one.rc * x.mean;
      bend[2] = x.cc - one.cc * x.mean;
    }
  }
  return made;
}

void ImageShape::gradients_of(std::span<const double> maps, std::size_t columns, double scale,
                              std::span<double> gradients) {
  const std::size_t n = count_;
  fill_weights(scale);
  // 1, r and c, then the same of every map.
  const Eigen::Map<RowMatrix> moments = matrix_in(moments_, n, 3 * (columns + 1));
  for (std::size_t i = 0; i < n; ++i) {
    double* const row = moments_.data() + i * 3 * (columns + 1);
    for (std::size_t s = 0; s <= columns; ++s) {
      const double x = s == 0 ? 1.0 : maps[i * columns + s - 1];
      row[s * 3] = x;
      row[s * 3 + 1] = rows_[i] * x;
      row[s * 3 + 2] = columns_[i] * x;
    }
  }
  matrix_in(sums_, n, 3 * (columns + 1)).noalias() = matrix_in(weights_, n, n) * moments;
  for (std::size_t i = 0; i < n; ++i) {
    const double* const row = sums_.data() + i * 3 * (columns + 1);
    const double first = 1 / (row[0] * scale);
    const double r = (row[1] - rows_[i] * row[0]) * first;
    const double c = (row[2] - columns_[i] * row[0]) * first;
    for (std::size_t s = 1; s <= columns; ++s) {
      const double* const v = row + s * 3;
      const double mean = v[0] / row[0];
      double* const gradient = gradients.data() + (i * columns + s - 1) * 2;
      gradient[0] = (v[1] - rows_[i] * v[0]) * first - r * mean;
      gradient[1] = (v[2] - columns_[i] * v[0]) * first - c * mean;
    }
  }
}

void ImageShape::pool(std::span<const double> maps, std::size_t columns, std::size_t side, double width,
                      std::span<double> means) {
  const std::size_t n = count_;
  const double sides = static_cast<double>(side) / width;
  const double factor = sides * sides / 2;
  // exp(-(a^2 + b^2)) = exp(-a^2) exp(-b^2): few exponentials.
  const auto near = [&](std::span<const double> coordinates, std::vector<double>& all) {
    all.resize(n * side);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t a = 0; a < side; ++a) {
        const double apart = coordinates[i] - (static_cast<double>(a) + 0.5) / static_cast<double>(side);
        all[i * side + a] = apart * apart * factor;
      }
    }
    exp_minus(all.data(), all.size());
  };
  near(rows_, near_rows_);
  near(columns_, near_columns_);
  const Eigen::Map<RowMatrix> windows = matrix_in(windows_, n, side * side);
  for (std::size_t i = 0; i < n; ++i) {
    double* const row = windows_.data() + i * side * side;
    for (std::size_t a = 0; a < side; ++a) {
      for (std::size_t b = 0; b < side; ++b) row[a * side + b] = near_rows_[i * side + a] * near_columns_[i * side + b];
    }
  }
  matrix_in(pooled_, columns, side * side).noalias() =
      Eigen::Map<const RowMatrix>(maps.data(), at(n), at(columns)).transpose() * windows;
  near_rows_.assign(side * side, kLonelyWindow);  // now the weights of the windows
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t window = 0; window < side * side; ++window) {
      near_rows_[window] += windows_[i * side * side + window];
    }
  }
  for (std::size_t map = 0; map < columns; ++map) {
    for (std::size_t window = 0; window < side * side; ++window) {
      means[map * side * side + window] = pooled_[map * side * side + window] / near_rows_[window];
    }
  }
}

}  // namespace unscatter
