// The place of the real data sets, for tests that need them.
#pragma once

#include <filesystem>
#include <optional>

namespace unscatter::testing {

// $UNSCATTER_DATA, or ../shared/data beside the source tree.  Empty if neither exists.
[[nodiscard]] std::optional<std::filesystem::path> data_folder();
// The reference embeddings beside the data ($UNSCATTER_DATA/../reference).
[[nodiscard]] std::optional<std::filesystem::path> reference_folder();

}  // namespace unscatter::testing

// Declares `variable` (a path), or skips the test with a reason that names what is missing.
#define UNSCATTER_REQUIRE_DATA(variable)                                                                 \
  const auto variable##_found = ::unscatter::testing::data_folder();                                     \
  if (!variable##_found) GTEST_SKIP() << "real data sets not found: set UNSCATTER_DATA to their folder"; \
  const std::filesystem::path& variable = *variable##_found
