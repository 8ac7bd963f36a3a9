// unscatter-laboratory: all commands of unscatter, so that a configuration file means the same, and two more.
#include "laboratory_commands.h"
#include "program.h"

namespace cli = unscatter::cli;

int main(int argc, char** argv) {
  return cli::run_program(argc, argv, [](CLI::App& program, cli::Context& context) {
    cli::add_experiment_command(program, context);
    cli::add_bench_command(program, context);
  });
}
