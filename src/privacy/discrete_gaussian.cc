#include "privacy/discrete_gaussian.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "privacy/random_bits.h"

namespace unscatter {
namespace {

// These limits keep every product in accepts() below 2^121.
constexpr std::uint64_t kLargestDenominator = std::uint64_t{1} << 20;
constexpr std::uint64_t kLargestScale = std::uint64_t{1} << 40;

}  // namespace

// s = numerator / denominator.  Candidates come from a Laplace distribution of scale t = floor(s) + 1.  This t is near
// s, which keeps rejections few, and above s, which accepts() needs.
struct DiscreteGaussian::State {
  State(std::uint64_t scale_numerator, std::uint64_t scale_denominator, RandomSource& source)
      : numerator(scale_numerator),
        denominator(scale_denominator),
        laplace_scale(scale_numerator / scale_denominator + 1),
        bits(source) {}

  std::uint64_t numerator;
  std::uint64_t denominator;
  std::uint64_t laplace_scale;
  RandomBits bits;

  // One attempt at Y with probability proportional to exp(-|y| / t) [Canonne20, Alg. 2].  Empty if the attempt is
  // rejected.
  //
  // |y| = low + t high.  `low` is uniform below t and accepted with probability exp(-low / t); `high` counts coins of
  // probability exp(-1).
  std::optional<std::int64_t> laplace_attempt() {
    const std::uint64_t low = bits.below(laplace_scale);
    if (!bits.exponential_coin(low, laplace_scale)) return std::nullopt;
    std::uint64_t high = 0;
    while (bits.exponential_coin(1, 1)) {
      ++high;
      invariant(high < 1000, "the random source is stuck");  // probability exp(-1000)
    }
    const auto magnitude = static_cast<std::int64_t>(low + laplace_scale * high);
    const bool negative = bits.next();
    if (negative && magnitude == 0) return std::nullopt;  // zero would count twice otherwise
    return negative ? -magnitude : magnitude;
  }

  // True with probability exp(-(|y| - s^2/t)^2 / (2 s^2)) [Canonne20, Alg. 3].  Together with the Laplace candidate the
  // probability becomes exp(-y^2 / (2 s^2)) times a constant.  With s = p/q, the root of twice the exponent is
  //
  //   x = |y|/s - s/t = |y| q / p - p / (q t) = whole + (rest q t - p^2) / (p q t),    |y| q = whole p + rest.
  //
  // p <= 2^60, q t <= 2^60 + 2^20, rest < p and |y| q < 2^71.  So all products are below 2^121.
  bool accepts(std::int64_t y) {
    const Uint128 p = numerator;
    const Uint128 qt = Uint128{denominator} * laplace_scale;
    const Uint128 scaled = Uint128{static_cast<std::uint64_t>(y < 0 ? -y : y)} * denominator;
    Uint128 whole = scaled / p;
    const Uint128 plus = (scaled % p) * qt;
    const Uint128 minus = p * p;
    const Uint128 unit = p * qt;
    if (plus >= minus) return bits.gaussian_coin(whole, plus - minus, unit);
    // The fraction is negative, and above -1 since t > s.  If x itself is negative, its magnitude is taken; the coin
    // depends on x^2 only.  Otherwise one is borrowed from the whole part.
    if (whole == 0) return bits.gaussian_coin(0, minus - plus, unit);
    return bits.gaussian_coin(whole - 1, unit - (minus - plus), unit);
  }
};

DiscreteGaussian::DiscreteGaussian(std::unique_ptr<State> state) : state_(std::move(state)) {}
DiscreteGaussian::~DiscreteGaussian() = default;
DiscreteGaussian::DiscreteGaussian(DiscreteGaussian&&) noexcept = default;
DiscreteGaussian& DiscreteGaussian::operator=(DiscreteGaussian&&) noexcept = default;

Result<DiscreteGaussian> DiscreteGaussian::create(std::uint64_t numerator, std::uint64_t denominator,
                                                  RandomSource& source) {
  if (denominator < 1 || denominator > kLargestDenominator) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("the denominator of a noise scale is 1 to {}, not {}", kLargestDenominator, denominator)};
  }
  if (numerator < 1 || numerator > kLargestScale * denominator) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("a noise scale is positive and at most {}, not {}/{}",
                                                          kLargestScale, numerator, denominator)};
  }
  return DiscreteGaussian(std::make_unique<State>(numerator, denominator, source));
}

std::int64_t DiscreteGaussian::sample() {
  // An attempt succeeds with probability above 1/4 at every scale.  A fair source fails 4000 times in a row with
  // probability below 2^-1600.
  for (int attempt = 0; attempt < 4000; ++attempt) {
    const std::optional<std::int64_t> candidate = state_->laplace_attempt();
    if (candidate && state_->accepts(*candidate)) return *candidate;
  }
  throw InvariantViolation("the random source is stuck");
}

void DiscreteGaussian::sample(std::span<std::int64_t> out) {
  for (std::int64_t& value : out) value = sample();
}

}  // namespace unscatter
