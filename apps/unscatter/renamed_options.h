// Options that have another name than before.  The former name works for one more version, with a note on stderr.
//
// To rename an option: a line in the table of renamed_options.cc, and option_names() where the option is added.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace unscatter::cli {

// What CLI::App::add_option() takes for the option `name` ("--new"): the name and, after a comma, the former one.
[[nodiscard]] std::string option_names(std::string_view name);

// What to tell somebody who wrote `word` ("--old" or "--old=1"); nothing if it is no former name.
[[nodiscard]] std::optional<std::string> rename_note(std::string_view word);

// Help that shows the new names only.
class HelpFormatter final : public CLI::Formatter {
 public:
  [[nodiscard]] std::string make_option_name(const CLI::Option* option, bool is_positional) const override;
};

}  // namespace unscatter::cli
