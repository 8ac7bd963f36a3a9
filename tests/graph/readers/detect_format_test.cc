#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/readers/entry_points.h"
#include "support/make_archive.h"
#include "support/temporary_folder.h"
#include "unscatter/graph/read.h"

namespace unscatter {
namespace {

Result<DataFormat> detect(const std::string& bytes) {
  return readers::detect_format(readers::Input::memory("f", bytes));
}

TEST(DetectFormat, ByContent) {
  using testing::make_zip;
  EXPECT_EQ(detect(make_zip({{"T/T_A.txt", ""}, {"T/other.txt", ""}})).value(), DataFormat::kTuZip);
  EXPECT_EQ(detect(make_zip({{"x.npy", ""}, {"pos.npy", ""}})).value(), DataFormat::kSuperpixelNpz);
  EXPECT_EQ(detect(make_zip({{"COLLAB/COLLAB.txt", "5"}})).value(), DataFormat::kGinZip);
  EXPECT_EQ(detect("12\n3 0\n").value(), DataFormat::kGinText);
  EXPECT_EQ(detect("12 \r\n3 0\n").value(), DataFormat::kGinText);
  EXPECT_EQ(detect("\n {\"label\":1}").value(), DataFormat::kJsonl);
}

TEST(DetectFormat, Folders) {
  const testing::TemporaryFolder folder;
  EXPECT_EQ(detect_format(folder.path()).error().code, ErrorCode::kMalformedInput);
  for (const char* suffix : {"A", "graph_indicator", "graph_labels"})
    folder.write(std::string("T_") + suffix + ".txt", "1\n");
  EXPECT_EQ(detect_format(folder.path()).value(), DataFormat::kTuFolder);
}

TEST(DetectFormat, NothingFits) {
  for (const std::string& bytes : std::vector<std::string>{"", "\n\n", "hello", "12 13\n", "[1]", "PK nonsense",
                                                           testing::make_zip({{"a", ""}, {"b", ""}})}) {
    const Result<DataFormat> format = detect(bytes);
    ASSERT_FALSE(format.ok()) << bytes;
    EXPECT_EQ(format.error().code, ErrorCode::kMalformedInput);
  }
  EXPECT_EQ(detect("").error().message, "f: not a data set in a known format: the file is empty");
  EXPECT_EQ(detect_format("/nonexistent/x").error().code, ErrorCode::kNotFound);
}

TEST(DataFormatName, AllDiffer) {
  EXPECT_EQ(data_format_name(DataFormat::kTuZip), "tu-zip");
  EXPECT_EQ(data_format_name(DataFormat::kSuperpixelNpz), "superpixel-npz");
}

}  // namespace
}  // namespace unscatter
