// What `unscatter add` and `unscatter correct` share: one update of a workspace that is no removal.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "context.h"
#include "key_options.h"
#include "unscatter/base/result.h"
#include "unscatter/store/workspace.h"
#include "workspace_options.h"

namespace unscatter::cli {

struct UpdateArguments {
  WorkspaceArguments workspace;
  KeyArguments key;
  bool dry_run = false;
  bool keep_salts = false;
  std::string openings;
  std::string receipt;

  void add_to(CLI::App& command);
};

// "3 graphs with 40 nodes and 61 edges"
[[nodiscard]] std::string addition_words(const EditCounts& edits);
// "2 nodes' features, 1 edge dropped, in 2 graphs"
[[nodiscard]] std::string corrections_words(const EditCounts& edits);
// What the next published model tells about graphs that come.
[[nodiscard]] std::string addition_exposure_words(const Exposure& exposure, const Promise& promise);

// Computes the update and, unless it is a dry run, puts it in force: files first, so that what cannot be written stops
// it.  `kind`: kAdded or kCorrected.  `what`: in words, or empty to take them from the update.
[[nodiscard]] Result<Report> run_update(const UpdateArguments& arguments, Context& context, EntryKind kind,
                                        const std::string& what,
                                        const std::function<Result<Workspace::Removal>(Workspace&)>& prepare);

}  // namespace unscatter::cli
