#include "audit/faults.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "audit/world.h"
#include "unlearn/random_session.h"

namespace unscatter {
namespace {

using testing::random_data;
using testing::RandomData;

TEST(AuditFaults, OfTheNoiseDoWhatTheySay) {
  const Matrix kept = Matrix::Constant(20, 3, 0.3);
  const Matrix noise = Matrix::Random(20, 3);
  std::map<std::string, Matrix> shown;
  for (const PlantedFault& fault : noise_faults(0x1p-40)) {
    Matrix published = kept + noise;
    fault.publish(kept, published);
    shown[fault.name] = published;
    if (fault.name != "seeded-noise") continue;
    // Whatever is drawn later.
    Matrix later = kept + Matrix::Random(20, 3);
    fault.publish(kept, later);
    EXPECT_EQ(later, published);
  }
  ASSERT_EQ(shown.size(), 5u);
  EXPECT_NEAR((shown["noise-halved"] - kept - noise / 2).norm(), 0, 1e-14);
  EXPECT_LT((shown["silent-class"].col(0) - kept.col(0)).norm(), 1e-11);
  EXPECT_EQ(shown["silent-class"].rightCols(2), (kept + noise).rightCols(2));
  EXPECT_LT((shown["silent-coordinates"].bottomRows(2) - kept.bottomRows(2)).norm(), 1e-11);
  EXPECT_EQ(shown["silent-coordinates"].topRows(18), (kept + noise).topRows(18));
  EXPECT_NE(shown["rounded-weights"], kept + noise);
  EXPECT_LT((shown["rounded-weights"] - kept - noise).norm(), 1e-6);
  // Without a grid there is nothing that rounding could be noticed by.
  EXPECT_EQ(noise_faults(std::nullopt).size(), 4u);
}

TEST(AuditFaults, OfTheWeightsAreFarFromTheRetrainedOnes) {
  const RandomData data = random_data(1);
  Session session = Session::create(data.dataset, data.embedder, {}).value();
  Sequence random(1);
  const RandomRemovals removals = remove_at_random(session, 8, random).value();
  const Session retrained = Session::create(session.remaining(), data.embedder, {}).value();
  const double honest = (session.weights() - retrained.weights()).norm();
  std::set<std::string> names;
  const std::vector<PlantedFault> faults = weight_faults(session, retrained, removals).value();
  for (const PlantedFault& fault : faults) {
    names.insert(fault.name);
    ASSERT_TRUE(fault.weights.has_value()) << fault.name;
    EXPECT_GT((*fault.weights - retrained.weights()).norm(), 1000 * honest) << fault.name;
  }
  EXPECT_EQ(names, (std::set<std::string>{"graph-kept", "stale-constants", "stale-model", "wrong-sign"}));
}

}  // namespace
}  // namespace unscatter
