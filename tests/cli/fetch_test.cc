// unscatter datasets fetch against mirrors in a folder and behind a local web server.
#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "http_server.h"
#include "subprocess.h"
#include "support/temporary_folder.h"
#include "unscatter/graph/dataset.h"
#include "unscatter/graph/read.h"

namespace unscatter {
namespace {

namespace fs = std::filesystem;
using testing::has;
using testing::Outcome;
using testing::read_whole_file;
using testing::run_program;

void write_zip(const fs::path& path, const std::map<std::string, std::string>& members) {
  archive* zip = archive_write_new();
  archive_write_set_format_zip(zip);
  ASSERT_EQ(archive_write_open_filename(zip, path.c_str()), ARCHIVE_OK);
  for (const auto& [name, content] : members) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_write_header(zip, entry);
    archive_write_data(zip, content.data(), content.size());
    archive_entry_free(entry);
  }
  ASSERT_EQ(archive_write_free(zip), ARCHIVE_OK);
}

// Two graphs, a path and a triangle, on a mirror, with a catalogue that pins their content.
class Fetch : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(mirror_folder());
    write_zip(archive(), {{"TOY/TOY_A.txt", "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n5, 6\n6, 5\n4, 6\n6, 4\n"},
                          {"TOY/TOY_graph_indicator.txt", "1\n1\n1\n2\n2\n2\n"},
                          {"TOY/TOY_graph_labels.txt", "1\n-1\n"}});
    const auto toy = read_dataset(archive());
    ASSERT_TRUE(toy.ok()) << toy.error().message;
    digest_ = content_digest(*toy).hex();
    pin(digest_);
  }

  [[nodiscard]] fs::path mirror_folder() const { return folder_.path() / "mirror"; }
  [[nodiscard]] fs::path archive() const { return mirror_folder() / "TOY.zip"; }
  [[nodiscard]] fs::path cache() const { return folder_.path() / "cache"; }
  [[nodiscard]] fs::path cached() const { return cache() / "TOY" / "TOY.zip"; }

  void pin(const std::string& digest) const {
    folder_.write("catalogue.json", R"({"datasets": [{"name": "TOY", "content_digest": ")" + digest +
                                        R"("}, {"name": "IMAGES", "fetchable": false, "how_to_get": "ask around"}]})");
  }

  [[nodiscard]] Outcome fetch(std::vector<std::string> arguments, const std::string& mirror = "") const {
    arguments.insert(arguments.begin(), {"datasets", "fetch"});
    return run_program(arguments, {{"UNSCATTER_CACHE", cache()},
                                   {"UNSCATTER_CATALOGUE", folder_.path() / "catalogue.json"},
                                   {"UNSCATTER_MIRROR", mirror.empty() ? "file://" + mirror_folder().string() : mirror},
                                   {"no_proxy", "127.0.0.1"}});
  }

  // Refused, for a reason that mentions `says`, and no file is left anywhere in the cache.
  void expect_refused(const Outcome& outcome, std::string_view says) const {
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_TRUE(has(outcome.err, says)) << outcome.err;
    EXPECT_TRUE(outcome.out.empty()) << outcome.out;
    if (!fs::exists(cache())) return;
    for (const auto& left : fs::recursive_directory_iterator(cache())) ADD_FAILURE() << "left behind: " << left.path();
  }

  testing::TemporaryFolder folder_;
  std::string digest_;
};

TEST_F(Fetch, PutsAVerifiedArchiveIntoTheCacheOnce) {
  const Outcome first = fetch({"TOY", "--json"});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_TRUE(first.err.empty()) << first.err;
  EXPECT_EQ(first.json().at("downloaded"), true);
  EXPECT_EQ(first.json().at("path"), cached().string());
  EXPECT_EQ(first.json().at("content_digest"), digest_);
  EXPECT_EQ(read_whole_file(cached()), read_whole_file(archive()));

  fs::remove(archive());  // so the second run cannot have downloaded
  const Outcome second = fetch({"TOY", "--json"});
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(second.json().at("downloaded"), false);
  EXPECT_EQ(fetch({"TOY", "--force"}).exit_code, 1);
  EXPECT_TRUE(fs::exists(cached())) << "a failed --force must keep what was there";

  const auto only_archive = [&] { return std::distance(fs::directory_iterator(cache()), fs::directory_iterator()); };
  EXPECT_EQ(only_archive(), 1) << "staging folders are left behind";
}

TEST_F(Fetch, WhatWasFetchedIsKnownByName) {
  ASSERT_EQ(fetch({"TOY"}).exit_code, 0);
  const Outcome info = run_program({"datasets", "info", "TOY", "--json"}, {{"UNSCATTER_CACHE", cache()}});
  ASSERT_EQ(info.exit_code, 0) << info.err;
  EXPECT_EQ(info.json().at("content_digest"), digest_);
}

TEST_F(Fetch, AnOptionGoesBeforeTheEnvironment) {
  const Outcome outcome = fetch({"TOY", "--from", "file://" + mirror_folder().string() + "/"}, "file:///nowhere");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST_F(Fetch, OverHttp) {
  testing::HttpServer server("200 OK", read_whole_file(archive()));
  const Outcome outcome = fetch({"TOY"}, server.url() + "/sets");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  server.join();
  EXPECT_EQ(server.request(), "GET /sets/TOY.zip HTTP/1.1");
}

TEST_F(Fetch, AnHttpErrorPageIsNotADataSet) {
  const testing::HttpServer server("404 Not Found", "<html>sorry</html>");
  expect_refused(fetch({"TOY"}, server.url()), "404");
}

TEST_F(Fetch, OtherContentIsRefusedWithBothDigests) {
  const std::string other(64, '0');
  pin(other);
  const Outcome outcome = fetch({"TOY"});
  expect_refused(outcome, digest_);
  EXPECT_TRUE(has(outcome.err, other));
}

TEST_F(Fetch, WithoutAPinnedDigestNothingIsAccepted) {
  pin("");
  expect_refused(fetch({"TOY"}), "pins no content digest");
}

TEST_F(Fetch, AMissingFileIsRefused) {
  fs::remove(archive());
  expect_refused(fetch({"TOY"}), "cannot download file://");
}

TEST_F(Fetch, ATruncatedArchiveIsRefused) {
  const std::string whole = read_whole_file(archive());
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, whole.size() / 2, whole.size() - 30}) {
    SCOPED_TRACE(size);
    folder_.write("mirror/TOY.zip", whole.substr(0, size));
    expect_refused(fetch({"TOY"}), "unscatter: the download from file://");
  }
}

TEST_F(Fetch, ADownloadBeyondTheLimitIsRefused) {
  folder_.write("mirror/TOY.zip", std::string((1 << 20) + 1, 'x'));
  expect_refused(fetch({"TOY", "--limit-mib", "1"}), "larger than the limit");
  expect_refused(fetch({"TOY", "--limit-mib", "0"}), "limit of 0 MiB");
}

TEST_F(Fetch, ADamagedFileInTheCacheIsSeenAndReplacedOnRequest) {
  folder_.write("cache/TOY/TOY.zip", "damaged");
  const Outcome refused = fetch({"TOY"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(has(refused.err, "--force downloads it again")) << refused.err;
  EXPECT_EQ(fetch({"TOY", "--force"}).exit_code, 0);
  EXPECT_EQ(read_whole_file(cached()), read_whole_file(archive()));
}

TEST_F(Fetch, NamesThatCannotBeFetched) {
  expect_refused(fetch({"UNKNOWN"}), "no data set 'UNKNOWN'");
  expect_refused(fetch({"IMAGES"}), "ask around");
  expect_refused(fetch({"TOY"}, "gopher://example.org"), "cannot download gopher://");
}

}  // namespace
}  // namespace unscatter
