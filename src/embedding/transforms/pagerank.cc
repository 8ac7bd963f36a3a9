#include "embedding/transforms/pagerank.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "embedding/transforms/moment_transform.h"

namespace unscatter {
namespace {

Status check(const PageRankOptions& options) {
  // Written as !(a >= b), so that NaN fails too.
  if (!(options.damping >= 0 && options.damping < 1)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("PageRank damping {}; it must lie in [0, 1)", options.damping)};
  }
  if (!(options.tolerance > 0)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("PageRank tolerance {}; it must be positive", options.tolerance)};
  }
  if (options.moments == 0) return Error{ErrorCode::kInvalidArgument, "a PageRank embedding needs at least one moment"};
  return ok_status();
}

// next = (1 - a)/g 1 + a M p
void step(const Graph& graph, const Vector& out_degree, double damping, const Vector& p, Vector& share, Vector& next) {
  // A node without outgoing edges jumps anywhere.  Its rank is collected once and spread over all nodes, so that M is
  // never a dense matrix.
  double dangling = 0;
  for (Eigen::Index j = 0; j < p.size(); ++j) {
    share(j) = out_degree(j) > 0 ? p(j) / out_degree(j) : 0.0;
    if (out_degree(j) == 0) dangling += p(j);
  }
  const double everywhere = ((1 - damping) + damping * dangling) / static_cast<double>(p.size());
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    double sum = 0;
    for (const NodeIndex j : graph.neighbours(static_cast<std::size_t>(i))) sum += share(j);
    next(i) = everywhere + damping * sum;
  }
}

class PageRank final : public MomentTransform {
 public:
  explicit PageRank(const PageRankOptions& options) : MomentTransform(options.moments), options_(options) {}

  [[nodiscard]] std::string name() const override { return "PageRank"; }

 private:
  [[nodiscard]] Result<Weighted> weigh(const Graph& graph, const Signals&) const override {
    UNSCATTER_TRY(p, pagerank(graph, options_));
    return Weighted{std::move(p), std::nullopt};
  }

  PageRankOptions options_;
};

}  // namespace

Result<Vector> pagerank(const Graph& graph, const PageRankOptions& options) {
  UNSCATTER_CHECK_OK(check(options));
  const auto n = static_cast<Eigen::Index>(graph.node_count());
  // Row i lists the nodes that point at i.  So the out-degree of j is the number of rows that list j.
  Vector out_degree = Vector::Zero(n);
  for (const NodeIndex j : graph.entries()) out_degree(j) += 1;

  Vector p = Vector::Constant(n, 1.0 / static_cast<double>(n));
  Vector next(n);
  Vector share(n);
  double change = 0;
  for (std::size_t iteration = 0; iteration < options.max_iterations; ++iteration) {
    step(graph, out_degree, options.damping, p, share, next);
    change = (next - p).lpNorm<1>();
    std::swap(p, next);
    // The columns of M sum to 1, so a step contracts by a in the 1-norm: |p - exact| <= a/(1 - a) |last change|.
    // Dividing by the sum takes away what roundings have added to it.
    if (change * options.damping / (1 - options.damping) <= options.tolerance) return Vector(p / p.sum());
  }
  return Error{ErrorCode::kNotConverged, fmt::format("PageRank with damping {} still changes by {} after {} iterations",
                                                     options.damping, change, options.max_iterations)};
}

Result<std::unique_ptr<Transform>> make_pagerank(const PageRankOptions& options) {
  UNSCATTER_CHECK_OK(check(options));
  return std::unique_ptr<Transform>(std::make_unique<PageRank>(options));
}

}  // namespace unscatter
