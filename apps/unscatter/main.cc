#include "laboratory.h"
#include "program.h"

int main(int argc, char** argv) {
  using namespace unscatter::cli;
  if (const auto exit_code = hand_over_to_laboratory(argc, argv)) return *exit_code;
  return run_program(argc, argv, [](CLI::App& program, Context&) { add_laboratory_stand_ins(program); });
}
