// Where the signing key lies, the same for every subcommand that signs.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "unscatter/base/result.h"
#include "unscatter/store/signing_key.h"

namespace unscatter::cli {

// --key FILE, else $UNSCATTER_KEY, else signing.key in the configuration folder.
struct KeyArguments {
  std::string file;  // empty: neither the option nor the variable

  void add_to(CLI::App& command);
  // Errors: kNotFound if there is no configuration folder.
  [[nodiscard]] Result<std::filesystem::path> place() const;
  // The same for the record against rollback, which lies beside the key.  Empty if there is no place.
  [[nodiscard]] std::filesystem::path record() const;
  // For commands that have no option for the key.
  [[nodiscard]] static std::filesystem::path usual_record();
  // Errors: kNotFound, saying how a key is made; those of SigningKey::load().
  [[nodiscard]] Result<std::shared_ptr<const SigningKey>> load() const;
  // Null where there is no file.
  [[nodiscard]] Result<std::shared_ptr<const SigningKey>> load_if_there() const;

  // The key that is there, or a new one, its public half beside it.
  [[nodiscard]] Result<KeyFile> load_or_create() const;
};

}  // namespace unscatter::cli
