// Forgotten data leaves memory: after forget() no byte that the process still holds carries the removed features, the
// removed id, the weight of a removed edge or the old embedding.
//
// The scan reads every writable page.  free() is replaced by one that clears the block first, so that what is found is
// held by somebody; what was freed before is another matter (docs/theory.md, "What the guarantee does not say").  The
// sentinels exist in the clear only inside the data: the test keeps them masked.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "support/sanitized.h"
#include "unscatter/embedding/transform_spec.h"
#include "unscatter/unlearn/session.h"

#if !UNSCATTER_SANITIZED
// NOLINTBEGIN: glibc's own functions under glibc's own names, replaced here.
extern "C" void __libc_free(void* __ptr);
extern "C" void free(void* __ptr) noexcept {
  if (__ptr != nullptr) explicit_bzero(__ptr, malloc_usable_size(__ptr));
  __libc_free(__ptr);
}
extern "C" void* realloc(void* __ptr, std::size_t __size) noexcept {
  void* moved = malloc(__size);
  if (moved != nullptr && __ptr != nullptr) {
    std::memcpy(moved, __ptr, std::min(__size, malloc_usable_size(__ptr)));
    free(__ptr);
  }
  return moved;
}
// NOLINTEND
#endif

namespace unscatter {
namespace {

constexpr std::uint64_t kMask = 0x5bd1e9955bd1e995;

constexpr std::uint64_t kMaskedWeight = std::bit_cast<std::uint64_t>(2.6180339887498949) ^ kMask;
// 0.7318530717958647 and "subject-of-an-erasure-order", masked.
constexpr std::uint64_t kMaskedFeature = std::bit_cast<std::uint64_t>(0.7318530717958647) ^ kMask;
constexpr std::string_view kMaskedId = "rtckdbu,ng,`o,ds`rtsd,nsdrr";  // each byte xor 1

[[gnu::noinline]] double feature() {
  volatile std::uint64_t masked = kMaskedFeature;
  return std::bit_cast<double>(masked ^ kMask);
}

[[gnu::noinline]] double edge_weight() {
  volatile std::uint64_t masked = kMaskedWeight;
  return std::bit_cast<double>(masked ^ kMask);
}

[[gnu::noinline]] std::string subject() {
  std::string id(kMaskedId);
  for (char& c : id) c = static_cast<char>(c ^ 1);
  return id;
}

// Overwrites what earlier calls left on the stack.
[[gnu::noinline]] void scrub_stack() {
  volatile char room[512 * 1024];
  for (volatile char& byte : room) byte = 0;
}

// How often a masked word stands, aligned, in this process's writable memory.
std::size_t occurrences(const std::set<std::uint64_t>& masked_words) {
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  std::size_t found = 0;
  char line[512];
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> regions;
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    std::uintptr_t first = 0;
    std::uintptr_t last = 0;
    char mode[8];
    if (std::sscanf(line, "%lx-%lx %7s", &first, &last, mode) != 3 || mode[0] != 'r' || mode[1] != 'w') continue;
    if (std::strstr(line, "[v") != nullptr) continue;  // vvar, vsyscall
    regions.emplace_back(first, last);
  }
  std::fclose(maps);
  for (const auto& [first, last] : regions) {
    for (auto* word = reinterpret_cast<const volatile std::uint64_t*>(first);
         word != reinterpret_cast<const void*>(last); ++word) {
      if (masked_words.contains(*word ^ kMask)) ++found;
    }
  }
  return found;
}

std::size_t id_occurrences() {
  std::uint64_t masked = 0;
  std::memcpy(&masked, kMaskedId.data(), sizeof masked);
  return occurrences({masked ^ 0x0101010101010101 ^ kMask});
}

// Graph 0 holds the sentinel in its node 2; graphs 1.. hold other features.
[[gnu::noinline]] Session make_session(std::size_t graphs, bool fast) {
  Dataset dataset;
  dataset.class_names = {"a", "b"};
  Sequence random(11);
  for (std::size_t g = 0; g < graphs; ++g) {
    GraphParts parts;
    parts.node_count = 5;
    parts.edges = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}, {2, 4}};
    parts.attribute_count = 1;
    for (std::size_t i = 0; i < 5; ++i) parts.attributes.push_back(random.unit());
    for (std::size_t i = 0; i < 5; ++i) parts.node_ids.push_back("member " + std::to_string(i));
    for (std::size_t k = 0; k < parts.edges.size(); ++k) parts.weights.push_back(1 + random.unit());
    if (g == 0) {
      parts.attributes[2] = feature();
      parts.weights[2] = edge_weight();  // of the edge from node 2 to node 3
      parts.node_ids[2] = subject();
    }
    dataset.graphs.push_back(Graph::create(std::move(parts)).value());
    dataset.labels.push_back(static_cast<std::uint32_t>(g % 2));
  }
  std::vector<EmbeddingBlock> blocks;
  blocks.push_back(
      {FeatureMap::resolve("attributes", dataset).value(), make_transform({.scales = 2, .moments = 1}).value()});
  SessionOptions options;
  options.threads = 1;  // other threads have stacks that nothing can clear
  if (fast) {
    options.noise_stddev = 1e6;
    options.distance_limit = 1e6;
  }
  return Session::create(std::move(dataset), std::make_shared<Embedder>(std::move(blocks)), options).value();
}

// Values of graph 0's row that no other row has, masked.
[[gnu::noinline]] std::set<std::uint64_t> masked_row(const Session& session) {
  std::set<std::uint64_t> words;
  for (const double value : session.embeddings().row(0).values) {
    if (value != 0) words.insert(std::bit_cast<std::uint64_t>(value) ^ kMask);
  }
  for (std::size_t i = 1; i < session.slots(); ++i) {
    for (const double value : session.embeddings().row(i).values)
      words.erase(std::bit_cast<std::uint64_t>(value) ^ kMask);
  }
  return words;
}

[[gnu::noinline]] RemovalRequest request(int kind) {
  if (kind == 0) return ForgetNode{0u, 2u};
  if (kind == 1) return ForgetGraph{0u};
  return ForgetSubject{subject()};
}

class Erasure : public ::testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(Erasure, NothingOfTheRemovedIsHeld) {
  if (testing::kSanitized) GTEST_SKIP() << "sanitizers keep freed blocks and their own copies";
  const auto [kind, fast] = GetParam();
  Session session = make_session(fast ? 40 : 8, fast);
  std::set<std::uint64_t> old_row = masked_row(session);
  ASSERT_GE(old_row.size(), 4u);
  scrub_stack();
  // The scan can find: before the removal, all of it is there.
  EXPECT_GE(occurrences({kMaskedFeature}), 1u);
  EXPECT_GE(occurrences({kMaskedWeight}), 2u);  // one entry in the row of either end
  EXPECT_GE(id_occurrences(), 1u);
  EXPECT_GE(occurrences(old_row), old_row.size());

  ASSERT_TRUE(session.forget(request(kind)).ok());
  EXPECT_EQ(session.certificate().rung == Rung::kFast, fast);
  for (const std::uint64_t word : masked_row(session)) old_row.erase(word);  // what the new row shares with the old one
  ASSERT_GE(old_row.size(), 4u);
  scrub_stack();
  EXPECT_EQ(occurrences({kMaskedFeature}), 0u);
  EXPECT_EQ(occurrences({kMaskedWeight}), 0u);
  EXPECT_EQ(id_occurrences(), 0u);
  EXPECT_EQ(occurrences(old_row), 0u);
}

// What a correction replaces goes like what a removal takes: the old attribute, the old weight, the old row.
[[gnu::noinline]] Correction correction_of(int kind) {
  if (kind == 0) return SetFeatures{0u, 2u, std::vector<double>{0.125}};
  return DropEdge{0u, 2u, 3u};
}

class CorrectionErasure : public ::testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(CorrectionErasure, NothingOfTheOldValueIsHeld) {
  if (testing::kSanitized) GTEST_SKIP() << "sanitizers keep freed blocks and their own copies";
  const auto [kind, fast] = GetParam();
  Session session = make_session(fast ? 40 : 8, fast);
  std::set<std::uint64_t> old_row = masked_row(session);
  ASSERT_GE(old_row.size(), 4u);
  scrub_stack();
  EXPECT_GE(occurrences({kMaskedFeature}), 1u);
  EXPECT_GE(occurrences({kMaskedWeight}), 2u);
  EXPECT_GE(occurrences(old_row), old_row.size());
  {
    const Correction correction = correction_of(kind);
    ASSERT_TRUE(session.correct(std::span(&correction, 1)).ok());
  }
  EXPECT_EQ(session.certificate().rung == Rung::kFast, fast);
  for (const std::uint64_t word : masked_row(session)) old_row.erase(word);
  ASSERT_GE(old_row.size(), 3u);
  scrub_stack();
  if (kind == 0) {
    EXPECT_EQ(occurrences({kMaskedFeature}), 0u);
  } else {
    EXPECT_EQ(occurrences({kMaskedWeight}), 0u);
  }
  EXPECT_EQ(occurrences(old_row), 0u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, CorrectionErasure, ::testing::Combine(::testing::Values(0, 1), ::testing::Bool()));

// Values of the last row that no other row has, masked.  A function of its own: its frame is scrubbed.
[[gnu::noinline]] std::set<std::uint64_t> masked_last_row(const Session& session) {
  std::set<std::uint64_t> words;
  const std::size_t last = session.slots() - 1;
  for (const double value : session.embeddings().row(last).values) {
    words.insert(std::bit_cast<std::uint64_t>(value) ^ kMask);
  }
  for (std::size_t i = 0; i < last; ++i) {
    for (const double value : session.embeddings().row(i).values) {
      words.erase(std::bit_cast<std::uint64_t>(value) ^ kMask);
    }
  }
  return words;
}

// A graph that came later goes as one that was there from the beginning.
TEST(AdditionErasure, NothingOfAGraphThatWasAddedAndForgottenIsHeld) {
  if (testing::kSanitized) GTEST_SKIP() << "sanitizers keep freed blocks and their own copies";
  Session session = make_session(8, false);
  ASSERT_TRUE(session.forget(ForgetGraph{0u}).ok());  // it holds the sentinels; another one brings them back
  scrub_stack();
  EXPECT_EQ(occurrences({kMaskedFeature}), 0u);
  {
    Dataset more = make_session(2, false).remaining();
    more.graphs.pop_back();
    more.labels.pop_back();
    ASSERT_TRUE(session.add(std::move(more)).ok());
  }
  scrub_stack();
  EXPECT_GE(occurrences({kMaskedFeature}), 1u);
  EXPECT_GE(id_occurrences(), 1u);
  const std::set<std::uint64_t> row = masked_last_row(session);
  ASSERT_GE(row.size(), 4u);
  EXPECT_GE(occurrences(row), row.size());
  ASSERT_TRUE(session.forget(ForgetGraph{8u}).ok());
  scrub_stack();
  EXPECT_EQ(occurrences({kMaskedFeature}), 0u);
  EXPECT_EQ(id_occurrences(), 0u);
  EXPECT_EQ(occurrences(row), 0u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Erasure, ::testing::Combine(::testing::Values(0, 1, 2), ::testing::Bool()));

}  // namespace
}  // namespace unscatter
