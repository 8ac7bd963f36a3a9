#include "retraining.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include "constant_options.h"
#include "unscatter/graph/dataset.h"

namespace unscatter::cli {

namespace fs = std::filesystem;

bool gives_option_of(const CLI::App& command, std::string_view group) {
  const auto options = command.get_options();
  return std::any_of(options.begin(), options.end(),
                     [&](const CLI::Option* option) { return option->get_group() == group && option->count() > 0; });
}

Status take_over_constants(const Before& before, const CLI::App& command, WorkspaceSetup& setup) {
  if (setup.options.classes == ConstantKind::kFittedOnce) {
    // A list that was fitted once may name a class whose last graph was forgotten.
    UNSCATTER_CHECK_OK(state_classes(setup.dataset, classes_that_occur(setup.dataset)));
  }
  if (gives_option_of(command, "Constants")) return ok_status();
  const bool refits = before.info.fit == ConstantKind::kPrivateFit || before.info.fit == ConstantKind::kFittedOnce;
  if (refits) {
    setup.fit = {before.info.fit, nullptr};
  } else if (before.info.fit == ConstantKind::kPublicData && !gives_option_of(command, "Transform")) {
    setup.features = before.info.features;
  }
  return ok_status();
}

fs::path place_beside(const fs::path& workspace) {
  for (int number = 2;; ++number) {
    fs::path place = workspace;
    place.replace_filename(fmt::format("{}-{}{}", workspace.stem().string(), number, workspace.extension().string()));
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(place, ignored))) return place;
  }
}

}  // namespace unscatter::cli
