#include "unlearn/paper_setting.h"

namespace unscatter {
namespace {

// {J, Q, L, lambda} for classification, then for unlearning.  COLLAB has another Q in the public program.
constexpr PaperSetting kPaperSettings[] = {
    {"IMDB-BINARY", {5, 4, 3, 1e-4}, {4, 3, 3, 1e-3}, {}}, {"PROTEINS", {5, 4, 3, 1e-4}, {5, 4, 3, 1e-4}, {}},
    {"COLLAB", {3, 3, 2, 1e-4}, {3, 3, 2, 1e-4}, 2},       {"MNIST", {5, 4, 3, 0}, {5, 4, 3, 1e-6}, {}},
    {"CIFAR10", {5, 4, 3, 0}, {5, 4, 3, 1e-6}, {}},
};

}  // namespace

const PaperSetting* find_paper_setting(std::string_view data_set) {
  for (const PaperSetting& setting : kPaperSettings) {
    // The name itself, or the name and '_': "MNIST_superpixels_train" is MNIST, but "MNISTX" is not.
    const std::size_t length = setting.data_set.size();
    if (data_set.starts_with(setting.data_set) && (data_set.size() == length || data_set[length] == '_'))
      return &setting;
  }
  return nullptr;
}

}  // namespace unscatter
