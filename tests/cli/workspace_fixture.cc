#include "workspace_fixture.h"

#include <stdexcept>

#include "unscatter/graph/read.h"

namespace unscatter::testing {

SmallWorkspace::SmallWorkspace() {
  std::vector<std::string> train = {"train", "--data", data(), "--workspace", workspace(), "--key", key()};
  const std::vector<std::string> small = quick();
  train.insert(train.end(), small.begin(), small.end());
  const Outcome generated = run_program({"datasets", "generate", data(), "--groups", "60", "--users", "200"});
  const Outcome trained = run_program(train);
  if (generated.exit_code != 0 || trained.exit_code != 0) throw std::runtime_error(generated.err + trained.err);
}

const SmallWorkspace& SmallWorkspace::instance() {
  static const SmallWorkspace small;
  return small;
}

void CliWorkspaceTest::SetUp() {
  const SmallWorkspace& small = SmallWorkspace::instance();
  std::filesystem::copy_file(small.workspace(), workspace());
  std::filesystem::copy_file(small.key(), key());
  std::filesystem::copy_file(std::filesystem::path(small.key()).replace_extension(".pub"),
                             keys_.path() / "signing.pub");
  groups_ = read_dataset(data()).value();
}

Environment CliWorkspaceTest::environment() const {
  return {{"UNSCATTER_KEY", key()}, {"XDG_CONFIG_HOME", path("config")}};
}

Outcome CliWorkspaceTest::forget(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), {"forget", "--workspace", workspace()});
  return run(arguments);
}

nlohmann::json CliWorkspaceTest::document(std::vector<std::string> arguments) const {
  arguments.emplace_back("--json");
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.json();
}

std::string CliWorkspaceTest::state_digest(const std::string& of) const {
  return document({"status", "--workspace", of, "--replay-digest"}).at("state_digest");
}

Workspace CliWorkspaceTest::open(const std::string& path, std::size_t threads) const {
  WorkspaceOptions options;
  options.key = std::make_shared<const SigningKey>(SigningKey::load(key()).value());
  options.threads = threads;
  return Workspace::open(path, options).value();
}

}  // namespace unscatter::testing
