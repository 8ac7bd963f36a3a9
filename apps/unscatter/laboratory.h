// The laboratory: the commands `experiment` and `bench`, which are for those who work on the method.  They are in a
// program of their own, unscatter-laboratory, which lies beside this one in a build of the sources and is not
// installed.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <optional>

namespace unscatter::cli {

struct LaboratoryCommand {
  const char* name;
  const char* summary;  // for --help
};
inline constexpr LaboratoryCommand kExperimentCommand{"experiment", "The paper's tables and figures, and more"};
inline constexpr LaboratoryCommand kBenchCommand{"bench", "Measure speed and memory"};
inline constexpr std::array kLaboratoryCommands = {kExperimentCommand, kBenchCommand};

// If the command line names a command of the laboratory, becomes unscatter-laboratory, with the same arguments, and
// does not return.  Where that is not there or does not start: says so, and returns the exit code.  Nothing for every
// other command line.
[[nodiscard]] std::optional<int> hand_over_to_laboratory(int argc, char* const* argv);

// Lets --help name the commands where the laboratory is there, and a configuration file have sections for them
// everywhere.  What is in these sections is the laboratory's business.
void add_laboratory_stand_ins(CLI::App& program);

}  // namespace unscatter::cli
