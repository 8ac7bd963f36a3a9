// For the program: the network part is loaded.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/locations.h"
#include "service/network.h"
#include "unscatter/base/invariant.h"

namespace unscatter::service {
namespace {

using Entry = const Network* (*)(const char* build);

const Network*& loaded() {
  static const Network* network = nullptr;
  return network;
}

}  // namespace

Status load_network() {
  const std::filesystem::path path = plugin_of_this_program("unscatter-network.so");
  const auto refuse = [&path](std::string_view why) {
    return Error{ErrorCode::kUnsupported, fmt::format("the service needs '{}', which {}", path.string(), why)};
  };
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) return refuse("is not there; install the program as a whole");
  // Never closed: its threads and tables live as long as the program.
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return refuse(fmt::format("cannot be loaded: {}", dlerror()));
  void* const symbol = dlsym(library, "unscatter_network");
  if (symbol == nullptr) return refuse("is another library; install the program as a whole");
  Entry entry = nullptr;
  std::memcpy(&entry, &symbol, sizeof(entry));
  const Network* const table = entry(UNSCATTER_BUILD);
  if (table == nullptr) return refuse("belongs to another version; install the program as a whole");
  loaded() = table;
  return ok_status();
}

const Network& network() {
  invariant(loaded() != nullptr, "the network part was not loaded");
  return *loaded();
}

}  // namespace unscatter::service
