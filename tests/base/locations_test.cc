#include "base/locations.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "support/temporary_folder.h"

namespace unscatter {
namespace {

namespace fs = std::filesystem;

// The variables that folders follow, as a test sets them.  They are put back at its end.
class LocationVariables {
 public:
  LocationVariables() {
    for (const char* name : {"HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "UNSCATTER_CACHE", "UNSCATTER_DATA"}) {
      const char* value = std::getenv(name);
      before_[name] = value == nullptr ? std::nullopt : std::optional<std::string>(value);
      unsetenv(name);
    }
  }
  ~LocationVariables() {
    for (const auto& [name, value] : before_) {
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
    }
  }
  LocationVariables(const LocationVariables&) = delete;
  LocationVariables& operator=(const LocationVariables&) = delete;
  void set(const char* name, const fs::path& value) const { setenv(name, value.c_str(), 1); }

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

TEST(Locations, FoldersFollowTheNearestVariable) {
  const LocationVariables variables;
  EXPECT_EQ(cache_folder().error().code, ErrorCode::kNotFound);
  EXPECT_EQ(config_folder().error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(data_folder().has_value());
  variables.set("HOME", "/home/someone");
  EXPECT_EQ(cache_folder().value(), "/home/someone/.cache/unscatter");
  EXPECT_EQ(config_folder().value(), "/home/someone/.config/unscatter");
  variables.set("XDG_CACHE_HOME", "/cache");
  variables.set("XDG_CONFIG_HOME", "/config");
  EXPECT_EQ(cache_folder().value(), "/cache/unscatter");
  EXPECT_EQ(config_folder().value(), "/config/unscatter");
  variables.set("UNSCATTER_CACHE", "/own");
  EXPECT_EQ(cache_folder().value(), "/own");
  // An empty variable counts as unset.
  variables.set("UNSCATTER_CACHE", "");
  EXPECT_EQ(cache_folder().value(), "/cache/unscatter");
}

TEST(Locations, TheDataFolderGoesBeforeTheCacheAndNamesDoNotLeadOut) {
  const LocationVariables variables;
  const testing::TemporaryFolder data;
  const testing::TemporaryFolder cache;
  variables.set("UNSCATTER_DATA", data.path());
  variables.set("UNSCATTER_CACHE", cache.path());
  EXPECT_FALSE(find_local("TINY").has_value());
  fs::create_directories(cache.path() / "TINY");
  cache.write("TINY/TINY.zip", "any");
  EXPECT_EQ(find_local("TINY").value().place, "cache");
  fs::create_directories(data.path() / "TINY");
  data.write("TINY/b.npz", "any");
  data.write("TINY/a.npz", "any");
  EXPECT_EQ(find_local("TINY").value().place, "data");
  EXPECT_EQ(find_local("TINY").value().path.filename(), "a.npz");
  EXPECT_FALSE(find_local("../TINY").has_value());
  EXPECT_FALSE(find_local("").has_value());
}

TEST(Plugins, LieBesideTheProgramOrWhereItIsInstalled) {
  const fs::path program = fs::read_symlink("/proc/self/exe");
  EXPECT_EQ(plugin_of_this_program(program.filename().string()), program);
  const fs::path installed = plugin_of_this_program("no-such-plugin.so");
  EXPECT_EQ(installed.filename(), "no-such-plugin.so");
  EXPECT_EQ(installed.parent_path().filename(), "unscatter");
  EXPECT_NE(installed.parent_path(), program.parent_path());
  EXPECT_EQ(installed, installed.lexically_normal());
}

}  // namespace
}  // namespace unscatter
