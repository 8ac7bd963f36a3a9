#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "key_options.h"
#include "unscatter/store/verify.h"
#include "workspace_options.h"

namespace unscatter::cli {
namespace {

// What only `verify` looks at, by the names of its checks.
constexpr const char* kLeftToVerify[] = {"signatures", "budget", "residual"};

Result<Report> check_file(const WorkspaceArguments& arguments, Context& context) {
  UNSCATTER_TRY(verification, arguments.with_wait(check_workspace(
                                  arguments.path, arguments.options(context, KeyArguments::usual_record()))));
  Json list = Json::array();
  Table table({{""}, {""}, {""}});
  for (const Check& check : verification.checks) {
    list.push_back({{"name", check.name}, {"passed", check.passed}, {"detail", check.detail}});
    table.add_row({check.name, check.passed ? "ok" : "FAILED", check.detail});
  }
  Report report;
  report.json = {{"workspace", arguments.path},
                 {"sound", verification.passed},
                 {"checks", std::move(list)},
                 {"not_checked", kLeftToVerify}};
  report.text = table.str() + (verification.passed ? "sound\n" : "NOT sound\n") +
                "Not looked at: signatures of earlier entries and receipts, what entries say of one another, and the "
                "residual on\n"
                "the graphs.  'unscatter verify' looks at all of it.\n";
  if (!verification.passed) {
    const auto failed = std::find_if(verification.checks.begin(), verification.checks.end(),
                                     [](const Check& check) { return !check.passed; });
    report.refusal =
        Error{ErrorCode::kMalformedInput, failed == verification.checks.end()
                                              ? std::string("not sound")
                                              : fmt::format("not sound: {}: {}", failed->name, failed->detail)};
  }
  return report;
}

}  // namespace

void add_check_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("check", "Test quickly whether a workspace file is whole");
  const auto arguments = std::make_shared<WorkspaceArguments>();
  arguments->add_to(command);
  command.footer(R"(
Examples:
  unscatter check --workspace w.unscatter
  unscatter check --workspace backup.unscatter

Looks at the pages of the file, its tables, the links of the ledger, the signature of its last entry, and whether
graphs, model and published model are what this entry commits to.  No key is needed, nothing is embedded, and nothing
changes.  Exit code 0 and "sound" if every check passes, 1 otherwise.  'unscatter verify' derives everything again.)");
  context.add_action(command, [arguments, &context] { return check_file(*arguments, context); });
}

}  // namespace unscatter::cli
