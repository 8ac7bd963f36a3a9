#include "unscatter/unlearn/session_options.h"

#include <fmt/format.h>

#include <cmath>
#include <initializer_list>

namespace unscatter {
namespace {

Status require(bool condition, std::string_view what) {
  if (condition) return ok_status();
  return Error{ErrorCode::kInvalidArgument, std::string(what)};
}

template <typename Value>
Result<Value> find_named(std::initializer_list<Value> values, std::string_view text, std::string_view what) {
  for (const Value value : values) {
    if (name(value) == text) return value;
  }
  return Error{ErrorCode::kInvalidArgument, fmt::format("unknown {} '{}'", what, text)};
}

}  // namespace

std::string_view name(Method method) {
  switch (method) {
    case Method::kUnlearn: return "unlearn";
    case Method::kWholeGraph: return "whole-graph";
    case Method::kRetrain: return "retrain";
  }
  return "?";
}

std::string_view name(NodeRemoval removal) { return removal == NodeRemoval::kCompact ? "compact" : "tombstone"; }

Result<Method> parse_method(std::string_view text) {
  return find_named({Method::kUnlearn, Method::kWholeGraph, Method::kRetrain}, text, "method");
}

Result<NodeRemoval> parse_node_removal(std::string_view text) {
  return find_named({NodeRemoval::kCompact, NodeRemoval::kTombstone}, text, "kind of removal");
}

SessionOptions paper_options(double regularisation, std::size_t layers) {
  SessionOptions options;
  options.regularisation = regularisation;
  options.mechanism = Mechanism::kObjective;
  options.noise_stddev = 0.1;
  options.bound = ResidualBound::kData;
  options.rule = BudgetRule::kPaper;
  options.row_norm = std::sqrt(static_cast<double>(layers));
  options.retrain_when_exceeded = true;
  options.fast_rung = false;
  options.removal = NodeRemoval::kTombstone;
  return options;
}

std::size_t covered_releases(const SessionOptions& options) {
  return options.mechanism == Mechanism::kRelease ? options.releases : 1;
}

Status check_options(const SessionOptions& options) {
  UNSCATTER_CHECK_OK(check_guarantee(options.guarantee));
  const double lambda = options.regularisation;
  UNSCATTER_CHECK_OK(
      require(lambda > 0 && std::isfinite(lambda),
              fmt::format("lambda = {}: a certificate needs lambda > 0, since it rests on strong convexity; "
                          "train() works without, and promises nothing",
                          lambda)));
  UNSCATTER_CHECK_OK(require(options.noise_stddev > 0 && std::isfinite(options.noise_stddev),
                             fmt::format("the noise's standard deviation {} is not positive", options.noise_stddev)));
  UNSCATTER_CHECK_OK(require(options.releases >= 1, "the guarantee must cover at least one release"));
  UNSCATTER_CHECK_OK(
      require(options.precision > 0, fmt::format("the precision {} is not positive", options.precision)));
  UNSCATTER_CHECK_OK(require(!options.row_norm || (*options.row_norm > 0 && std::isfinite(*options.row_norm)),
                             "the bound on embedding norms is not positive"));
  UNSCATTER_CHECK_OK(require(options.bound != ResidualBound::kDrift, "the drift bound belongs to the fast rung"));
  UNSCATTER_CHECK_OK(require(options.rule == BudgetRule::kJoint || options.mechanism == Mechanism::kObjective,
                             "the paper's budget rule belongs to the objective mechanism"));
  return ok_status();
}

}  // namespace unscatter
