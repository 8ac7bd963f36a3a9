// The inequalities every certificate rests on, for random data and random sequences of requests, against the gradient
// recomputed from the graphs in extended precision.
#include <gtest/gtest.h>

#include <cmath>

#include "support/sanitized.h"
#include "unlearn/random_session.h"

namespace unscatter {
namespace {

using testing::joint;
using testing::random_batch;
using testing::random_request;
using testing::RandomData;

// The loss, the number of classes and the shape differ from case to case.
struct Case {
  RandomData data;
  SessionOptions options;
  std::size_t width = 0;
};

Case random_case(std::uint64_t seed) {
  Sequence random(1000 + seed);
  testing::RandomDataOptions shape;
  shape.classes = 2 + seed % 9;
  shape.graphs = 4 + random.below(40);
  shape.attributes = random.below(4);
  shape.scales = 1 + random.below(3);
  shape.moments = 1 + random.below(2);
  Case result{testing::random_data(seed, shape), testing::limitless_options(), 0};
  result.options.loss = seed % 4 == 1   ? Loss::squared()
                        : seed % 4 == 3 ? Loss::huber_svm(0.25 + random.unit()).value()
                                        : Loss::logistic();
  result.options.regularisation = std::pow(10.0, -4 + 4 * random.unit());
  result.options.bias = random.chance(0.3);
  result.options.removal = random.chance(0.3) ? NodeRemoval::kTombstone : NodeRemoval::kCompact;
  result.width = result.data.embedder->width();
  return result;
}

Session open(const Case& c) { return Session::create(c.data.dataset, c.data.embedder, c.options).value(); }

// Sanitizers look at the code and not at the numbers, so a quarter of the cases is enough for them.
constexpr std::size_t kCases = testing::kSanitized ? 55 : 220;

TEST(Bounds, TrueResidualThenExactThenTightThenDataThenWorst) {
  std::size_t wide = 0;
  std::size_t tall = 0;
  std::size_t updates = 0;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(seed);
    Case c = random_case(seed);
    c.options.report_all_bounds = true;
    Session session = open(c);
    (session.slots() < c.width ? wide : tall) += 1;
    Sequence random(seed);
    for (int step = 0; step < 4; ++step) {
      SCOPED_TRACE(step);
      const auto requests = step % 2 == 0 ? std::vector<RemovalRequest>{random_request(random, session, c.data.dataset)}
                                          : random_batch(random, session, c.data.dataset, 1 + random.below(5));
      if (requests.empty()) break;
      const Certificate certificate = session.forget(requests).value();
      const double residual = joint(testing::true_residuals(session, *c.data.embedder));
      EXPECT_LE(residual, *certificate.bounds.exact);
      EXPECT_LE(*certificate.bounds.exact, *certificate.bounds.tight);
      EXPECT_LE(*certificate.bounds.tight, *certificate.bounds.data);
      EXPECT_LE(*certificate.bounds.data, *certificate.bounds.worst);
      EXPECT_LE(residual, certificate.residual_upper_bound);

      // Strong convexity: the certified distance covers the way to the model trained from scratch.
      const testing::Retrained fresh = testing::retrained(session, *c.data.embedder);
      EXPECT_LE((session.weights() - fresh.weights).norm(), certificate.distance_upper_bound + fresh.distance);
      ++updates;
    }
  }
  EXPECT_GE(wide, kCases * 3 / 22);
  EXPECT_GE(tall, kCases * 3 / 22);
  EXPECT_GE(updates, kCases * 25 / 11);
}

// A binding bound that is not evaluated accumulates from update to update, and still covers the truth.
TEST(Bounds, AccumulatedBoundsCoverTheTrueResidual) {
  for (std::uint64_t seed = 300; seed < 360; ++seed) {
    SCOPED_TRACE(seed);
    Case c = random_case(seed);
    const ResidualBound choices[] = {ResidualBound::kWorst, ResidualBound::kData, ResidualBound::kTight};
    c.options.bound = choices[seed % 3];
    Session session = open(c);
    Sequence random(seed);
    double before = session.certificate().residual_upper_bound;
    for (int step = 0; step < 5 && session.graph_count() > 2; ++step) {
      const Certificate certificate = session.forget(random_request(random, session, c.data.dataset)).value();
      EXPECT_EQ(certificate.binding, c.options.bound);
      EXPECT_LE(joint(testing::true_residuals(session, *c.data.embedder)), certificate.residual_upper_bound);
      EXPECT_GE(certificate.residual_upper_bound, before);
      before = certificate.residual_upper_bound;
    }
  }
}

// The fast rung looks at no other graph, and its growing bound covers the truth all the same.
TEST(Bounds, TheFastRungsDriftCoversTheTrueResidual) {
  std::size_t fast = 0;
  for (std::uint64_t seed = 400; seed < 440; ++seed) {
    SCOPED_TRACE(seed);
    testing::RandomDataOptions shape;
    shape.graphs = 60;
    shape.classes = 2 + seed % 4;
    shape.attributes = 1;
    const RandomData data = testing::random_data(seed, shape);
    SessionOptions options = testing::limitless_options();
    options.fast_rung = true;
    options.regularisation = 1e-2;
    options.loss = seed % 3 == 0 ? Loss::squared() : seed % 3 == 1 ? Loss::logistic() : Loss::huber_svm().value();
    Session session = Session::create(data.dataset, data.embedder, options).value();
    Sequence random(seed);
    for (int step = 0; step < 12; ++step) {
      const Certificate certificate = session.forget(random_request(random, session, data.dataset)).value();
      EXPECT_EQ(certificate.rung, Rung::kFast);
      EXPECT_EQ(certificate.binding, ResidualBound::kDrift);
      EXPECT_LE(joint(testing::true_residuals(session, *data.embedder)), certificate.residual_upper_bound);
    }
    fast += session.rungs()[Rung::kFast];
  }
  EXPECT_EQ(fast, 40u * 12u);
}

// One batch and the same requests one by one end at the same optimum, within what both certificates say.
TEST(Bounds, OneBatchAndTheSequenceMeet) {
  for (std::uint64_t seed = 500; seed < 560; ++seed) {
    SCOPED_TRACE(seed);
    const Case c = random_case(seed);
    Session at_once = open(c);
    Session one_by_one = open(c);
    Sequence random(seed);
    const auto requests = random_batch(random, at_once, c.data.dataset, 6);
    ASSERT_FALSE(requests.empty());
    ASSERT_TRUE(at_once.forget(requests).ok());
    for (const RemovalRequest& request : requests) ASSERT_TRUE(one_by_one.forget(request).ok());
    EXPECT_EQ(at_once.remaining().graphs, one_by_one.remaining().graphs);
    EXPECT_LE((at_once.weights() - one_by_one.weights()).norm(),
              at_once.certificate().distance_upper_bound + one_by_one.certificate().distance_upper_bound);
  }
}

// After any sequence the kept weights are those of training from scratch: within what the certificate says by default,
// and within a stated limit where there is one.
TEST(Release, EqualsTrainingFromScratchAfterAnySequence) {
  for (std::uint64_t seed = 600; seed < 680; ++seed) {
    SCOPED_TRACE(seed);
    Case c = random_case(seed);
    SessionOptions options;
    options.classes = ConstantKind::kStated;  // no training where a class loses its last graph
    options.loss = c.options.loss;
    options.regularisation = c.options.regularisation;
    options.removal = c.options.removal;
    if (seed % 2 == 0) options.distance_limit = 1e-8;
    Session session = Session::create(c.data.dataset, c.data.embedder, options).value();
    Sequence random(seed);
    for (int step = 0; step < 6 && session.graph_count() > 2; ++step) {
      const Certificate certificate = session.forget(random_request(random, session, c.data.dataset)).value();
      EXPECT_TRUE(certificate.satisfied);
    }
    const testing::Retrained fresh = testing::retrained(session, *c.data.embedder);
    const double distance = (session.weights() - fresh.weights).norm();
    EXPECT_LE(distance, session.certificate().distance_upper_bound + fresh.distance);
    if (options.distance_limit) {
      EXPECT_LE(distance, 1e-8 * std::max(fresh.weights.norm(), 1e-2) + fresh.distance);
    }
    EXPECT_EQ(session.rungs()[Rung::kRetrain], 0u);
  }
}

// A quadratic has no Taylor remainder: one Newton step is the retrained model, up to rounding.
TEST(SquaredLoss, OneStepIsExact) {
  for (std::uint64_t seed = 700; seed < 760; ++seed) {
    SCOPED_TRACE(seed);
    Case c = random_case(seed);
    c.options.loss = Loss::squared();
    c.options.regularisation = std::max(c.options.regularisation, 1e-3);
    c.options.report_all_bounds = true;
    Session session = open(c);
    Sequence random(seed);
    for (int step = 0; step < 4 && session.graph_count() > 2; ++step) {
      const Certificate certificate = session.forget(random_request(random, session, c.data.dataset)).value();
      EXPECT_EQ(certificate.newton_steps, 1u);
      const testing::Retrained fresh = testing::retrained(session, *c.data.embedder);
      EXPECT_LE((session.weights() - fresh.weights).norm(), 1e-9 * (1 + fresh.weights.norm()));
      EXPECT_LE(*certificate.bounds.worst, 1e-9);
    }
  }
}

}  // namespace
}  // namespace unscatter
