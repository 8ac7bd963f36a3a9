#include <gtest/gtest.h>

#include <string>

#include "support/make_archive.h"
#include "support/temporary_folder.h"
#include "unscatter/graph/read.h"

namespace unscatter {
namespace {

// A graph of two joined nodes and one of a single node, in every text format.
constexpr const char* kGinBytes = "2\n2 0\n0 1 1\n0 1 0\n1 1\n0 0\n";
constexpr const char* kJsonlBytes =
    "{\"label\":0,\"nodes\":2,\"edges\":[[0,1]]}\n{\"label\":1,\"nodes\":1,\"edges\":[]}\n";

void expect_the_pair(const Result<Dataset>& dataset) {
  ASSERT_TRUE(dataset.ok()) << dataset.error().message;
  ASSERT_EQ(dataset->size(), 2u);
  EXPECT_EQ(dataset->graphs[0].node_count(), 2u);
  EXPECT_EQ(dataset->graphs[0].degree(1), 1u);
  EXPECT_EQ(dataset->graphs[1].node_count(), 1u);
}

TEST(ReadDataset, EveryTextFormatByItsContent) {
  const testing::TemporaryFolder folder;
  for (const std::string& bytes :
       {std::string(kGinBytes), std::string(kJsonlBytes), testing::make_zip({{"pair.txt", kGinBytes}}),
        testing::make_zip(
            {{"T_A.txt", "1, 2\n2, 1\n"}, {"T_graph_indicator.txt", "1\n1\n2\n"}, {"T_graph_labels.txt", "0\n1\n"}})}) {
    SCOPED_TRACE(bytes.substr(0, 20));
    expect_the_pair(read_dataset(folder.write("data", bytes)));
  }
}

TEST(ReadDataset, WhatIsNoDataSetIsRefusedByName) {
  const testing::TemporaryFolder folder;
  const auto refused = read_dataset(folder.write("letter.txt", "Dear reader"));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kMalformedInput);
  EXPECT_NE(refused.error().message.find("letter.txt"), std::string::npos) << refused.error().message;
  EXPECT_EQ(read_dataset(folder.path() / "nothing").error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace unscatter
