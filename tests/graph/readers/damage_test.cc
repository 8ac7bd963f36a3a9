// Damage of every kind at every place: an error or a data set, never a crash (the sanitizers watch).  What this does
// not show: that damage is always noticed; text without a checksum may change into other valid text.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "graph/readers/entry_points.h"
#include "support/make_archive.h"

namespace unscatter::readers {
namespace {

using testing::bytes_of;
using testing::make_npy;
using testing::make_zip;
using testing::ZipMethod;

using Reader = Result<Dataset> (*)(const Input&, const ReadOptions&);
struct Sample {
  const char* name;
  Reader reader;
  std::string bytes;
  bool whole_or_nothing;  // every cut must be noticed
};

std::vector<Sample> samples() {
  const testing::ArchiveMembers tu = {{"T/T_A.txt", "1, 2\n2, 1\n3, 4\n"},
                                      {"T/T_graph_indicator.txt", "1\n1\n2\n2\n"},
                                      {"T/T_graph_labels.txt", "1\n-1\n"}};
  const std::string gin = "2\n2 1\n0 1 1\n0 1 0\n1 0\n0 0\n";
  const testing::ArchiveMembers npz = {
      {"node_offsets.npy", make_npy("<i4", "(3,)", bytes_of<std::int32_t>({0, 1, 3}))},
      {"labels.npy", make_npy("|u1", "(2,)", "\x01\x02")},
      {"x.npy", make_npy("<f2", "(3, 1)", bytes_of<std::uint16_t>({0x3c00, 0, 0}))},
      {"pos.npy", make_npy("<f2", "(3, 2)", bytes_of<std::uint16_t>({0, 0, 0, 0, 0, 0}))},
      {"nbr_delta.npy", make_npy("|u1", "(3, 1)", std::string("\x00\x01\xff", 3))}};
  const std::string jsonl =
      "{\"label\":1,\"nodes\":[\"a\",\"b\"],\"edges\":[[0,1]],\"features\":[[1],[0]],\"states\":[\"present\","
      "\"featureless\"]}"
      "\n";
  return {{"tu.zip", read_tu, make_zip(tu), true},
          {"tu-stored.zip", read_tu, make_zip(tu, ZipMethod::kStored), true},
          {"gin.txt", read_gin, gin, false},
          {"gin.zip", read_gin, make_zip({{"g.txt", gin}}), true},
          {"s.npz", read_superpixels, make_zip(npz), true},
          {"d.jsonl", read_jsonl, jsonl, false}};
}

const ReadOptions kSmall = {
    .limits = {.max_bytes = 1 << 20, .max_nodes = 1 << 16, .max_edges = 1 << 16, .max_graphs = 1 << 10}, .threads = 1};

TEST(Damage, CutAtEveryByte) {
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.name);
    ASSERT_TRUE(sample.reader(Input::memory(sample.name, sample.bytes), kSmall).ok());
    for (std::size_t length = 0; length < sample.bytes.size(); ++length) {
      const std::string cut = sample.bytes.substr(0, length);  // its own allocation, so that reading past the end shows
      const Result<Dataset> dataset = sample.reader(Input::memory(sample.name, cut), kSmall);
      if (sample.whole_or_nothing) {
        EXPECT_FALSE(dataset.ok()) << length;
      }
      if (!dataset.ok()) {
        EXPECT_FALSE(dataset.error().message.empty());
      }
    }
  }
}

TEST(Damage, EveryByteFlipped) {
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.name);
    for (std::size_t k = 0; k < sample.bytes.size(); ++k) {
      for (const int mask : {0x01, 0x10, 0x80, 0xff}) {
        std::string flipped = sample.bytes;
        flipped[k] = static_cast<char>(flipped[k] ^ mask);
        const Result<Dataset> dataset = sample.reader(Input::memory(sample.name, flipped), kSmall);
        if (dataset.ok()) {
          EXPECT_EQ(dataset->labels.size(), dataset->graphs.size());
        } else {
          EXPECT_FALSE(dataset.error().message.empty());
        }
      }
    }
  }
}

}  // namespace
}  // namespace unscatter::readers
