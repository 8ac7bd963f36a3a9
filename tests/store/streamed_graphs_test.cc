#include "store/streamed_graphs.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace unscatter {
namespace {

GraphStream stream_of(const std::filesystem::path& path, const std::string& lines) {
  std::ofstream(path) << lines;
  return GraphStream::open(path).value();
}

Digest digest_of(const std::filesystem::path& path, const std::string& lines) {
  GraphStream stream = stream_of(path, lines);
  StreamDigest digest;
  while (auto graph = stream.next().value()) digest.add(*graph);
  return digest.finish();
}

// Whatever a workspace would keep of a graph is in the digest.
TEST(StreamedGraphs, TheDigestSeesEveryChange) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "data.jsonl";
  const std::string first = R"({"id":"a","label":"x","nodes":["p","q"],"edges":[[0,1]],"features":[[1],[2]]})"
                            "\n";
  const std::string second = R"({"id":"b","label":"y","nodes":["p","r"],"edges":[[0,1]],"features":[[1],[2]]})"
                             "\n";
  const Digest whole = digest_of(path, first + second);
  EXPECT_EQ(digest_of(path, first + second), whole);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = second;
    changed.replace(changed.find(from), from.size(), to);
    return digest_of(path, first + changed);
  };
  EXPECT_NE(with(R"("id":"b")", R"("id":"c")"), whole);
  EXPECT_NE(with(R"("id":"b",)", ""), whole);
  EXPECT_NE(with(R"("label":"y")", R"("label":"x")"), whole);
  EXPECT_NE(with(R"("r")", R"("s")"), whole);
  EXPECT_NE(with("[[0,1]]", "[]"), whole);
  EXPECT_NE(with("[2]", "[3]"), whole);
  EXPECT_NE(digest_of(path, second + first), whole);
  EXPECT_NE(digest_of(path, first), whole);
  EXPECT_NE(digest_of(path, first + second + second), whole);
}

TEST(StreamedGraphs, ComeInPieces) {
  const testing::TemporaryFolder folder;
  std::string lines;
  for (std::size_t i = 0; i < 2500; ++i)
    lines += R"({"label":0,"nodes":2,"edges":[[0,1]]})"
             "\n";
  // A large graph fills a piece of its own.
  lines += R"({"label":0,"nodes":600000,"edges":[]})"
           "\n"
           R"({"label":0,"nodes":2,"edges":[]})"
           "\n";
  GraphStream stream = stream_of(folder.path() / "data.jsonl", lines);
  std::vector<std::size_t> sizes;
  std::size_t next_number = 0;
  for (;;) {
    const std::vector<StreamedGraph> graphs = stream.next_some().value();
    if (graphs.empty()) break;
    sizes.push_back(graphs.size());
    for (const StreamedGraph& graph : graphs) EXPECT_EQ(graph.number, next_number++);
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{1024, 1024, 453, 1}));
}

}  // namespace
}  // namespace unscatter
