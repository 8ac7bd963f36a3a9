#include "key_options.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "locations.h"
#include "unscatter/base/random.h"

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
  UNSCATTER_TRY(folder, config_folder());
  return folder / "signing.key";
}

fs::path KeyArguments::record() const {
  const Result<fs::path> found = place();
  return found.ok() ? *found : fs::path();
}

fs::path KeyArguments::usual_record() {
  KeyArguments usual;
  // As the option of those commands that sign.
  if (const char* named = std::getenv("UNSCATTER_KEY"); named != nullptr) usual.file = named;
  return usual.record();
}

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

Result<KeyArguments::Made> KeyArguments::load_or_create() const {
  UNSCATTER_TRY(path, place());
  UNSCATTER_TRY(existing, load_if_there());
  if (existing != nullptr) return Made{std::move(existing), path, false};
  // Not the seed of --seed: a key that can be computed again protects nothing.
  SecureRandom random;
  auto key = std::make_shared<const SigningKey>(SigningKey::generate(random));
  // The secret half first.  A public key without it would promise signatures that nobody can make.
  UNSCATTER_CHECK_OK(key->save(path));
  UNSCATTER_CHECK_OK(save_public_key(key->public_key(), public_key_path(path)));
  return Made{std::move(key), path, true};
}

fs::path public_key_path(const fs::path& key) {
  fs::path path = key;
  // Otherwise the public key would replace the secret one.
  if (key.extension() == ".pub") return path += ".pub";
  return path.replace_extension(".pub");
}

}  // namespace unscatter::cli
