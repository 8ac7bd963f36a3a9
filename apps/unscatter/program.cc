#include "program.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "commands.h"
#include "exit_code.h"
#include "output.h"
#include "usage.h"

namespace unscatter::cli {
namespace {

constexpr const char* kFooter = R"(Examples:
  unscatter demo                                a first look, in a second
  unscatter datasets list                       what is known, and what is here
  unscatter datasets generate groups.jsonl      data to try things on, without a download
  unscatter datasets info groups.jsonl
  unscatter embed --data groups.jsonl --out Z.npy

Exit codes: 0 done; 1 refused or failed, with the reason on stderr; 2 wrong usage.)";

int run(int argc, const char* const* argv, Context& context) {
  CLI::App program("Certified unlearning for graph classifiers", "unscatter");
  program.set_version_flag("--version", "unscatter " UNSCATTER_VERSION);
  program.require_subcommand(1);
  program.footer(kFooter);
  add_demo_command(program, context);
  add_datasets_command(program, context);
  add_embed_command(program, context);

  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return program.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "{}", printable(usage_error(program, error)));
    return kWrongUsage;
  }
  return context.run_chosen();
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  Context context;
  try {
    return run(argc, argv, context);
  } catch (const std::bad_alloc&) {
    report_error("limit-exceeded", "not enough memory", context.json());
    return kRefused;
  } catch (const std::exception& bug) {
    report_error("internal", std::string("internal error: ") + bug.what(), context.json());
    return kInternalError;
  }
}

}  // namespace unscatter::cli
