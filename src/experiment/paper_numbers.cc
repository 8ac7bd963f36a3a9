#include "experiment/paper_numbers.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

namespace unscatter {
namespace {

constexpr std::array<std::string_view, 5> kPaperColumns = {"IMDB-BINARY", "PROTEINS", "COLLAB", "MNIST", "CIFAR10"};

struct PaperRow {
  std::string_view name;  // backbone, or backbone and method
  std::array<PaperNumber, 5> numbers;
};

// [Pan23, Table 1], as printed.
constexpr PaperRow kPaperAccuracy[] = {
    {"gst", {{{68.56, 3.52}, {68.26, 2.28}, {74.42, 0.81}, {47.59, 0.25}, {33.12, 0.40}}}},
    {"linear-gst", {{{68.30, 3.67}, {62.79, 4.67}, {73.84, 0.70}, {38.52, 0.26}, {31.07, 0.21}}}},
    {"gft", {{{50.81, 1.32}, {49.67, 1.45}, {34.58, 0.79}, {10.13, 0.22}, {10.00, 0.15}}}},
    {"gin", {{{66.63, 4.29}, {65.12, 1.55}, {73.11, 1.43}, {48.17, 0.45}, {30.05, 0.59}}}},
};

// [Pan23, Table 2], as printed.  The times are of another machine, so ratios between rows mean more.
constexpr PaperRow kPaperSeconds[] = {
    {"gst", {{{6.47, 0.89}, {7.57, 1.79}, {10.89, 1.08}, {82.94, 5.75}, {75.36, 1.17}}}},
    {"linear-gst", {{{6.92, 1.50}, {7.59, 1.25}, {10.94, 1.40}, {82.23, 0.83}, {74.98, 1.07}}}},
    {"gft", {{{4.43, 1.04}, {9.00, 0.96}, {137.69, 1.29}, {1307.43, 1.10}, {4240.62, 2.56}}}},
    {"gin", {{{23.13, 1.32}, {21.94, 0.92}, {949.06, 63.68}, {1279.26, 30.92}, {1239.03, 33.06}}}},
};

// [Pan23, Table 3], as printed.  Retrain trains once per removal, with any backbone.
constexpr PaperRow kPaperRetrains[] = {
    {"gst ours-paper", {{{3.3, {}}, {7.2, {}}, {7.7, {}}, {65.9, {}}, {113.0, {}}}}},
    {"gst uu", {{{10.0, {}}, {11.0, {}}, {50.0, {}}, {550.0, {}}, {450.0, {}}}}},
    {"gst retrain", {{{10, {}}, {11, {}}, {50, {}}, {550, {}}, {450, {}}}}},
    {"linear-gst ours-paper", {{{3.0, {}}, {6.8, {}}, {6.3, {}}, {54.1, {}}, {91.6, {}}}}},
    {"linear-gst uu", {{{10.0, {}}, {11.0, {}}, {49.6, {}}, {532.5, {}}, {450.0, {}}}}},
};

std::optional<PaperNumber> find_paper_number(std::span<const PaperRow> rows, std::string_view name,
                                             std::string_view data_set) {
  const auto column = std::find(kPaperColumns.begin(), kPaperColumns.end(), data_set);
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const PaperRow& candidate) { return candidate.name == name; });
  if (column == kPaperColumns.end() || row == rows.end()) return std::nullopt;
  return row->numbers.at(static_cast<std::size_t>(column - kPaperColumns.begin()));
}

}  // namespace

std::optional<PaperNumber> paper_accuracy(std::string_view backbone, std::string_view data_set) {
  return find_paper_number(kPaperAccuracy, backbone, data_set);
}

std::optional<PaperNumber> paper_seconds(std::string_view backbone, std::string_view data_set) {
  return find_paper_number(kPaperSeconds, backbone, data_set);
}

std::optional<PaperNumber> paper_retrains(std::string_view backbone, std::string_view method,
                                          std::string_view data_set) {
  std::string name(backbone);
  name += ' ';
  name += method;
  return find_paper_number(kPaperRetrains, name, data_set);
}

}  // namespace unscatter
