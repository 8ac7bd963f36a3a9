// The commands of the laboratory, as commands.h has those of the program.
#pragma once

#include <CLI/CLI.hpp>

#include "context.h"
#include "laboratory.h"

namespace unscatter::cli {

void add_experiment_command(CLI::App& parent, Context& context);
void add_bench_command(CLI::App& parent, Context& context);

}  // namespace unscatter::cli
