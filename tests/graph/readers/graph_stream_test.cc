#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "support/random_graph.h"
#include "support/temporary_folder.h"
#include "unscatter/graph/read.h"

namespace unscatter {
namespace {

std::vector<StreamedGraph> all_of(GraphStream& stream) {
  std::vector<StreamedGraph> graphs;
  for (;;) {
    auto next = stream.next().value();
    if (!next) return graphs;
    graphs.push_back(*std::move(next));
  }
}

Dataset streamed_dataset() {
  Dataset dataset;
  dataset.class_names = {"a", "b"};
  for (std::uint64_t seed = 1; seed <= 9; ++seed) {
    testing::RandomGraphOptions options = testing::kWeightedGraph;
    options.directed = seed % 2 == 0;
    dataset.graphs.push_back(testing::random_graph(seed, options));
    dataset.labels.push_back(static_cast<std::uint32_t>(seed % 2));
    dataset.graph_ids.push_back("g" + std::to_string(seed));
  }
  return dataset;
}

TEST(GraphStream, GivesTheGraphsOfTheBulkReader) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "d.jsonl";
  ASSERT_TRUE(write_jsonl(streamed_dataset(), path).ok());
  for (const bool symmetrise : {false, true}) {
    const Dataset whole = read_dataset(path, {.symmetrise = symmetrise}).value();
    GraphStream stream = GraphStream::open(path, {.symmetrise = symmetrise}).value();
    const std::vector<StreamedGraph> graphs = all_of(stream);
    ASSERT_EQ(graphs.size(), whole.size());
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      EXPECT_EQ(graphs[i].graph, whole.graphs[i]);
      EXPECT_EQ(graphs[i].label, whole.class_names[whole.labels[i]]);
      EXPECT_EQ(graphs[i].id, whole.graph_ids[i]);
      EXPECT_EQ(graphs[i].number, i);
      EXPECT_EQ(graphs[i].place, path.string() + ", line " + std::to_string(i + 1));
    }
  }
}

TEST(GraphStream, OtherFormatsComeOneByOneToo) {
  const testing::TemporaryFolder folder;
  const auto path = folder.write("d.txt", "2\n2 1\n0 1 1\n0 1 0\n1 7\n0 0\n");
  GraphStream stream = GraphStream::open(path).value();
  const std::vector<StreamedGraph> graphs = all_of(stream);
  ASSERT_EQ(graphs.size(), 2u);
  EXPECT_EQ(graphs[1].label, "7");
  EXPECT_FALSE(graphs[1].id.has_value());
  EXPECT_EQ(graphs[1].place, path.string() + ", graph 1");
}

TEST(GraphStream, TakesGraphsWithoutALabelThatTheBulkReaderRefuses) {
  const testing::TemporaryFolder folder;
  const auto path = folder.write("d.jsonl",
                                 "{\"label\":1,\"nodes\":1,\"edges\":[]}\n"
                                 "{\"nodes\":2,\"edges\":[[0,1]]}\n"
                                 "{\"label\":null,\"nodes\":2,\"edges\":[[0,1]]}\n");
  GraphStream stream = GraphStream::open(path).value();
  const std::vector<StreamedGraph> graphs = all_of(stream);
  ASSERT_EQ(graphs.size(), 3u);
  EXPECT_EQ(graphs[0].label, "1");
  EXPECT_FALSE(graphs[1].label.has_value());
  EXPECT_FALSE(graphs[2].label.has_value());
  const auto refused = read_dataset(path);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("line 2: \"label\" is missing"), std::string::npos) << refused.error().message;
  EXPECT_NE(refused.error().message.find("add it, or take the line out"), std::string::npos) << refused.error().message;
}

TEST(GraphStream, ErrorsNameTheLine) {
  const testing::TemporaryFolder folder;
  const auto path = folder.write("d.jsonl", "{\"nodes\":1,\"edges\":[]}\n{\"nodes\":1,\"edges\":[[0,1]]}\n");
  GraphStream stream = GraphStream::open(path).value();
  ASSERT_TRUE(stream.next().ok());
  const auto second = stream.next();
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message.find("d.jsonl, line 2: edge [0,1]"), std::string::npos) << second.error().message;
  GraphStream small = GraphStream::open(path, {.limits = {.max_nodes = 0}}).value();
  EXPECT_EQ(small.next().error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(GraphStream::open(folder.path() / "none").error().code, ErrorCode::kNotFound);
}

TEST(GraphStream, ReadsAPipeOnce) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] {
    std::ofstream out(path);
    for (int i = 0; i < 5; ++i) out << "{\"nodes\":1,\"edges\":[]}\n";
  });
  GraphStream stream = GraphStream::open(path).value();
  EXPECT_EQ(all_of(stream).size(), 5u);
  writer.join();
}

// Three times the bytes that a line may have, in many lines: the limit is one of a line.  The same text in one line is
// refused before it is in memory.
TEST(GraphStream, TheLimitOfBytesIsThatOfALine) {
  const testing::TemporaryFolder folder;
  std::string line = "{\"label\":1,\"nodes\":3,\"edges\":[[0,1]";
  while (line.size() < 100'000) line += ",[1,2]";
  line += "]}\n";
  std::string text;
  for (int i = 0; i < 20; ++i) text += line;
  const auto path = folder.write("d.jsonl", text);
  const ReadOptions options{.limits = {.max_bytes = 600'000}};
  GraphStream stream = GraphStream::open(path, options).value();
  EXPECT_EQ(all_of(stream).size(), 20u);
  EXPECT_EQ(read_jsonl(path, options).error().code, ErrorCode::kLimitExceeded);

  std::string long_line = "{\"nodes\":3,\"edges\":[[0,1]";
  while (long_line.size() < 1'000'000) long_line += ",[1,2]";
  GraphStream refused = GraphStream::open(folder.write("long.jsonl", long_line + "]}\n"), options).value();
  EXPECT_EQ(refused.next().error().code, ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace unscatter
