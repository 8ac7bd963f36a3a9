#include "paper_preset.h"

#include <gtest/gtest.h>

namespace unscatter::cli {
namespace {

TEST(PaperPreset, GoesByTheNameOfTheDataSet) {
  ASSERT_NE(find_paper_setting("MNIST_superpixels_train"), nullptr);
  EXPECT_EQ(find_paper_setting("MNIST_superpixels_train"), find_paper_setting("MNIST"));
  EXPECT_EQ(find_paper_setting("COLLAB_gin"), find_paper_setting("COLLAB"));
  EXPECT_NE(find_paper_setting("COLLAB"), find_paper_setting("MNIST"));
  for (const char* other : {"", "IMDB", "IMDB-BINARY2", "IMDB-MULTI", "PROTEINS-full", "groups"}) {
    EXPECT_EQ(find_paper_setting(other), nullptr) << other;
  }
}

}  // namespace
}  // namespace unscatter::cli
