// Runs recorded request sequences and prints what came of every step, one fact a line.  Two versions of the library do
// the same if they print the same (scripts/replay_compare.sh).
//
//   record FOLDER [--threads N] [--data FOLDER]
//
// Workspaces are made in the first folder, which must be empty, and stay there.  With --data, parts of public data sets
// are used too.  Only public headers of the library are included.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <vector>

#include "report.h"
#include "sequences.h"

namespace {

struct Arguments {
  std::filesystem::path folder;
  std::size_t threads = 1;
  std::optional<std::filesystem::path> data;
};

std::optional<Arguments> parse(int count, char** words) {
  if (count < 2 || count % 2 != 0) return std::nullopt;
  Arguments arguments;
  arguments.folder = words[1];
  for (int i = 2; i < count; i += 2) {
    if (std::strcmp(words[i], "--threads") == 0) {
      arguments.threads = std::strtoul(words[i + 1], nullptr, 10);
    } else if (std::strcmp(words[i], "--data") == 0) {
      arguments.data = words[i + 1];
    } else {
      return std::nullopt;
    }
  }
  return arguments;
}

bool record(const Arguments& arguments) {
  std::filesystem::create_directories(arguments.folder);
  std::vector<replay::Material> generated = replay::interest_groups();
  for (replay::Material& material : replay::rich_graphs()) generated.push_back(std::move(material));
  replay::record_embeddings(generated, arguments.threads);
  replay::record_sessions(generated, arguments.threads);
  replay::record_long_sessions(replay::many_interest_groups(), arguments.threads);
  replay::record_workspaces(generated, arguments.folder, arguments.threads);
  if (arguments.data) {
    const std::vector<replay::Material> real = replay::real_data(*arguments.data);
    replay::record_embeddings(real, arguments.threads);
    replay::record_real_sessions(real, arguments.threads);
    replay::record_workspaces(real, arguments.folder, arguments.threads);
  }
  return replay::report_coverage();
}

}  // namespace

int main(int count, char** words) {
  const auto arguments = parse(count, words);
  if (!arguments) {
    std::fprintf(stderr, "usage: record FOLDER [--threads N] [--data FOLDER]\n");
    return 2;
  }
  try {
    return record(*arguments) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "record: %s\n", error.what());
    return 1;
  }
}
