// The paper's numbers, to stand beside what is measured.
#pragma once

#include <optional>
#include <string_view>

namespace unscatter {

struct PaperNumber {
  double mean = 0;
  std::optional<double> stddev;  // Table 3 prints none
};

// Test accuracy in % [Pan23, Table 1] and running time in seconds [Pan23, Table 2] of "gst", "linear-gst", "gft" and
// "gin".  Empty for what the paper does not report.
[[nodiscard]] std::optional<PaperNumber> paper_accuracy(std::string_view backbone, std::string_view data_set);
[[nodiscard]] std::optional<PaperNumber> paper_seconds(std::string_view backbone, std::string_view data_set);
// The number of trainings from scratch while one node leaves each of 10 % of the training graphs [Pan23, Table 3], for
// the methods "ours-paper", "uu" and "retrain".
[[nodiscard]] std::optional<PaperNumber> paper_retrains(std::string_view backbone, std::string_view method,
                                                        std::string_view data_set);

}  // namespace unscatter
