// A workspace that can be damaged, and what verify_workspace() says of it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/sample_workspace.h"
#include "unscatter/store/verify.h"

namespace unscatter::testing {

using Names = std::vector<std::string>;

// A filled workspace; entries: 0 created, 1 node, 2 graph, 3 edge, 4 released.
class Verify : public ::testing::Test {
 protected:
  void SetUp() override { sample_.fill(); }

  [[nodiscard]] const SigningKey& key() const { return *sample_.how.key; }

  // Exactly these fail, the last of them saying `part`.
  void expect_failed(const Names& names, const std::string& part, const VerifyOptions& options = {}) const {
    const Verification verification = sample_.verify(options);
    EXPECT_FALSE(verification.passed);
    EXPECT_EQ(failed_checks(verification), names) << all_details(verification);
    bool said = false;
    for (const Check& check : verification.checks)
      said = said || (!check.passed && check.detail.find(part) != std::string::npos);
    EXPECT_TRUE(said) << part << "\n" << all_details(verification);
  }
  void expect_passed(const VerifyOptions& options = {}) const {
    const Verification verification = sample_.verify(options);
    EXPECT_TRUE(verification.passed) << all_details(verification);
  }

  SampleWorkspace sample_;
};
}  // namespace unscatter::testing
