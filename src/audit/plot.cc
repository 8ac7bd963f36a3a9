// The picture of a game, as a self-contained SVG document.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "unscatter/audit/audit.h"

namespace unscatter {
namespace {

constexpr double kWidth = 900, kHeight = 590;
constexpr double kLeft = 70, kRight = 870, kTop = 150, kBottom = 490;
// Told apart without colour vision too, and on grey paper: one is filled, the other one is a line.
constexpr const char* kReferenceColour = "#9db7d9";
constexpr const char* kTestColour = "#b8470f";
constexpr double kWidestWithCurves = 60;
constexpr const char* kInk = "#222222";

class Picture {
 public:
  explicit Picture(const GameReport& game) : game_(game), bins_(game.histogram) {
    width_ = (bins_.high - bins_.low) / static_cast<double>(std::max<std::size_t>(1, bins_.reference.size()));
    for (const std::vector<std::size_t>* counts : {&bins_.reference, &bins_.test}) {
      for (const std::size_t count : *counts) top_ = std::max(top_, density(count));
    }
    // Worlds far apart: a bin is wider than a normal curve, and there is nothing to compare it with.
    curves_ = bins_.high - bins_.low <= kWidestWithCurves;
    if (curves_) top_ = std::max(top_, 0.4);
    top_ *= 1.05;
  }

  std::string draw(double confidence) {
    svg_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
        "font-family=\"Helvetica, Arial, sans-serif\" fill=\"{2}\">\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
        kWidth, kHeight, kInk);
    words(confidence);
    bars();
    steps();
    if (curves_) {
      curve(0, kInk, "6 4");
      curve(game_.looks.front().known_shift, kTestColour, "2 4");
    }
    threshold();
    axis();
    key();
    return svg_ + "</svg>\n";
  }

 private:
  [[nodiscard]] double x(double t) const {
    return kLeft + (t - bins_.low) / (bins_.high - bins_.low) * (kRight - kLeft);
  }
  [[nodiscard]] double y(double value) const { return kBottom - value / top_ * (kBottom - kTop); }
  [[nodiscard]] double density(std::size_t count) const {
    return static_cast<double>(count) / (static_cast<double>(game_.looks.front().draws) * width_);
  }

  void text(double left, double base, double size, std::string_view content, std::string_view more = "") {
    std::string escaped;
    for (const char letter : content) {
      if (letter == '<')
        escaped += "&lt;";
      else if (letter == '>')
        escaped += "&gt;";
      else if (letter == '&')
        escaped += "&amp;";
      else
        escaped += letter;
    }
    svg_ +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" {}>{}</text>\n", left, base, size, more, escaped);
  }

  void words(double confidence) {
    text(kLeft, 34, 20, fmt::format("Can an observer tell? Game {}", name(game_.game)), "font-weight=\"bold\"");
    text(kLeft, 56, 13, game_.about);
    const std::string promise = game_.promised_shift
                                    ? fmt::format("promised: a shift of at most {:.4g}, epsilon {:.4g} at delta {:.3g}",
                                                  *game_.promised_shift, game_.guarantee.epsilon, game_.guarantee.delta)
                                    : std::string("promised: nothing about this game at the level of this session");
    text(kLeft, 84, 14, promise);
    text(kLeft, 104, 14,
         fmt::format("measured, with {:.6g} % confidence: a shift of at least {:.4g}, epsilon at least {:.4g}{}",
                     100 * confidence, game_.shift_lower_bound, game_.epsilon_lower_bound,
                     game_.exceeded ? " - ABOVE THE PROMISE" : ""),
         game_.exceeded ? fmt::format("fill=\"{}\" font-weight=\"bold\"", kTestColour) : std::string());
    const AuditLook& look = game_.looks.front();
    text(kLeft, 124, 12,
         fmt::format("{} models per world; {} and {} above the threshold", look.draws, look.above, look.reference));
  }

  // What is what, below everything.
  void key() {
    constexpr double kBase = 572;
    svg_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"18\" height=\"12\" fill=\"{}\"/>\n", kLeft, kBase - 11,
                        kReferenceColour);
    text(kLeft + 25, kBase, 12, "the world that never knew");
    stroke(kLeft + 220, kBase - 4, kTestColour, "");
    text(kLeft + 245, kBase, 12, "the other world");
    if (!curves_) return;
    stroke(kLeft + 380, kBase - 4, kInk, "6 4");
    stroke(kLeft + 405, kBase - 4, kTestColour, "2 4");
    text(kLeft + 430, kBase, 12, "what theory says: N(0, 1) and N(mu, 1)");
  }

  void stroke(double left, double height, const char* colour, const char* pattern) {
    svg_ += fmt::format(
        "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"1.6\" "
        "stroke-dasharray=\"{}\"/>\n",
        left, height, left + 18, height, colour, pattern);
  }

  void bars() {
    for (std::size_t i = 0; i < bins_.reference.size(); ++i) {
      if (bins_.reference[i] == 0) continue;
      const double left = x(bins_.low + width_ * static_cast<double>(i));
      const double top = y(density(bins_.reference[i]));
      svg_ +=
          fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n", left, top,
                      x(bins_.low + width_ * static_cast<double>(i + 1)) - left, kBottom - top, kReferenceColour);
    }
  }

  void steps() {
    std::string path = fmt::format("M{:.2f} {:.2f}", kLeft, kBottom);
    for (std::size_t i = 0; i < bins_.test.size(); ++i) {
      const double top = y(density(bins_.test[i]));
      path += fmt::format(" V{:.2f} H{:.2f}", top, x(bins_.low + width_ * static_cast<double>(i + 1)));
    }
    svg_ += fmt::format("<path d=\"{} V{:.2f}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"/>\n", path, kBottom,
                        kTestColour);
  }

  // N(mean, 1), as far as it is inside.
  void curve(double mean, const char* colour, const char* pattern) {
    std::string path;
    for (double t = std::max(bins_.low, mean - 5); t <= std::min(bins_.high, mean + 5); t += 0.05) {
      const double value = std::exp(-(t - mean) * (t - mean) / 2) / std::sqrt(2 * std::numbers::pi);
      path += fmt::format("{}{:.2f} {:.2f}", path.empty() ? "M" : " L", x(t), y(std::min(value, top_)));
    }
    if (path.empty()) return;
    svg_ +=
        fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-dasharray=\"{}\"/>\n", path, colour, pattern);
  }

  void threshold() {
    const double place = x(std::clamp(game_.looks.front().threshold, bins_.low, bins_.high));
    svg_ += fmt::format("<line x1=\"{0:.2f}\" y1=\"{1}\" x2=\"{0:.2f}\" y2=\"{2}\" stroke=\"{3}\"/>\n", place, kTop - 8,
                        kBottom, kInk);
    text(place + 4, kTop, 12, "threshold");
  }

  void axis() {
    svg_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\"/>\n", kLeft, kBottom, kRight,
                        kBottom, kInk);
    // The smallest of 1, 2, 5, 10, ... that leaves at most sixteen marks.
    double step = 1;
    for (int i = 0; (bins_.high - bins_.low) / step > 16; ++i) step *= i % 3 == 1 ? 2.5 : 2;
    for (double mark = std::ceil(bins_.low / step) * step; mark <= bins_.high; mark += step) {
      svg_ += fmt::format("<line x1=\"{0:.2f}\" y1=\"{1}\" x2=\"{0:.2f}\" y2=\"{2}\" stroke=\"{3}\"/>\n", x(mark),
                          kBottom, kBottom + 5, kInk);
      text(x(mark), kBottom + 20, 12, fmt::format("{:g}", mark + 0.0), "text-anchor=\"middle\"");
    }
    text((kLeft + kRight) / 2, kBottom + 44, 13,
         fmt::format("t of a published model ({}), in units of the noise", game_.looks.front().name),
         "text-anchor=\"middle\"");
  }

  const GameReport& game_;
  const AuditHistogram& bins_;
  double width_ = 0;    // of a bin
  double top_ = 1e-9;   // of the vertical axis
  bool curves_ = true;  // draw what theory says
  std::string svg_;
};

}  // namespace

std::string draw_game(const GameReport& game, double confidence) { return Picture(game).draw(confidence); }

}  // namespace unscatter
