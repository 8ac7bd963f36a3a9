#include "base/stopwatch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace unscatter {
namespace {

constexpr std::chrono::milliseconds kNap(20);
constexpr double kNapSeconds = 0.02;

TEST(Stopwatch, RunsFromItsConstruction) {
  const Stopwatch watch;
  const double first = watch.seconds();
  EXPECT_GE(first, 0);
  std::this_thread::sleep_for(kNap);
  EXPECT_GE(watch.seconds(), first + kNapSeconds);
}

// No instant is lost between two laps and none counts twice, however long each takes.
TEST(Stopwatch, LapsAddUpToTheWholeTime) {
  const Stopwatch around;
  Stopwatch watch;
  const Stopwatch inside;
  double laps = 0;
  for (int i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(kNap);
    const double lap = watch.lap();
    EXPECT_GE(lap, kNapSeconds);
    laps += lap;
  }
  const double least = inside.seconds();
  laps += watch.lap();
  EXPECT_GE(laps, least - 1e-9);  // the sum rounds
  EXPECT_LE(laps, around.seconds() + 1e-9);
}

}  // namespace
}  // namespace unscatter
