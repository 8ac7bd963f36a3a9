// Runs the program as a user would.
#pragma once

#include <sys/types.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace unscatter::testing {

struct Outcome {
  int exit_code = -1;  // -1: ended by a signal
  std::string out;
  std::string err;

  // stdout as one JSON document and nothing else; throws nlohmann::json::parse_error otherwise.
  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(out); }
};

// Variables to set; an empty value removes the variable.
using Environment = std::map<std::string, std::string>;

// `unscatter arguments...` with stdout and stderr in pipes.  The variables that steer the program are removed first, so
// that the outcome does not depend on who runs the tests.
[[nodiscard]] Outcome run_program(const std::vector<std::string>& arguments, const Environment& environment = {});

// Another program in its place, such as a copy that lies elsewhere.
[[nodiscard]] Outcome run_program_at(const std::string& program, const std::vector<std::string>& arguments,
                                     const Environment& environment = {});

// run_program() on a pseudo-terminal of 80 columns: what a person would see, stdout and stderr together in `out`.
[[nodiscard]] Outcome run_program_on_terminal(const std::vector<std::string>& arguments,
                                              const Environment& environment = {});

// The program while it runs, for tests that disturb it.
class RunningProgram {
 public:
  explicit RunningProgram(const std::vector<std::string>& arguments, const Environment& environment = {},
                          const std::string& program = UNSCATTER_PROGRAM);
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;
  ~RunningProgram();  // kills it if nobody waited for it

  void signal(int number) const;
  [[nodiscard]] Outcome wait();

 private:
  pid_t child_ = -1;
  int out_ = -1;
  int err_ = -1;
};

[[nodiscard]] inline bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace unscatter::testing
