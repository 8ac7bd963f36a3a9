#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "unscatter/embedding/spectral_kernel.h"

namespace unscatter {
namespace {

// The text comes from a command line or a file.  These limits keep a mistake from taking all memory or time.
constexpr std::size_t kMaxKernels = 32;
constexpr std::size_t kMaxPieces = 256;
constexpr std::size_t kMaxCoefficients = 64;

struct Piece {
  double from = 0;
  double to = 0;
  std::vector<double> coefficients;  // of lambda^0, lambda^1, ...

  [[nodiscard]] double at(double lambda) const {
    double sum = 0;
    // Horner's rule.
    for (std::size_t k = coefficients.size(); k > 0; --k) sum = sum * lambda + coefficients[k - 1];
    return sum;
  }
};

double evaluate(const std::vector<Piece>& pieces, double lambda) {
  // The last piece that starts at or before lambda.  Where two pieces meet, this is the later one.
  const auto after = std::upper_bound(pieces.begin(), pieces.end(), lambda,
                                      [](double value, const Piece& piece) { return value < piece.from; });
  if (after == pieces.begin()) return 0;
  const Piece& piece = *std::prev(after);
  return lambda <= piece.to ? piece.at(lambda) : 0;
}

// A bound of |p'| on a piece.  With p(m + u) = sum_k d_k u^k around the middle m, |p'| <= sum_k k |d_k| r^(k-1) for |u|
// <= r.  An expansion around 0 would lose more to cancellation.  The last factor covers the rounding of the sum.
double slope_bound(const Piece& piece) {
  const double middle = 0.5 * (piece.from + piece.to);
  const double radius = 0.5 * (piece.to - piece.from);
  std::vector<double> d = piece.coefficients;
  for (std::size_t k = 0; k + 1 < d.size(); ++k) {  // repeated synthetic division
    for (std::size_t i = d.size() - 1; i-- > k;) d[i] += middle * d[i + 1];
  }
  double bound = 0;
  double power = 1;
  for (std::size_t k = 1; k < d.size(); ++k, power *= radius) bound += static_cast<double>(k) * std::abs(d[k]) * power;
  return bound * (1 + 1e-12);
}

// Two pieces that were meant to meet may miss each other by a few roundings.
bool jumps(double left, double right) { return std::abs(left - right) > 1e-13 * (1 + std::abs(left)); }

// Empty if the kernel jumps, either between its pieces or to 0 inside [0, 2].  A kernel with a jump has no such
// constant.
std::optional<double> lipschitz_constant(const std::vector<Piece>& pieces) {
  double bound = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    bound = std::max(bound, slope_bound(piece));
    const bool joined_left = i > 0 && pieces[i - 1].to == piece.from;
    const double left = joined_left ? pieces[i - 1].at(piece.from) : 0.0;
    // A jump at the very ends of [0, 2] does not matter: no eigenvalue lies beyond.
    if (piece.from > 0 && jumps(left, piece.at(piece.from))) return std::nullopt;
    const bool joined_right = i + 1 < pieces.size() && pieces[i + 1].from == piece.to;
    if (piece.to < kSpectrumEnd && !joined_right && jumps(piece.at(piece.to), 0.0)) return std::nullopt;
  }
  return bound;
}

// Recursive descent over the grammar of the header.  Every error names the character where it was found, since users
// write these texts by hand.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<KernelBank> bank() {
    KernelBank bank{.name = "piecewise-polynomial", .kernels = {}};
    do {
      if (bank.kernels.size() == kMaxKernels) return failure(fmt::format("at most {} kernels", kMaxKernels));
      UNSCATTER_TRY(pieces, kernel());
      const std::optional<double> lipschitz = lipschitz_constant(pieces);
      bank.kernels.push_back({.name = fmt::format("piecewise polynomial {}", bank.kernels.size() + 1),
                              .value = [pieces = std::move(pieces)](double lambda) { return evaluate(pieces, lambda); },
                              .lipschitz = lipschitz});
    } while (accept('|'));
    if (!at_end()) return failure("expected a number, ',', ';' or '|'");
    return bank;
  }

 private:
  Result<std::vector<Piece>> kernel() {
    std::vector<Piece> pieces;
    do {
      if (pieces.size() == kMaxPieces) return failure(fmt::format("at most {} pieces per kernel", kMaxPieces));
      skip_blanks();
      const std::size_t start = position_;
      UNSCATTER_TRY(next, piece());
      if (!pieces.empty() && next.from < pieces.back().to) {
        // Back to the start of the piece, which is the place that the message should show.
        position_ = start;
        return failure(fmt::format("pieces must ascend; the one before ends at {}", pieces.back().to));
      }
      pieces.push_back(std::move(next));
    } while (accept(';'));
    return pieces;
  }

  Result<Piece> piece() {
    Piece piece;
    UNSCATTER_TRY(from, spectrum_point());
    if (!accept_word("..")) return failure("expected '..' between the ends of a piece");
    UNSCATTER_TRY(to, spectrum_point());
    if (!(from < to)) return failure(fmt::format("a piece from {} to {} is empty", from, to));
    if (!accept(':')) return failure("expected ':' and the coefficients of a piece");
    piece.from = from;
    piece.to = to;
    do {
      if (piece.coefficients.size() == kMaxCoefficients) {
        return failure(fmt::format("at most {} coefficients per piece", kMaxCoefficients));
      }
      UNSCATTER_TRY(coefficient, number());
      piece.coefficients.push_back(coefficient);
    } while (accept(',') || starts_number());
    return piece;
  }

  Result<double> spectrum_point() {
    skip_blanks();
    const std::size_t start = position_;
    UNSCATTER_TRY(value, number());
    if (value >= 0 && value <= kSpectrumEnd) return value;
    position_ = start;
    return failure(fmt::format("the spectrum is 0 to {}", kSpectrumEnd));
  }

  Result<double> number() {
    skip_blanks();
    // The text "0..1" must not be read as "0." and ".1".
    const std::string_view rest = text_.substr(position_);
    const std::string_view token = rest.substr(0, rest.find(".."));
    // from_chars() takes no plus sign, and people write one.
    const std::size_t sign = token.starts_with('+') ? 1 : 0;
    double value = 0;
    const auto [end, code] = std::from_chars(token.data() + sign, token.data() + token.size(), value);
    if (code != std::errc{} || !std::isfinite(value)) return failure("expected a finite number");
    position_ += static_cast<std::size_t>(end - token.data());
    return value;
  }

  [[nodiscard]] bool starts_number() {
    skip_blanks();
    if (at_end()) return false;
    const char c = text_[position_];
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.';
  }

  void skip_blanks() {
    while (!at_end() && (text_[position_] == ' ' || text_[position_] == '\t' || text_[position_] == '\n')) ++position_;
  }
  bool accept(char c) { return accept_word({&c, 1}); }
  bool accept_word(std::string_view word) {
    skip_blanks();
    if (!text_.substr(position_).starts_with(word)) return false;
    position_ += word.size();
    return true;
  }
  [[nodiscard]] bool at_end() const { return position_ == text_.size(); }

  [[nodiscard]] Error failure(const std::string& reason) const {
    const std::string found = at_end() ? "the end" : fmt::format("'{}'", text_.substr(position_, 12));
    return {ErrorCode::kInvalidArgument,
            fmt::format("kernel text, character {}, at {}: {}", position_ + 1, found, reason)};
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace

Result<KernelBank> piecewise_polynomial(std::string_view text) { return Parser(text).bank(); }

}  // namespace unscatter
