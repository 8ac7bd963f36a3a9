#include "unscatter/base/progress.h"

#include <gtest/gtest.h>

namespace unscatter {
namespace {

TEST(Progress, TheSilentSinkTakesAnything) {
  Progress& silent = no_progress();
  silent.begin("stage", 10);
  silent.advance(3);
  silent.end();
  EXPECT_EQ(&silent, &no_progress());
}

}  // namespace
}  // namespace unscatter
