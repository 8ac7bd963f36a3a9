#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "catalogue.h"
#include "commands.h"
#include "download.h"
#include "locations.h"
#include "unscatter/graph/dataset.h"
#include "unscatter/graph/read.h"

namespace unscatter::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDefaultMirror = "https://www.chrsmrrs.com/graphkerneldatasets";

struct FetchOptions {
  std::string name;
  std::string from;  // empty: kDefaultMirror
  bool force = false;
  std::uint64_t limit_mib = 1024;  // the largest archive of the site is a few hundred
};

// A folder inside the cache.  So the last step is a rename within one file system.  It is removed at the end of the
// scope.
class StagingFolder {
 public:
  static Result<std::unique_ptr<StagingFolder>> create(const fs::path& cache) {
    std::error_code error;
    fs::create_directories(cache, error);
    std::string pattern = (cache / ".fetch-XXXXXX").string();
    if (error || mkdtemp(pattern.data()) == nullptr) {
      return Error{ErrorCode::kIo, fmt::format("cannot create a folder in '{}'", cache.string())};
    }
    return std::make_unique<StagingFolder>(pattern);
  }

  explicit StagingFolder(fs::path path) : path_(std::move(path)) {}
  StagingFolder(const StagingFolder&) = delete;
  StagingFolder& operator=(const StagingFolder&) = delete;
  ~StagingFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string archive_url(const FetchOptions& options) {
  std::string base = options.from;
  if (base.empty()) base = kDefaultMirror;
  while (base.ends_with('/')) base.pop_back();
  return fmt::format("{}/{}.zip", base, options.name);
}

Result<CatalogueEntry> fetchable_entry(const std::string& name) {
  UNSCATTER_TRY(catalogue, load_catalogue());
  const CatalogueEntry* entry = catalogue.find(name);
  if (entry == nullptr) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("no data set '{}' in the catalogue (unscatter datasets list shows the names)", name)};
  }
  if (!entry->fetchable) {
    return Error{ErrorCode::kUnsupported, fmt::format("{} cannot be fetched: {}", entry->name, entry->how_to_get)};
  }
  if (entry->content_digest.empty()) {
    return Error{
        ErrorCode::kUnsupported,
        fmt::format("the catalogue pins no content digest for {}, so a download could not be verified", entry->name)};
  }
  return *entry;
}

// Ok if `archive` holds what the catalogue promises.  `what` names it in messages.
Status verify(const fs::path& archive, const CatalogueEntry& entry, const std::string& what, Context& context) {
  ReadOptions options;
  options.progress = &context.progress();
  const Result<Dataset> dataset = read_dataset(archive, options);
  if (!dataset.ok()) {
    return Error{dataset.error().code, fmt::format("{} is not a readable data set: {}", what, dataset.error().message)};
  }
  const std::string digest = content_digest(*dataset).hex();
  if (digest == entry.content_digest) return ok_status();
  return Error{ErrorCode::kMalformedInput, fmt::format("{} has the content digest {}, but the catalogue expects {}",
                                                       what, digest, entry.content_digest)};
}

// Downloads next to `target`, verifies, and only then puts the archive in its place.  A file in the cache is therefore
// always a verified one.
Status fetch_to(const fs::path& target, const fs::path& cache, const CatalogueEntry& entry, const FetchOptions& options,
                Context& context) {
  const std::string url = archive_url(options);
  UNSCATTER_TRY(staging, StagingFolder::create(cache));
  const fs::path archive = staging->path() / target.filename();
  UNSCATTER_CHECK_OK(download(url, archive, options.limit_mib << 20, context.progress()));
  UNSCATTER_CHECK_OK(verify(archive, entry, fmt::format("the download from {}", url), context));
  std::error_code error;
  fs::create_directories(target.parent_path(), error);
  if (!error) fs::rename(archive, target, error);
  if (error) return Error{ErrorCode::kIo, fmt::format("cannot write '{}': {}", target.string(), error.message())};
  return ok_status();
}

Report fetched(const CatalogueEntry& entry, const fs::path& path, bool downloaded) {
  return {{{"name", entry.name},
           {"path", path.string()},
           {"downloaded", downloaded},
           {"content_digest", entry.content_digest}},
          fmt::format("{}: {}, content verified\n{}\n", entry.name, downloaded ? "downloaded" : "in the cache already",
                      path.string())};
}

Result<Report> fetch(const FetchOptions& options, Context& context) {
  constexpr std::uint64_t kMostMib = 1 << 20;
  if (options.limit_mib < 1 || options.limit_mib > kMostMib) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("a limit of {} MiB is outside 1 to {}", options.limit_mib, kMostMib)};
  }
  UNSCATTER_TRY(entry, fetchable_entry(options.name));
  UNSCATTER_TRY(cache, cache_folder());
  const fs::path target = cache / entry.name / (entry.name + ".zip");
  std::error_code ignored;
  if (!options.force && fs::exists(target, ignored)) {
    // A file in the cache is verified again: it may have been damaged since it was downloaded.
    const Status good = verify(target, entry, fmt::format("'{}'", target.string()), context);
    if (good.ok()) return fetched(entry, target, false);
    return Error{good.error().code, good.error().message + "; --force downloads it again"};
  }
  UNSCATTER_CHECK_OK(fetch_to(target, cache, entry, options, context));
  return fetched(entry, target, true);
}

}  // namespace

void add_fetch_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("fetch", "Download a data set into the cache and verify it");
  const auto options = std::make_shared<FetchOptions>();
  command.add_option("NAME", options->name, "A data set of 'unscatter datasets list'")->required();
  command.add_option("--from", options->from, fmt::format("Base URL that holds NAME.zip (default {})", kDefaultMirror))
      ->envname("UNSCATTER_MIRROR");
  command.add_option("--limit-mib", options->limit_mib, "Give up on archives larger than this")->capture_default_str();
  command.add_flag("--force", options->force, "Download even if it is in the cache");
  command.footer(
      R"(An archive enters the cache only if its content (graphs, labels, attributes) has the digest that the
catalogue pins.
The cache is $UNSCATTER_CACHE, else $XDG_CACHE_HOME/unscatter, else ~/.cache/unscatter.

Examples:
  unscatter datasets fetch MUTAG
  unscatter datasets fetch PROTEINS --from https://mirror.example.org/tu
  unscatter datasets fetch IMDB-BINARY --from file:///srv/graphs --force)");
  context.add_action(command, [options, &context] { return fetch(*options, context); });
}

}  // namespace unscatter::cli
