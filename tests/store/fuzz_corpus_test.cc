// The fuzz targets' corpora through the same checks, where no fuzzer is at hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/check_graph_blob.h"
#include "fuzz/check_openings.h"
#include "fuzz/check_published_model.h"
#include "fuzz/check_receipt.h"
#include "fuzz/check_requests.h"
#include "support/temporary_folder.h"

namespace unscatter {
namespace {

struct CorpusFile {
  std::string name;
  std::string content;
};

std::vector<CorpusFile> corpus_files(std::string_view format) {
  std::vector<CorpusFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(UNSCATTER_CORPUS) / format)) {
    files.push_back({entry.path().filename().string(), testing::read_whole_file(entry.path())});
  }
  std::sort(files.begin(), files.end(), [](const CorpusFile& a, const CorpusFile& b) { return a.name < b.name; });
  return files;
}

std::span<const std::byte> text_as_bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

// Files named good-* must be accepted: a format that changes shows here.  Files named bad-* must not.
template <typename Check, typename Accepted>
void expect_corpus(std::string_view format, const Check& check, const Accepted& accepted) {
  std::size_t good = 0;
  std::size_t bad = 0;
  for (const CorpusFile& file : corpus_files(format)) {
    SCOPED_TRACE(file.name);
    EXPECT_EQ(check(file.content), "");
    const bool named_good = file.name.starts_with("good-");
    EXPECT_TRUE(named_good || file.name.starts_with("bad-"));
    EXPECT_EQ(accepted(file.content), named_good);
    ++(named_good ? good : bad);
  }
  EXPECT_GE(good, 2u);
  EXPECT_GE(bad, 2u);
}

TEST(FuzzCorpus, Requests) {
  expect_corpus(
      "requests", [](std::string_view text) { return fuzz::check_requests(text); },
      [](std::string_view text) { return parse_requests(text, "input").ok(); });
}

TEST(FuzzCorpus, OpeningsAndCorrections) {
  expect_corpus("openings", fuzz::check_openings, [](std::string_view text) {
    return parse_corrections(text, "input").ok() || parse_openings(text, "input").ok() || parse_added_graph(text).ok();
  });
}

TEST(FuzzCorpus, Receipts) {
  expect_corpus("receipt", fuzz::check_receipt, [](std::string_view text) { return parse_receipt(text).ok(); });
}

TEST(FuzzCorpus, PublishedModels) {
  expect_corpus("published_model", fuzz::check_published_model,
                [](std::string_view text) { return parse_published_model(text).ok(); });
}

TEST(FuzzCorpus, GraphBlobs) {
  expect_corpus(
      "graph_blob", [](std::string_view text) { return fuzz::check_graph_blob(text_as_bytes(text)); },
      [](std::string_view text) { return graph_from_blob(text_as_bytes(text)).ok(); });
}

// The checks themselves, with faults planted in what they check.
TEST(FuzzCorpus, TheChecksCanFail) {
  const auto refuse_silently = [](std::string_view) -> Result<int> { return Error{ErrorCode::kMalformedInput, ""}; };
  const auto refuse_oddly = [](std::string_view) -> Result<int> { return Error{ErrorCode::kIo, "odd"}; };
  const auto parse_length = [](std::string_view text) -> Result<int> { return static_cast<int>(text.size()); };
  const auto write_xs = [](int length) { return std::string(static_cast<std::size_t>(length), 'x'); };
  EXPECT_NE(fuzz::check_one_spelling(std::string_view("x"), refuse_silently, write_xs), "");
  EXPECT_NE(fuzz::check_one_spelling(std::string_view("x"), refuse_oddly, write_xs), "");
  EXPECT_NE(fuzz::check_one_spelling(std::string_view("y"), parse_length, write_xs), "");
  EXPECT_EQ(fuzz::check_one_spelling(std::string_view("x"), parse_length, write_xs), "");

  const std::string text = R"({"forget":"graph","graph":7})";
  int calls = 0;
  const auto unsteady = [&calls](const RemovalRequest&) {
    return request_text(ForgetGraph{static_cast<std::size_t>(++calls)});
  };
  EXPECT_EQ(fuzz::check_requests(text), "");
  EXPECT_NE(fuzz::check_requests(text, unsteady), "");
  EXPECT_NE(fuzz::check_requests(text, [](const RemovalRequest&) { return std::string("?"); }), "");
  EXPECT_NE(fuzz::check_requests(text, [](const RemovalRequest&) { return std::string(); }), "");

  const std::string correction = R"({"class":"2","correct":"class","graph":7})";
  const auto unsteady_list = [&calls](const CorrectionFile&) {
    return request_text(Correction(SetLabel{static_cast<std::size_t>(++calls), "2"}));
  };
  EXPECT_EQ(fuzz::check_read_back(correction, parse_corrections, fuzz::spell_corrections), "");
  EXPECT_NE(fuzz::check_read_back(correction, parse_corrections, unsteady_list), "");
  EXPECT_NE(fuzz::check_read_back(correction, parse_corrections, [](const CorrectionFile&) { return "?"; }), "");
  const auto refuse_without_place = [](std::string_view, std::string_view) -> Result<CorrectionFile> {
    return Error{ErrorCode::kMalformedInput, "somewhere"};
  };
  EXPECT_NE(fuzz::check_read_back(correction, refuse_without_place, fuzz::spell_corrections), "");
}

}  // namespace
}  // namespace unscatter
