#include <csignal>

#include "laboratory.h"
#include "program.h"

namespace cli = unscatter::cli;

int main(int argc, char** argv) {
  if (const auto exit_code = cli::hand_over_to_laboratory(argc, argv)) return *exit_code;
  // A limit on the size of files (ulimit -f) is then met as an error with a sentence, and does not end the program.
  std::signal(SIGXFSZ, SIG_IGN);
  return cli::run_program(argc, argv, [](CLI::App& program, cli::Context&) { cli::add_laboratory_stand_ins(program); });
}
