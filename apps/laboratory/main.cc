// unscatter-laboratory: all commands of unscatter, so that a configuration file means the same, and two more.
#include "laboratory_commands.h"
#include "program.h"

int main(int argc, char** argv) {
  using namespace unscatter::cli;
  return run_program(argc, argv, [](CLI::App& program, Context& context) {
    add_experiment_command(program, context);
    add_bench_command(program, context);
  });
}
