// load: reads data sets and compares the time with the least that a reader must do: decompressing.
#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "measure.h"
#include "paper_data.h"
#include "unscatter/graph/read.h"

namespace unscatter::bench {
namespace {

struct ReadFile {
  const char* name;
  const char* file;
};
constexpr ReadFile kReadFiles[] = {
    {"IMDB-BINARY.zip", "IMDB-BINARY/IMDB-BINARY.zip"}, {"PROTEINS.zip", "PROTEINS/PROTEINS.zip"},
    {"COLLAB_gin.zip", "COLLAB/COLLAB_gin.zip"},        {"COLLAB.zip", "COLLAB/COLLAB.zip"},
    {"MNIST.npz", "MNIST/MNIST_superpixels_train.npz"}, {"CIFAR10.npz", "CIFAR10/CIFAR10_superpixels_train.npz"},
};

// Decompresses every member and drops the bytes.  Returns their number.
double decompress(const std::filesystem::path& path) {
  const std::unique_ptr<archive, decltype(&archive_read_free)> reader(archive_read_new(), archive_read_free);
  archive_read_support_format_zip(reader.get());
  archive_read_open_filename(reader.get(), path.c_str(), 1 << 16);
  std::vector<char> buffer(1 << 20);
  double bytes = 0;
  archive_entry* entry = nullptr;
  while (archive_read_next_header(reader.get(), &entry) == ARCHIVE_OK) {
    la_ssize_t got = 0;
    while ((got = archive_read_data(reader.get(), buffer.data(), buffer.size())) > 0) bytes += static_cast<double>(got);
  }
  return bytes;
}

void read_repeatedly(const ReadFile& file, const BenchSettings& settings, const Reporter& report) {
  const std::filesystem::path path = path_of(settings, file.file);
  reset_peak_bytes();
  Samples samples;
  double limit = 1e300;
  double bytes = 0;
  std::size_t graphs = 0;
  for (std::size_t r = 0; r < settings.repeat; ++r) {
    samples.measure([&] { graphs = or_fail(read_dataset(path, {.limits = {}, .threads = settings.threads})).size(); });
    limit = std::min(limit, seconds_of([&] { bytes = decompress(path); }));
  }
  Json result = samples.repeated(fmt::format("load {}", file.name), static_cast<double>(graphs));
  result["graphs"] = graphs;
  result["bytes"] = bytes;
  result["limit_seconds"] = limit;
  result["remark"] =
      fmt::format("{} graphs, {:.0f} MB; decompressing alone {:.3g} ms", graphs, bytes / 1e6, 1e3 * limit);
  report(result);
}

void run_load(const BenchSettings& settings, const Reporter& report) {
  for (const ReadFile& file : kReadFiles) {
    try {
      read_repeatedly(file, settings, report);
    } catch (const MissingData& missing) {
      report({{"name", fmt::format("load {}", file.name)}, {"skipped", missing.what()}});
    }
  }
}

}  // namespace

Workload load_workload() { return {"load", "read the data sets' files", run_load}; }

}  // namespace unscatter::bench
