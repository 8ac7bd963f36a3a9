// What the two halves of `unscatter forget` share: one request, or a list.
#pragma once

#include <sys/types.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "context.h"
#include "files.h"
#include "key_options.h"
#include "request_options.h"
#include "unscatter/base/result.h"
#include "unscatter/store/workspace.h"
#include "workspace_options.h"

namespace unscatter::cli {

struct ForgetArguments {
  WorkspaceArguments workspace;
  KeyArguments key;
  RequestArguments what;
  bool dry_run = false;
  bool keep_salts = false;
  bool shred = false;
  std::string openings;
  std::string replay;  // openings of an earlier time

  std::string receipt;  // of one request

  // Of a list.
  std::optional<std::size_t> batch;
  bool skip_refused = false;
  std::string receipts;
  std::string list_format = "auto";
  std::vector<std::string> keep_fields;
};

// The list of --requests.
[[nodiscard]] Result<Report> forget_list(const ForgetArguments& arguments, Context& context);
// What one update of these requests would do.
[[nodiscard]] Result<Report> preview_removal(const ForgetArguments& arguments, Workspace& workspace,
                                             std::span<const RemovalRequest> requests);

// Lines for --openings: {"commitment": ..., "entry": 3, "request": {...}, "salt": ...} per request that was honoured.
// `kept` gives what --keep-fields keeps beside request i of `outcome`, a JSON object, or empty.  It may be null.
[[nodiscard]] std::string opening_lines(const Forgotten& outcome,
                                        const std::function<std::string(std::size_t)>& kept = nullptr);
// Appends them where --openings says, before the removal is written.  Null without --openings.  `openings` must live as
// long as the returned function.
[[nodiscard]] std::function<Status(const Forgotten&)> hand_out_to(std::optional<LineFile>& openings);

// Before an update: a receipt that cannot be written must not turn an update that was made into one that failed.  Null
// if `path` is empty.
[[nodiscard]] Result<std::optional<OutputFile>> open_receipt(const std::string& path, std::size_t requests);
// Where the receipt of an entry is: the file that it was written to, or the command that writes it.
[[nodiscard]] std::string receipt_words(const std::string& written_to, const std::string& workspace, std::size_t entry);
struct RemovalTimes {
  double open = 0;    // seconds until the workspace was ready
  double forget = 0;  // seconds of the removal itself, until it was on disk
};
// --openings belongs to no --shred, and so on: the options of every removal.  Errors: kInvalidArgument.
[[nodiscard]] Status check_salts_usage(const ForgetArguments& arguments);
// --dry-run, the salts and --receipt of one update: the options that every removal has.
void add_removal_options(CLI::App& command, ForgetArguments& arguments);
// Opens the files of --openings and --receipt, commits, writes the receipt, and tells.  `what`: what was forgotten, in
// words.  `times.forget`: what preparing took.
[[nodiscard]] Result<Report> commit_and_report(const ForgetArguments& arguments, Workspace& workspace,
                                               Workspace::Removal& removal, const std::string& what,
                                               RemovalTimes times);
// What a prepared removal would do.  `prepare_seconds`: what preparing took.
[[nodiscard]] Result<Report> report_preview(const ForgetArguments& arguments, Workspace& workspace,
                                            const Workspace::Removal& removal, double prepare_seconds);

// Null if `path` is empty.
[[nodiscard]] Result<std::optional<LineFile>> open_lines(const std::string& path, mode_t mode);

}  // namespace unscatter::cli
