// The options of every subcommand that works on a workspace.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "context.h"
#include "unscatter/base/result.h"
#include "unscatter/store/workspace.h"

namespace unscatter::cli {

struct WorkspaceArguments {
  WorkspaceArguments();  // the library's defaults

  std::string path;
  double wait_seconds;
  std::size_t threads;

  // --workspace, --wait and --threads.  `required`: the command cannot do without a workspace.
  void add_to(CLI::App& command, bool required = true);
  // `key` may be null where nothing is signed.  `record`: the key's file, beside which the record against rollback
  // lies.
  [[nodiscard]] WorkspaceOptions options(Context& context, std::filesystem::path record,
                                         std::shared_ptr<const SigningKey> key = nullptr) const;
  // To look only: any number of processes may do so at the same time.
  [[nodiscard]] Result<Workspace> open_to_read(Context& context, std::filesystem::path record) const;
  // To look, if a model of the present state is published already or there is no key; otherwise to publish one.
  [[nodiscard]] Result<Workspace> open_for_model(Context& context, std::filesystem::path record,
                                                 std::shared_ptr<const SigningKey> key) const;
  // `expected_updates`: that this process is to make; 0: many.
  [[nodiscard]] Result<Workspace> open(Context& context, std::filesystem::path record,
                                       std::shared_ptr<const SigningKey> key = nullptr,
                                       std::size_t expected_updates = 0) const;
  // The outcome, whose error names the option where a workspace is in use.
  template <typename T>
  [[nodiscard]] Result<T> with_wait(Result<T> outcome) const {
    if (outcome.ok() || outcome.error().code != ErrorCode::kUnavailable) return outcome;
    return named_wait(std::move(outcome).error());
  }

 private:
  [[nodiscard]] Error named_wait(Error busy) const;
  [[nodiscard]] Result<Workspace> open_with(const WorkspaceOptions& how) const;
};

}  // namespace unscatter::cli
