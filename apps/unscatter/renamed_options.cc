#include "renamed_options.h"

#include <fmt/format.h>

namespace unscatter::cli {
namespace {

struct RenamedOption {
  std::string_view former;
  std::string_view name;
};

constexpr RenamedOption kRenamedOptions[] = {{"--precision", "--distance-limit"}};

}  // namespace

std::string option_names(std::string_view name) {
  std::string names(name);
  for (const RenamedOption& renamed : kRenamedOptions) {
    if (renamed.name == name) names += fmt::format(",{}", renamed.former);
  }
  return names;
}

std::optional<std::string> rename_note(std::string_view word) {
  const std::string_view option = word.substr(0, word.find('='));
  for (const RenamedOption& renamed : kRenamedOptions) {
    if (renamed.former != option) continue;
    return fmt::format("{} is called {} now; the old name will go with the next version", renamed.former, renamed.name);
  }
  return std::nullopt;
}

std::string HelpFormatter::make_option_name(const CLI::Option* option, bool is_positional) const {
  std::string names = CLI::Formatter::make_option_name(option, is_positional);
  for (const RenamedOption& renamed : kRenamedOptions) {
    const std::string former = fmt::format(",{}", renamed.former);
    if (const std::size_t at = names.find(former); at != std::string::npos) names.erase(at, former.size());
  }
  return names;
}

}  // namespace unscatter::cli
