#include "program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <iterator>
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
#include "self_description.h"
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

On many machines: mpirun -n 8 unscatter COMMAND ... (docs/scale.md).

Exit codes: 0 done; 1 refused or failed, with the reason on stderr; 2 wrong usage.)";

int wrong_usage(const std::string& text) {
  fmt::print(stderr, "{}", printable(text));
  return kWrongUsage;
}

struct Command {
  std::string_view name;
  void (*add)(CLI::App& parent, Context& context);
};
constexpr Command kCommands[] = {
    {"demo", add_demo_command},       {"datasets", add_datasets_command}, {"embed", add_embed_command},
    {"tune", add_tune_command},       {"train", add_train_command},       {"predict", add_predict_command},
    {"forget", add_forget_command},   {"add", add_add_command},           {"correct", add_correct_command},
    {"expire", add_expire_command},   {"status", add_status_command},     {"certificate", add_certificate_command},
    {"verify", add_verify_command},   {"audit", add_audit_command},       {"release", add_release_command},
    {"renew", add_renew_command},     {"retrain", add_retrain_command},   {"graphs", add_graphs_command},
    {"subject", add_subject_command}, {"subjects", add_subjects_command}, {"export", add_export_command},
    {"check", add_check_command},     {"backup", add_backup_command},     {"compact", add_compact_command},
    {"shard", add_shard_command},     {"merge", add_merge_command},       {"upgrade", add_upgrade_command},
    {"key", add_key_command},
#ifdef UNSCATTER_SERVICE
    {"serve", add_serve_command},     {"token", add_token_command},
#endif
};

// The program without commands.
void set_up(CLI::App& program) {
  program.formatter(std::make_shared<HelpFormatter>());  // first, because commands take over what is set
  program.set_version_flag("--version", "unscatter " UNSCATTER_VERSION);
  program.require_subcommand(1);
  program.footer(kFooter);
}

void show_rename_notes(int argc, const char* const* argv, const Context& context) {
  for (const char* word : std::span(argv, static_cast<std::size_t>(argc)).subspan(1)) {
    if (const std::optional<std::string> note = rename_note(word)) context.note(*note);
  }
}

// The options of all commands take longer to describe than a small removal takes.  So the command that is asked for is
// tried alone.  Nothing where the words do not suit it as they are: what there is to say about them needs all commands.
// A file of defaults may speak of every command, so it needs all of them too.
std::optional<int> run_alone(int argc, const char* const* argv, Context& context) {
  if (argc < 2 || has_config_file_in_environment()) return std::nullopt;
  const auto asked = std::find_if(std::begin(kCommands), std::end(kCommands),
                                  [&](const Command& command) { return command.name == argv[1]; });
  if (asked == std::end(kCommands)) return std::nullopt;
  CLI::App program("Certified unlearning for graph classifiers", "unscatter");
  set_up(program);
  asked->add(program, context);
  check_numbers(program);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Error&) {
    return std::nullopt;
  }
  show_rename_notes(argc, argv, context);
  return context.run_chosen();
}

int run(int argc, const char* const* argv, Context& context, const MoreCommands& add_more) {
  CLI::App program("Certified unlearning for graph classifiers", "unscatter");
  set_up(program);
  for (const Command& command : kCommands) command.add(program, context);
  add_more(program, context);
  check_numbers(program);
  const ConfigFile config(program);
  const SelfDescription description(program);

  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return description.asked() ? description.answer() : program.exit(help_or_version);
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
  show_rename_notes(argc, argv, context);
  return context.run_chosen();
}

}  // namespace

int run_program(int argc, const char* const* argv, const MoreCommands& add_more, ShardCrew* crew) {
  Context alone(crew);
  Context context(crew);
  try {
    if (const std::optional<int> exit_code = run_alone(argc, argv, alone)) return *exit_code;
    return run(argc, argv, context, add_more);
    // Too little memory is not a bug of ours.  The request is refused, with exit code 1.
  } catch (const std::bad_alloc&) {
    report_error("limit-exceeded", "not enough memory", alone.json() || context.json());
    return kRefused;
  } catch (const std::exception& bug) {
    report_error("internal", std::string("internal error: ") + bug.what(), alone.json() || context.json());
    return kInternalError;
  }
}

}  // namespace unscatter::cli
