// The paper's hyper-parameters, by data set.
#pragma once

#include <cstddef>
#include <string_view>

namespace unscatter::cli {

// A row of [Pan23, Table 4], "Unlearning graph classification".
struct PaperSetting {
  std::string_view data_set;
  std::size_t scales = 0;
  std::size_t moments = 0;
  std::size_t layers = 0;
  double regularisation = 0;
};

// By the name of a data set or of a file that holds it ("MNIST_superpixels_train"); null for those that the paper does not use.
[[nodiscard]] const PaperSetting* find_paper_setting(std::string_view data_set);

}  // namespace unscatter::cli
