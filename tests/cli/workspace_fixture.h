// A small workspace for every test, as a user would have it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "subprocess.h"
#include "support/temporary_folder.h"
#include "unscatter/graph/dataset.h"
#include "unscatter/store/workspace.h"

namespace unscatter::testing {

// Sixty interest groups, a key, and a workspace that learned from all of them; made by the program, once per process.
class SmallWorkspace {
 public:
  static const SmallWorkspace& instance();

  [[nodiscard]] std::string data() const { return (folder_.path() / "groups.jsonl").string(); }
  [[nodiscard]] std::string key() const { return (folder_.path() / "signing.key").string(); }
  [[nodiscard]] std::string workspace() const { return (folder_.path() / "w.unscatter").string(); }
  // What makes training quick.
  [[nodiscard]] static std::vector<std::string> quick() {
    return {"--features", "log-degree", "--scales", "2", "--layers", "2"};
  }

 private:
  SmallWorkspace();
  TemporaryFolder folder_;
};

// Each test works on a copy of it, with a copy of the key: the record against rollback lies beside the key, and copies
// of one workspace go separate ways.
class CliWorkspaceTest : public ::testing::Test {
 protected:
  void SetUp() override;

  [[nodiscard]] std::string path(const char* name) const { return (folder_.path() / name).string(); }
  [[nodiscard]] std::string workspace() const { return path("w.unscatter"); }
  [[nodiscard]] static std::string data() { return SmallWorkspace::instance().data(); }
  [[nodiscard]] std::string key() const { return (keys_.path() / "signing.key").string(); }
  // The key by UNSCATTER_KEY, and a configuration folder that is nobody's.
  [[nodiscard]] Environment environment() const;
  // The program in that environment.
  [[nodiscard]] Outcome run(const std::vector<std::string>& arguments) const {
    return run_program(arguments, environment());
  }
  // `forget --workspace W ARGUMENTS...`
  [[nodiscard]] Outcome forget(std::vector<std::string> arguments) const;
  // The document of a command that must go well.
  [[nodiscard]] nlohmann::json document(std::vector<std::string> arguments) const;
  [[nodiscard]] nlohmann::json status() const { return document({"status", "--workspace", workspace()}); }
  [[nodiscard]] std::string state_digest(const std::string& of) const;
  // The same through the library.
  [[nodiscard]] Workspace open(const std::string& path, std::size_t threads = 0) const;
  [[nodiscard]] const Dataset& groups() const { return groups_; }

  TemporaryFolder folder_;

 private:
  TemporaryFolder keys_;
  Dataset groups_;
};

}  // namespace unscatter::testing
