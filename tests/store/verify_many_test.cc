// `verify` after each of many removals: no false alarm, and every planted page is found.
//
// The short run is part of the tests.  The long one, over the real data sets (docs/testing.md):
//   UNSCATTER_VERIFY_REMOVALS=10000 build/release/tests/store/store_tests --gtest_filter='VerifyMany.*'
// UNSCATTER_VERIFY_DATA=NAME takes one data set only, so that several processes can share the work.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "sample_workspace.h"
#include "store/sqlite.h"
#include "support/data_folder.h"
#include "support/temporary_folder.h"
#include "unscatter/base/random.h"
#include "unscatter/graph/generate.h"
#include "unscatter/graph/read.h"
#include "unscatter/store/verify.h"

namespace unscatter {
namespace {

std::size_t removals_wanted() {
  const char* chosen = std::getenv("UNSCATTER_VERIFY_REMOVALS");
  return chosen == nullptr ? 60 : std::strtoull(chosen, nullptr, 10);
}

// Of large data sets only some graphs, of all classes: every verification embeds all of them.
constexpr std::size_t kMostGraphs = 300;

Dataset some_graphs(const Dataset& dataset) {
  std::vector<std::size_t> chosen(std::min(kMostGraphs, dataset.size()));
  for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = i * dataset.size() / chosen.size();
  Dataset part = subset(dataset, chosen);
  part.name = dataset.name;
  return part;
}

std::vector<Dataset> datasets(std::size_t removals) {
  const char* only = std::getenv("UNSCATTER_VERIFY_DATA");
  std::vector<Dataset> all;
  if (only == nullptr) {
    all.push_back(generate_interest_groups({.groups = 60, .users = 200, .seed = 7}).value());
    all.push_back(testing::sample_setup(3, {}, 40).dataset);
  }
  // The real ones take too long for every day.
  const auto folder = testing::data_folder();
  if (!folder || removals < 1000) return all;
  for (const std::string name : {"MUTAG", "ENZYMES", "PROTEINS", "NCI1", "IMDB-BINARY", "IMDB-MULTI", "COLLAB",
                                 "REDDIT-BINARY", "MNIST", "CIFAR10"}) {
    if (only != nullptr && name != only) continue;
    const bool arrays = name == "MNIST" || name == "CIFAR10";
    const std::string file = name + (arrays ? "_superpixels_train.npz" : ".zip");
    all.push_back(some_graphs(read_dataset(*folder / name / file).value()));
  }
  return all;
}

// Of any kind, by number, since most data sets have no ids.
RemovalRequest request_by_number(Sequence& random, const Session& session) {
  for (;;) {
    const std::size_t slot = random.below(session.slots());
    const Graph* graph = session.graph(slot);
    if (graph == nullptr) continue;
    const std::size_t node = random.below(graph->node_count());
    const std::vector<std::uint32_t> numbers = session.slot_snapshot(slot).node_numbers;
    const auto key = [&](std::size_t i) { return NodeKey(numbers.empty() ? i : numbers[i]); };
    switch (random.below(8)) {
      case 0:
      case 1: return ForgetFeatures{slot, key(node)};
      case 2:
      case 3:
        if (graph->degree(node) == 0) break;
        return ForgetEdge{slot, key(graph->neighbours(node)[random.below(graph->degree(node))]), key(node)};
      case 4: return ForgetGraph{slot};
      default: return ForgetNode{slot, key(node)};
    }
  }
}

// One life of a workspace after the other, each with other options.
class Lives {
 public:
  Lives(const Dataset& dataset, std::uint64_t seed) : dataset_(dataset), random_(seed) {
    how_.key = testing::sample_key();
    how_.record = folder_.path() / "signing.key";
    how_.threads = 1;
  }

  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "w.unscatter"; }
  [[nodiscard]] Verification verify(const std::filesystem::path& file) const {
    WorkspaceOptions how = how_;
    if (file != path()) how.record.clear();
    return verify_workspace(file, {.signer = how.key->public_key()}, how).value();
  }

  // By a process of its own, as it were: opened, one removal, closed.
  void remove_one() {
    if (age_ == 0) begin();
    Workspace workspace = Workspace::open(path(), how_).value();
    const Session& session = *workspace.session().value();
    Result<Forgotten> done = Error{ErrorCode::kNotFound, ""};
    while (!done.ok()) {
      const RemovalRequest request = request_by_number(random_, session);
      done = workspace.forget(std::span(&request, 1), {.keep_salts = age_ % 3 == 0});
    }
    if (age_ % 7 == 0) {
      ASSERT_TRUE(workspace.release().ok());
    }
    ++age_;
    if (age_ >= 200 || 3 * session.graph_count() < dataset_.size()) age_ = 0;
  }

  // Data where nothing may be, by a program that does not overwrite what it deletes.
  [[nodiscard]] std::filesystem::path planted(std::size_t kind) const {
    const std::filesystem::path copy = folder_.path() / "planted.unscatter";
    std::filesystem::copy_file(path(), copy, std::filesystem::copy_options::overwrite_existing);
    {
      // Overflow pages that are freed: the receipt is longer than a page.  Kind 0 leaves it in them.
      const Database database = Database::open(copy, Database::Mode::kExisting, std::chrono::milliseconds(0)).value();
      EXPECT_TRUE(database
                      .run(std::string("PRAGMA locking_mode = EXCLUSIVE; PRAGMA secure_delete = ") +
                           (kind == 0 ? "OFF;" : "ON;") +
                           "INSERT INTO receipts VALUES(1000000, hex(randomblob(20000)));"
                           "DELETE FROM receipts WHERE sequence = 1000000")
                      .ok());
      EXPECT_TRUE(database.empty_log().ok());
    }
    if (kind == 0) return copy;
    std::string file = testing::read_whole_file(copy);
    const std::size_t page = number_at(file, 16, 2) == 1 ? 65536 : number_at(file, 16, 2);
    const std::size_t trunk = number_at(file, 32, 4);
    EXPECT_NE(trunk, 0u);
    const std::size_t at = (trunk - 1) * page;
    const std::size_t leaves = number_at(file, at + 4, 4);
    // Behind the counted leaves of a page of the list, or in a leaf.
    std::size_t place = at + 8 + 4 * leaves;
    EXPECT_GT(leaves, 0u);
    if (kind == 2) place = (number_at(file, at + 8 + 4 * (leaves - 1), 4) - 1) * page + page / 2;
    file.replace(place, 4, "Anna");
    return folder_.write("planted.unscatter", file);
  }

 private:
  void begin() {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      std::filesystem::remove(entry.path(), ignored);
    }
    WorkspaceSetup setup;
    setup.dataset = dataset_;
    setup.features = "log-degree";
    setup.transform.scales = 2;
    setup.transform.layers = 2;
    if (lives_++ % 2 == 1) setup.options.removal = NodeRemoval::kTombstone;
    ASSERT_TRUE(Workspace::create(path(), std::move(setup), how_).ok());
  }
  static std::size_t number_at(const std::string& file, std::size_t place, std::size_t size) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < size; ++i) value = value << 8 | static_cast<unsigned char>(file.at(place + i));
    return value;
  }

  const Dataset& dataset_;
  Sequence random_;
  testing::TemporaryFolder folder_{testing::memory_folder()};
  WorkspaceOptions how_;
  std::size_t age_ = 0;  // removals in this life
  std::size_t lives_ = 0;
};

TEST(VerifyMany, NoRemovalLooksLikeAFailedErasureAndEveryPlantedPageIsFound) {
  const std::size_t wanted = removals_wanted();
  const std::vector<Dataset> all = datasets(wanted);
  std::size_t removals = 0;
  std::size_t false_alarms = 0;
  std::size_t planted = 0;
  std::size_t found = 0;
  for (std::size_t d = 0; d < all.size(); ++d) {
    Lives lives(all[d], d + 1);
    const std::size_t share = wanted / all.size() + (d < wanted % all.size() ? 1 : 0);
    for (std::size_t i = 0; i < share; ++i, ++removals) {
      ASSERT_NO_FATAL_FAILURE(lives.remove_one());
      const Verification verification = lives.verify(lives.path());
      if (!verification.passed) {
        ++false_alarms;
        ADD_FAILURE() << all[d].name << ", removal " << i << ":\n" << testing::all_details(verification);
      }
      if (i % 10 != 9) continue;
      for (const std::size_t kind : {0u, 1u, 2u}) {
        const std::filesystem::path fault = lives.planted(kind);
        ++planted;
        const bool is_found = testing::failed_checks(lives.verify(fault)) == std::vector<std::string>{"erasure"};
        found += is_found ? 1 : 0;
        EXPECT_TRUE(is_found) << all[d].name << ", removal " << i << ", kind " << kind;
      }
    }
    std::cout << all[d].name << ": so far " << removals << " removals, " << false_alarms << " false alarms, " << planted
              << " planted faults, " << found << " found" << std::endl;
  }
  EXPECT_EQ(removals, wanted);
  EXPECT_EQ(false_alarms, 0u);
  EXPECT_GE(planted, 3 * (wanted / 10 - all.size()));
  EXPECT_EQ(found, planted);
}

}  // namespace
}  // namespace unscatter
