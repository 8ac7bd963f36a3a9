#include "config_file.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "renamed_options.h"
#include "usage.h"

namespace unscatter::cli {
namespace {

// A hidden option that is put behind all other items.  If it is set, every value of the file was accepted.
constexpr const char* kEnd = "all-of-the-file-was-read";

bool set_in_environment(const std::string& variable) {
  const char* value = variable.empty() ? nullptr : std::getenv(variable.c_str());
  return value != nullptr && *value != '\0';
}

bool is_section_mark(const CLI::ConfigItem& item) { return item.name == "++" || item.name == "--"; }

// The command of a section.  Null if there is none of that name.
const CLI::App* command_of(const CLI::App& program, const std::vector<std::string>& section) {
  const CLI::App* at = &program;
  for (const std::string& name : section) {
    const auto found = at->get_subcommands([&name](const CLI::App* command) { return command->get_name() == name; });
    if (found.empty()) return nullptr;
    at = found.front();
  }
  return at;
}

}  // namespace

// CLI11 reads the file.  Three things are settled here.  A key that stands twice and an environment variable that
// should come first would be passed over in silence.  An error would not name the file.
class ConfigFile::Format final : public CLI::ConfigTOML {
 public:
  explicit Format(const CLI::App& program) : program_(program) {}

  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    std::vector<CLI::ConfigItem> taken;
    std::set<const CLI::Option*> seen;  // an option can have two names
    for (CLI::ConfigItem& item : CLI::ConfigTOML::from_config(input)) {
      if (!problem_.empty()) return {};
      if (is_section_mark(item)) {
        check_section(item);
        continue;
      }
      const CLI::App* command = command_of(program_, item.parents);
      if (command != nullptr && command->get_allow_extras()) continue;  // a stand-in (laboratory.h)
      const CLI::Option* option = option_of(item);
      if (option == nullptr) continue;
      if (!seen.insert(option).second || item.inputs.size() > 1) {
        problem_ = fmt::format("'{}' has two values", item.fullname());
      }
      check_flag(*option, item);
      note_former_name(item);
      if (!set_in_environment(option->get_envname())) taken.push_back(std::move(item));
    }
    if (!problem_.empty()) return {};
    CLI::ConfigItem end;
    end.name = kEnd;
    end.inputs = {"true"};
    taken.push_back(std::move(end));
    complete_ = false;
    return taken;
  }

  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  // True if the file was read and one of its values failed.
  [[nodiscard]] bool incomplete() const { return !complete_; }
  void set_complete() { complete_ = true; }

 private:
  void check_section(const CLI::ConfigItem& item) const {
    if (command_of(program_, item.parents) != nullptr) return;
    problem_ = fmt::format("there is no command for section [{}]", CLI::detail::join(item.parents, "."));
  }

  // CLI11 would look at the value of a flag later, when nobody knows any more where it came from.
  void check_flag(const CLI::Option& option, const CLI::ConfigItem& item) const {
    if (option.get_expected_min() > 0 || item.inputs == std::vector<std::string>{"true"}) return;
    if (item.inputs != std::vector<std::string>{"false"})
      problem_ = fmt::format("'{}' is true or false", item.fullname());
  }

  void note_former_name(const CLI::ConfigItem& item) const {
    if (!command_of(program_, item.parents)->parsed()) return;
    if (std::optional<std::string> note = rename_note("--" + item.name)) notes_.push_back(*std::move(note));
  }

  const CLI::Option* option_of(const CLI::ConfigItem& item) const {
    const CLI::App* command = command_of(program_, item.parents);
    const CLI::Option* option = nullptr;
    if (command != nullptr) option = command->get_option_no_throw("--" + item.name);
    if (command != nullptr && option == nullptr) option = command->get_option_no_throw(item.name);
    if (option == nullptr || !option->get_configurable() || item.name == kEnd) {
      problem_ = item.parents.empty()
                     ? fmt::format("'{}' stands outside of a command's section", item.name)
                     : fmt::format("'{}' is no option of '{}'", item.name, CLI::detail::join(item.parents, " "));
      return nullptr;
    }
    return option;
  }

  const CLI::App& program_;
  // The interface is const, but its findings must get out.
  mutable std::string problem_;
  mutable std::vector<std::string> notes_;
  mutable bool complete_ = true;
};

bool has_config_file_in_environment() { return std::getenv("UNSCATTER_CONFIG") != nullptr; }

ConfigFile::ConfigFile(CLI::App& program) : program_(program), format_(std::make_shared<Format>(program)) {
  const char* chosen = std::getenv("UNSCATTER_CONFIG");
  program
      .set_config("--config", chosen == nullptr ? "" : chosen,
                  "Defaults of one's own, a TOML file (default: $UNSCATTER_CONFIG)")
      ->expected(1);
  program.config_formatter(format_);
  program.allow_config_extras(CLI::config_extras_mode::error);
  program.add_flag_callback(fmt::format("--{}", kEnd), [format = format_] { format->set_complete(); })->group("");
}

const std::vector<std::string>& ConfigFile::notes() const { return format_->notes(); }

std::string ConfigFile::problem(const CLI::ParseError* error) const {
  const CLI::Option& option = *program_.get_config_ptr();
  if (option.count() > 1) return {};  // that is a problem of the command line
  const auto path = option.as<std::string>();
  const auto in_file = [&](std::string_view what) { return fmt::format("configuration file '{}': {}", path, what); };
  // CLI11 ignores a missing file unless the option itself names it.
  std::error_code ignored;
  if (!path.empty() && (std::filesystem::is_directory(path, ignored) || !std::ifstream(path).good())) {
    return in_file("it cannot be read");
  }
  if (!format_->problem().empty()) return in_file(format_->problem());
  if (error != nullptr && format_->incomplete()) return in_file(option_words(program_, *error));
  return {};
}

}  // namespace unscatter::cli
