#include "key_options.h"

#include <fmt/format.h>

#include <utility>

namespace unscatter::cli {

namespace fs = std::filesystem;

void KeyArguments::add_to(CLI::App& command) {
  command
      .add_option("--key", file,
                  "Signing key (default: signing.key in the configuration folder; 'unscatter key' shows it)")
      ->envname("UNSCATTER_KEY");
}

Result<fs::path> KeyArguments::place() const {
  if (!file.empty()) return fs::path(file);
  return usual_key_path();
}

fs::path KeyArguments::record() const {
  const Result<fs::path> found = place();
  return found.ok() ? *found : fs::path();
}

// As the option of those commands that sign.
fs::path KeyArguments::usual_record() { return KeyArguments().record(); }

Result<std::shared_ptr<const SigningKey>> KeyArguments::load() const {
  // Never makes a key: a workspace takes entries only from the key that it was created with.
  UNSCATTER_TRY(key, load_if_there());
  if (key != nullptr) return key;
  UNSCATTER_TRY(path, place());
  return Error{
      ErrorCode::kNotFound,
      fmt::format("there is no signing key at '{}'; --key or UNSCATTER_KEY names the one that this workspace was made "
                  "with ('unscatter key' makes a new one, for new workspaces)",
                  path.string())};
}

Result<std::shared_ptr<const SigningKey>> KeyArguments::load_if_there() const {
  UNSCATTER_TRY(path, place());
  auto key = SigningKey::load(path);
  if (key.ok()) return std::make_shared<const SigningKey>(*std::move(key));
  // Only a missing file is "no key".  A key that others can read, or a damaged one, has to be noticed.
  if (key.error().code == ErrorCode::kNotFound) return std::shared_ptr<const SigningKey>();
  return std::move(key).error();
}

Result<KeyFile> KeyArguments::load_or_create() const {
  UNSCATTER_TRY(path, place());
  return load_or_create_key(path);
}

}  // namespace unscatter::cli
