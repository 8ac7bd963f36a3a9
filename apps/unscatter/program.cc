#include "program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "commands.h"
#include "config_file.h"
#include "exit_code.h"
#include "output.h"
#include "renamed_options.h"
#include "usage.h"

namespace unscatter::cli {
namespace {

constexpr const char* kFooter = R"(Examples:
  unscatter demo                                                a first look, in seconds
  unscatter datasets generate groups.jsonl                      data to try things on, without a download
  unscatter train --data groups.jsonl --workspace w.unscatter   learn, in a way that can be undone
  unscatter forget --workspace w.unscatter --subject user-00042
  unscatter certificate --workspace w.unscatter                 what is promised now, and why it holds
  unscatter verify --workspace w.unscatter                      derive everything again
  unscatter audit --workspace w.unscatter                       try to break the promise, and measure how far one gets
  unscatter release --workspace w.unscatter --out model.json    a model that may leave the house

Options may stand in a file: --config FILE before the command, or $UNSCATTER_CONFIG, with a section per command.

Exit codes: 0 done; 1 refused or failed, with the reason on stderr; 2 wrong usage.)";

int wrong_usage(const std::string& text) {
  fmt::print(stderr, "{}", printable(text));
  return kWrongUsage;
}

int run(int argc, const char* const* argv, Context& context, const MoreCommands& add_more) {
  CLI::App program("Certified unlearning for graph classifiers", "unscatter");
  program.formatter(std::make_shared<HelpFormatter>());  // first, because commands take over what is set
  program.set_version_flag("--version", "unscatter " UNSCATTER_VERSION);
  program.require_subcommand(1);
  program.footer(kFooter);
  add_demo_command(program, context);
  add_datasets_command(program, context);
  add_embed_command(program, context);
  add_tune_command(program, context);
  add_train_command(program, context);
  add_predict_command(program, context);
  add_forget_command(program, context);
  add_add_command(program, context);
  add_correct_command(program, context);
  add_expire_command(program, context);
  add_status_command(program, context);
  add_certificate_command(program, context);
  add_verify_command(program, context);
  add_audit_command(program, context);
  add_release_command(program, context);
  add_renew_command(program, context);
  add_retrain_command(program, context);
  add_graphs_command(program, context);
  add_subject_command(program, context);
  add_subjects_command(program, context);
  add_export_command(program, context);
  add_check_command(program, context);
  add_backup_command(program, context);
  add_compact_command(program, context);
  add_upgrade_command(program, context);
  add_key_command(program, context);
  add_more(program, context);
  check_numbers(program);
  const ConfigFile config(program);

  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return program.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    // A value of the configuration file may be the cause.  Then the message must name the file and not the command
    // line.
    const std::string problem = config.problem(&error);
    if (const auto sentence = out_of_range(error); sentence && problem.empty()) {
      // The flag may stand behind the option that stopped the parser.
      const std::span words(argv, static_cast<std::size_t>(argc));
      const bool json = std::any_of(words.begin(), words.end(), [](std::string_view word) { return word == "--json"; });
      report_error(error_code_name(ErrorCode::kInvalidArgument), *sentence, json);
      return kRefused;
    }
    return wrong_usage(problem.empty() ? usage_error(program, error) : usage_error(program, CLI::ConfigError(problem)));
  }
  if (const std::string problem = config.problem(nullptr); !problem.empty()) {
    return wrong_usage(usage_error(program, CLI::ConfigError(problem)));
  }
  for (const std::string& note : config.notes()) context.note(note);
  for (const char* word : std::span(argv, static_cast<std::size_t>(argc)).subspan(1)) {
    if (const std::optional<std::string> note = rename_note(word)) context.note(*note);
  }
  return context.run_chosen();
}

}  // namespace

int run_program(int argc, const char* const* argv, const MoreCommands& add_more) {
  Context context;
  try {
    return run(argc, argv, context, add_more);
    // Too little memory is not a bug of ours.  The request is refused, with exit code 1.
  } catch (const std::bad_alloc&) {
    report_error("limit-exceeded", "not enough memory", context.json());
    return kRefused;
  } catch (const std::exception& bug) {
    report_error("internal", std::string("internal error: ") + bug.what(), context.json());
    return kInternalError;
  }
}

}  // namespace unscatter::cli
