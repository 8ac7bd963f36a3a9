#include "embedding/transforms/window_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <vector>

#include "unscatter/base/invariant.h"
#include "unscatter/base/random.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {
namespace {

// Added to the weight of a window.  A window that no node is near then has a mean near 0 and not one by chance.
constexpr double kEmptyWindow = 0.05;
// Which frequencies.  Part of the transform: another number gives another one.
constexpr std::uint64_t kFrequencySeed = 20070101;

Status check_windows(const WindowOptions& options) {
  const auto wrong = [](std::string_view what) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("transform windows: {}", what)};
  };
  if (options.side < 1 || options.side > 64) return wrong("windows per side must be 1 to 64");
  if (options.features < 2 || options.features > 65536 || options.features % 2 != 0) {
    return wrong("random features must be an even number from 2 to 65536");
  }
  if (!(options.sharpness > 0) || !std::isfinite(options.sharpness)) return wrong("the sharpness must be positive");
  return ok_status();
}

// The weight of the centre `next` (0 or 1) places after floor(place).
double bilinear(double place, std::size_t next) {
  const double behind = place - std::floor(place);
  return next == 0 ? 1 - behind : behind;
}

class WindowFeatures final : public Transform {
 public:
  explicit WindowFeatures(const WindowOptions& options) : options_(options) {}

  [[nodiscard]] std::string name() const override {
    return fmt::format("{0} x {0} windows, {1} random features of sharpness {2}", options_.side, options_.features,
                       options_.sharpness);
  }
  [[nodiscard]] std::size_t width(std::size_t) const noexcept override { return options_.features; }
  [[nodiscard]] std::unique_ptr<Scratch> make_scratch() const override { return std::make_unique<Scratch>(); }

  [[nodiscard]] Status embed(const Graph& graph, const NodeSignals& signals, std::size_t channels, Scratch&,
                             BlockRow& row) const override {
    invariant(signals.nodes == graph.node_count(), "signals have a row per node");
    if (!graph.has_positions()) {
      return Error{ErrorCode::kUnsupported, "transform windows: the graph has no positions"};
    }
    const Vector v = window_means(graph, signals, channels);
    const Vector phases = frequencies(channels).transpose() * v;
    row.clear();
    double* z = row.append(0, options_.features);
    const auto half = static_cast<Eigen::Index>(options_.features / 2);
    const double scale = 1 / std::sqrt(static_cast<double>(half));
    for (Eigen::Index j = 0; j < half; ++j) {
      z[j] = scale * std::cos(phases(j));
      z[half + j] = scale * std::sin(phases(j));
    }
    return ok_status();
  }

 private:
  [[nodiscard]] std::size_t windows() const { return options_.side * options_.side; }

  [[nodiscard]] Vector window_means(const Graph& graph, const NodeSignals& signals, std::size_t channels) const {
    const std::size_t side = options_.side;
    std::vector<double> weight(windows(), 0.0);
    Vector sums = Vector::Zero(static_cast<Eigen::Index>(channels * windows()));
    for (std::size_t i = 0; i < graph.node_count(); ++i) {
      // A node without features has no signal, so it must not thin out the means of its windows either.
      if (!graph.has_features(i)) continue;
      const auto place = [side](double coordinate) {
        return std::clamp(coordinate * static_cast<double>(side) - 0.5, 0.0, static_cast<double>(side - 1));
      };
      const double row = place(graph.position(i)[0]);
      const double column = place(graph.position(i)[1]);
      for (const std::size_t down : {0u, 1u}) {
        for (const std::size_t right : {0u, 1u}) {
          const std::size_t r = std::min(static_cast<std::size_t>(row) + down, side - 1);
          const std::size_t c = std::min(static_cast<std::size_t>(column) + right, side - 1);
          const double share = bilinear(row, down) * bilinear(column, right);
          weight[r * side + c] += share;
          for (std::size_t k = 0; k < signals.width(); ++k) {
            sums(static_cast<Eigen::Index>(signals.channels[k] * windows() + r * side + c)) +=
                share * signals.node(i)[k];
          }
        }
      }
    }
    for (std::size_t place = 0; place < static_cast<std::size_t>(sums.size()); ++place) {
      sums(static_cast<Eigen::Index>(place)) /= weight[place % windows()] + kEmptyWindow;
    }
    return sums;
  }

  // One column per frequency.  Drawn once per number of channels.
  [[nodiscard]] const Matrix& frequencies(std::size_t channels) const {
    const std::scoped_lock lock(mutex_);
    // Entries of a map stay where they are, so others may read one while another one is made.
    const auto [entry, is_new] = frequencies_.try_emplace(channels);
    Matrix& drawn = entry->second;
    if (!is_new) return drawn;
    drawn.resize(static_cast<Eigen::Index>(channels * windows()), static_cast<Eigen::Index>(options_.features / 2));
    Sequence random(kFrequencySeed);
    for (Eigen::Index i = 0; i < drawn.size(); ++i) {
      // Box and Muller; 1 - unit() is in (0, 1].
      const double radius = std::sqrt(-2 * std::log(1 - random.unit()));
      drawn.data()[i] = options_.sharpness * radius * std::cos(2 * std::numbers::pi * random.unit());
    }
    return drawn;
  }

  WindowOptions options_;
  mutable std::mutex mutex_;
  mutable std::map<std::size_t, Matrix> frequencies_;  // by number of channels
};

}  // namespace

Result<std::unique_ptr<Transform>> make_window_features(const WindowOptions& options) {
  UNSCATTER_CHECK_OK(check_windows(options));
  return std::unique_ptr<Transform>(std::make_unique<WindowFeatures>(options));
}

}  // namespace unscatter
