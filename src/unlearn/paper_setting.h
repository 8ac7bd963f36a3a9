// The paper's hyper-parameters, by data set.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace unscatter {

struct HyperParameters {
  std::size_t scales = 0;     // J
  std::size_t moments = 0;    // Q
  std::size_t layers = 0;     // L
  double regularisation = 0;  // lambda
};

// A row of [Pan23, Table 4] as it is printed.
struct PaperSetting {
  std::string_view data_set;
  HyperParameters classification;  // "Standard graph classification"
  HyperParameters unlearning;      // "Unlearning graph classification"
  // Q in the public program, if it is not the printed one.
  std::optional<std::size_t> program_moments;
};

// The setting of a data set, by its name or by the name of a file that holds it ("MNIST_superpixels_train").  Null if
// the paper does not use it.
[[nodiscard]] const PaperSetting* find_paper_setting(std::string_view data_set);

}  // namespace unscatter
