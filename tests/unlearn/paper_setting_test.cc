#include <string_view>

#include "unlearn/paper_setting.h"

#include <gtest/gtest.h>

namespace unscatter {
namespace {

TEST(PaperSetting, GoesByTheNameOfTheDataSet) {
  ASSERT_NE(find_paper_setting("MNIST_superpixels_train"), nullptr);
  EXPECT_EQ(find_paper_setting("MNIST_superpixels_train"), find_paper_setting("MNIST"));
  EXPECT_EQ(find_paper_setting("COLLAB_gin"), find_paper_setting("COLLAB"));
  EXPECT_NE(find_paper_setting("COLLAB"), find_paper_setting("MNIST"));
  for (const char* other : {"", "IMDB", "IMDB-BINARY2", "IMDB-MULTI", "PROTEINS-full", "groups"}) {
    EXPECT_EQ(find_paper_setting(other), nullptr) << other;
  }
}

// What the paper's text says about its own table.
TEST(PaperSetting, UnlearningIsAlwaysRegularised) {
  for (const char* name : {"IMDB-BINARY", "PROTEINS", "COLLAB", "MNIST", "CIFAR10"}) {
    const PaperSetting* setting = find_paper_setting(name);
    ASSERT_NE(setting, nullptr) << name;
    EXPECT_GT(setting->unlearning.regularisation, 0) << name;
    EXPECT_EQ(setting->program_moments.has_value(), std::string_view(name) == "COLLAB") << name;
  }
}

}  // namespace
}  // namespace unscatter
