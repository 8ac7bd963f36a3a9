// Forgotten data leaves the disk: no byte of it is left in any file that a workspace ever used, whatever happens next.
//
// Each removal is of something recognisable.  The scan finds it before, and must not find it afterwards.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "crash/plain_database.h"
#include "crash/simulated_disk.h"
#include "crash/small_workspace.h"
#include "support/sanitized.h"
#include "support/temporary_folder.h"

namespace unscatter::testing {
namespace {

constexpr std::size_t kReachStride = kSanitized ? 9 : 1;

// As a graph's bytes hold them (docs/workspace-format.md): little-endian, 8 and 4 bytes.
std::string bytes_of_real(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  std::string bytes;
  for (unsigned i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(bits >> (8 * i)));
  return bytes;
}

std::string bytes_of_row(std::span<const NodeIndex> neighbours) {
  std::string bytes;
  for (const NodeIndex node : neighbours) {
    for (unsigned i = 0; i < 4; ++i) bytes.push_back(static_cast<char>(node >> (8 * i)));
  }
  return bytes;
}

// The first values of an embedded row, as the file keeps them.
std::string bytes_of_values(const BlockRow& row) {
  std::string bytes;
  for (std::size_t i = 0; i < 2; ++i) bytes += bytes_of_real(row.values.at(i));
  return bytes;
}

// In [1/2, 1); no two alike.
double telling_attribute(std::size_t graph, std::size_t node) {
  const std::uint64_t digits = 0x3'1415'9265'3589 * (1 + 1000 * graph + node);
  return std::bit_cast<double>(0x3fe0'0000'0000'0000 | (digits & 0xf'ffff'ffff'ffff));
}

double telling_weight(std::size_t graph, std::size_t edge) { return 3 * telling_attribute(100 + graph, edge); }

std::string telling_id(std::size_t graph, std::size_t node) {
  return fmt::format("member-{}-of-circle-{}", node, graph);
}

constexpr std::size_t kLarge = 2;  // a graph of several pages
constexpr std::size_t kLargeNodes = 300;
constexpr const char* kLeaver = "the-one-who-leaves";  // node 4 of graphs 1 and kLarge

// A ring with random chords: rows long enough to be recognised.
Graph telling_graph(std::size_t number, std::size_t nodes, Sequence& random) {
  GraphParts parts;
  parts.node_count = nodes;
  parts.attribute_count = 1;
  for (std::size_t i = 0; i < nodes; ++i) {
    parts.edges.push_back({static_cast<NodeIndex>(i), static_cast<NodeIndex>((i + 1) % nodes)});
    for (int chord = 0; chord < 2; ++chord) {
      parts.edges.push_back({static_cast<NodeIndex>(i), static_cast<NodeIndex>(random.below(nodes))});
    }
    parts.attributes.push_back(telling_attribute(number, i));
    parts.node_ids.push_back(telling_id(number, i));
  }
  // Copies of a chord add up.  So do the directions: from the smaller node to the larger one, each edge is listed once.
  for (std::size_t k = 0; k < parts.edges.size(); ++k) {
    Edge& edge = parts.edges[k];
    if (edge.from > edge.to) std::swap(edge.from, edge.to);
    parts.weights.push_back(telling_weight(number, k));
  }
  if (number == 1 || number == kLarge) parts.node_ids[4] = kLeaver;
  return Graph::create(std::move(parts)).value();
}

WorkspaceSetup telling_setup() {
  WorkspaceSetup setup = small_setup();
  Sequence random(31);
  for (const std::size_t g : {0U, 1U, 2U, 3U}) {
    setup.dataset.graphs[g] = telling_graph(g, g == kLarge ? kLargeNodes : 20, random);
    setup.dataset.graph_ids[g] = fmt::format("the-circle-called-{}", g);
  }
  // Dates name people once more, in a table and in its index.
  setup.dataset.due.graphs[kLarge] = 1'810'000'000;
  setup.dataset.due.subjects = {{kLeaver, 1'820'000'000},
                                {telling_id(0, 7), 1'820'000'000},
                                {telling_id(3, 10), 1'820'000'000},
                                {telling_id(kLarge, 150), 1'820'000'000}};
  return setup;
}

// A request and everything that must be gone with it.
struct Removal {
  RemovalRequest request;
  std::vector<std::string> traces;
};

// All of one graph's traces.
std::vector<std::string> traces_of(const Dataset& dataset, std::size_t g) {
  std::vector<std::string> traces = {dataset.graph_ids[g]};
  const Graph& graph = dataset.graphs[g];
  for (const std::size_t i : {std::size_t{0}, graph.node_count() / 2, graph.node_count() - 1}) {
    traces.push_back(graph.node_id(i));
    traces.push_back(bytes_of_real(graph.attributes(i)[0]));
    traces.push_back(bytes_of_row(graph.neighbours(i)));
    for (const double weight : graph.weights(i)) traces.push_back(bytes_of_real(weight));
  }
  return traces;
}

std::vector<Removal> removals_of(const Dataset& dataset) {
  const auto attribute = [&](std::size_t g, std::size_t i) {
    return bytes_of_real(dataset.graphs[g].attributes(i)[0]);
  };
  const auto row = [&](std::size_t g, std::size_t i) { return bytes_of_row(dataset.graphs[g].neighbours(i)); };
  const auto weight = [&](std::size_t g, std::size_t i, std::size_t k) {
    return bytes_of_real(dataset.graphs[g].weights(i)[k]);
  };
  const NodeIndex other = dataset.graphs[1].neighbours(9)[1];
  return {
      {ForgetFeatures{std::size_t{0}, std::size_t{2}}, {attribute(0, 2)}},
      {ForgetFeatures{kLarge, std::size_t{250}}, {attribute(kLarge, 250)}},
      {ForgetNode{std::size_t{0}, telling_id(0, 7)},
       {telling_id(0, 7), attribute(0, 7), row(0, 7), weight(0, 7, 0), weight(0, 7, 1)}},
      {ForgetEdge{std::size_t{1}, std::size_t{9}, std::size_t{other}}, {row(1, 9), row(1, other), weight(1, 9, 1)}},
      {ForgetSubject{kLeaver}, {kLeaver, attribute(1, 4), attribute(kLarge, 4), weight(1, 4, 0), weight(kLarge, 4, 2)}},
      {ForgetGraph{"the-circle-called-3"}, traces_of(dataset, 3)},
      {ForgetGraph{kLarge},
       {dataset.graph_ids[kLarge], telling_id(kLarge, 0), telling_id(kLarge, 150), attribute(kLarge, 150),
        attribute(kLarge, 299), weight(kLarge, 150, 0), weight(kLarge, 299, 1)}},
  };
}

std::size_t occurrences_in(const DiskContent& disk, const std::string& trace) {
  std::size_t count = 0;
  for (const auto& [name, bytes] : disk) {
    for (std::size_t at = bytes.find(trace); at != std::string::npos; at = bytes.find(trace, at + 1)) ++count;
  }
  return count;
}

// How many of the traces are still there.
std::size_t found(const DiskContent& disk, const std::vector<std::string>& traces) {
  std::size_t count = 0;
  for (const std::string& trace : traces) count += occurrences_in(disk, trace) > 0 ? 1U : 0U;
  return count;
}

class ErasureReach : public ::testing::Test {
 protected:
  ErasureReach() : disk_(folder_.path(), 37), dataset_(telling_setup().dataset), removals_(removals_of(dataset_)) {
    Workspace workspace = Workspace::create(path(), telling_setup(), small_options()).value();
    // A graph that goes takes its embedded row along.
    const SparseBlockRows& rows = workspace.session().value()->embeddings();
    removals_[5].traces.push_back(bytes_of_values(rows.row(3)));
  }

  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "w.unscatter"; }
  Workspace open() { return Workspace::open(path(), small_options()).value(); }

  TemporaryFolder folder_;
  SimulatedDisk disk_;
  Dataset dataset_;
  std::vector<Removal> removals_;
};

TEST_F(ErasureReach, NothingThatWasForgottenIsInAnyFile) {
  Workspace workspace = open();
  for (const Removal& removal : removals_) {
    SCOPED_TRACE(describe(removal.request));
    // The scan can see every trace, so that it would see one that is left.
    ASSERT_EQ(found(disk_.content(), removal.traces), removal.traces.size());
    disk_.record_writes();
    ASSERT_TRUE(workspace.forget(std::span(&removal.request, 1)).ok());
    EXPECT_EQ(found(disk_.content(), removal.traces), 0);
    // Nor was it written once more on its way out.
    for (const std::string& bytes : disk_.writes()) EXPECT_EQ(found({{"", bytes}}, removal.traces), 0);
    // Nor does a power loss right now bring it back.
    for (const PowerLoss loss : {PowerLoss::kNothing, PowerLoss::kPrefix, PowerLoss::kSubset, PowerLoss::kSubset}) {
      EXPECT_EQ(found(disk_.after(loss), removal.traces), 0);
    }
  }
}

// What a correction replaces is gone like what a removal takes.
TEST_F(ErasureReach, NoOldValueOfACorrectionIsInAnyFile) {
  const Graph& second = dataset_.graphs[1];
  const NodeIndex other = second.neighbours(9)[1];
  struct Corrected {
    Correction correction;
    std::vector<std::string> traces;
  };
  const std::vector<Corrected> corrections = {
      {SetFeatures{std::size_t{0}, std::size_t{2}, std::vector<double>{0.25}},
       {bytes_of_real(dataset_.graphs[0].attributes(2)[0])}},
      {SetFeatures{kLarge, std::size_t{250}, std::vector<double>{0.5}},
       {bytes_of_real(dataset_.graphs[kLarge].attributes(250)[0])}},
      {DropEdge{std::size_t{1}, std::size_t{9}, std::size_t{other}},
       {bytes_of_row(second.neighbours(9)), bytes_of_row(second.neighbours(other)),
        bytes_of_real(second.weights(9)[1])}},
  };
  Workspace workspace = open();
  ASSERT_TRUE(workspace.release().ok());
  for (const Corrected& one : corrections) {
    SCOPED_TRACE(describe(one.correction));
    ASSERT_EQ(found(disk_.content(), one.traces), one.traces.size());
    disk_.record_writes();
    const auto done = workspace.correct(std::span(&one.correction, 1));
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_EQ(found(disk_.content(), one.traces), 0);
    for (const std::string& bytes : disk_.writes()) EXPECT_EQ(found({{"", bytes}}, one.traces), 0);
    for (const PowerLoss loss : {PowerLoss::kNothing, PowerLoss::kPrefix, PowerLoss::kSubset, PowerLoss::kSubset}) {
      EXPECT_EQ(found(disk_.after(loss), one.traces), 0);
    }
  }
}

TEST_F(ErasureReach, NothingOfGraphsThatWereAddedAndForgottenIsInAnyFile) {
  Dataset more;
  more.class_names = dataset_.class_names;
  Sequence random(77);
  for (const std::size_t g : {7U, 8U}) {
    more.graphs.push_back(telling_graph(g, 40, random));
    more.labels.push_back(0);
    more.graph_ids.push_back(fmt::format("the-circle-called-{}", g));
  }
  std::vector<std::string> traces = traces_of(more, 0);
  for (std::string& trace : traces_of(more, 1)) traces.push_back(std::move(trace));
  Workspace workspace = open();
  ASSERT_EQ(found(disk_.content(), traces), 0);
  ASSERT_TRUE(workspace.add(more).ok());
  ASSERT_EQ(found(disk_.content(), traces), traces.size());
  const std::vector<RemovalRequest> requests = {ForgetGraph{more.graph_ids[0]}, ForgetGraph{more.graph_ids[1]}};
  disk_.record_writes();
  ASSERT_TRUE(workspace.forget(requests).ok());
  EXPECT_EQ(found(disk_.content(), traces), 0);
  for (const std::string& bytes : disk_.writes()) EXPECT_EQ(found({{"", bytes}}, traces), 0);
  for (const PowerLoss loss : {PowerLoss::kNothing, PowerLoss::kPrefix, PowerLoss::kSubset}) {
    EXPECT_EQ(found(disk_.after(loss), traces), 0);
  }
}

TEST_F(ErasureReach, AWorkspaceUsesNoOtherFiles) {
  Workspace workspace = open();
  for (const Removal& removal : removals_) ASSERT_TRUE(workspace.forget(std::span(&removal.request, 1)).ok());
  EXPECT_EQ(disk_.names(), (std::set<std::string>{"w.unscatter", "w.unscatter-journal", "w.unscatter-wal"}));
  for (const auto& [name, bytes] : disk_.content()) {
    EXPECT_TRUE(name == "w.unscatter" || (name == "w.unscatter-wal" && bytes.empty())) << name;
  }
}

TEST_F(ErasureReach, AListKeepsNothingOfItsRequests) {
  std::vector<RemovalRequest> requests;
  for (const Removal& removal : removals_) requests.push_back(removal.request);
  Workspace workspace = open();
  Workspace::ListOptions options;
  options.batch = 2;
  ASSERT_EQ(workspace.forget_list(requests, options).value().honoured, requests.size());
  for (const Removal& removal : removals_)
    EXPECT_EQ(found(disk_.content(), removal.traces), 0) << describe(removal.request);
}

// A removal that was interrupted is undone or, once the workspace was opened again, complete: in force and without
// traces.
TEST_F(ErasureReach, OpeningCompletesWhatAFaultInterrupted) {
  const DiskContent start = disk_.content();
  for (const std::size_t which : {4U, 6U}) {  // a subject and the large graph
    const Removal& removal = removals_[which];
    SCOPED_TRACE(describe(removal.request));
    for (const FaultKind kind : {FaultKind::kPowerLoss, FaultKind::kError}) {
      std::size_t in_force = 0;
      std::size_t operations = SIZE_MAX;
      for (std::size_t at = 0; at < operations; at += kReachStride) {
        disk_.restore(start);
        disk_.arm({kind, at, true});
        if (auto workspace = Workspace::open(path(), small_options()); workspace.ok()) {
          static_cast<void>(workspace->forget(std::span(&removal.request, 1)));
        }
        if (!disk_.struck()) operations = at;
        kind == FaultKind::kPowerLoss ? disk_.reboot(PowerLoss::kSubset) : disk_.disarm();
        Workspace workspace = open();
        if (workspace.info().entries == 1) continue;
        ++in_force;
        ASSERT_EQ(found(disk_.content(), removal.traces), 0) << name(kind) << " at operation " << at;
      }
      EXPECT_GT(in_force, 1);
    }
  }
}

// The same removal by hand, as a program would that leaves out one of the precautions.
class Carelessness {
 public:
  Carelessness(const std::filesystem::path& path, const std::string& precautions) : database_(path) {
    EXPECT_TRUE(database_.execute("PRAGMA locking_mode=EXCLUSIVE; " + precautions +
                                  "UPDATE graphs SET label = NULL, graph_id = NULL, nodes_at_creation = NULL, "
                                  "node_numbers = NULL, content = NULL, salt = NULL WHERE slot IN (2, 3); "
                                  "DELETE FROM embeddings WHERE slot IN (2, 3); DELETE FROM expiry; "
                                  "UPDATE members SET entries = x'', seal = x''; DELETE FROM curvature"))
        << database_.error();
  }
  void empty_log() { EXPECT_TRUE(database_.execute("PRAGMA wal_checkpoint(TRUNCATE)")) << database_.error(); }

 private:
  PlainDatabase database_;
};

TEST_F(ErasureReach, ARemovalWithoutSecureDeletionIsCaught) {
  const DiskContent start = disk_.content();
  Carelessness(path(), "PRAGMA secure_delete=OFF; ").empty_log();
  EXPECT_GT(found(disk_.content(), removals_[5].traces), 0);
  EXPECT_GT(found(disk_.content(), removals_[6].traces), 0);
  // With it, the same statements leave nothing: it is this precaution that the scan missed.
  disk_.restore(start);
  Carelessness(path(), "PRAGMA secure_delete=ON; ").empty_log();
  EXPECT_EQ(found(disk_.content(), removals_[5].traces), 0);
  EXPECT_EQ(found(disk_.content(), removals_[6].traces), 0);
}

// All of the subjects that have dates, and graph kLarge, in one update.
TEST_F(ErasureReach, NothingThatExpiredIsInAnyFile) {
  Workspace workspace = open();
  const std::vector<std::string> traces = {kLeaver, telling_id(0, 7), telling_id(3, 10), telling_id(kLarge, 150),
                                           dataset_.graph_ids[kLarge]};
  ASSERT_EQ(found(disk_.content(), traces), traces.size());
  disk_.record_writes();
  const std::vector<DueDate> due = workspace.due(1'820'000'000).value();
  ASSERT_TRUE(workspace.prepare_due(due).value()->commit().ok());
  EXPECT_EQ(found(disk_.content(), traces), 0);
  for (const std::string& bytes : disk_.writes()) EXPECT_EQ(found({{"", bytes}}, traces), 0);
  for (const PowerLoss loss : {PowerLoss::kNothing, PowerLoss::kPrefix, PowerLoss::kSubset}) {
    EXPECT_EQ(found(disk_.after(loss), traces), 0);
  }
}

// The graphs go and the date stays, as a program would leave it that does not know of dates.
TEST_F(ErasureReach, ADateThatStaysIsCaught) {
  const std::vector<std::string> leaver = {kLeaver};
  ASSERT_EQ(found(disk_.content(), leaver), 1U);
  {
    PlainDatabase database(path());
    ASSERT_TRUE(database.execute(
        "PRAGMA locking_mode=EXCLUSIVE; PRAGMA secure_delete=ON; "
        "UPDATE graphs SET content = NULL WHERE slot IN (1, 2); UPDATE members SET entries = x'', seal = x''; "
        "PRAGMA wal_checkpoint(TRUNCATE)"));
    EXPECT_EQ(found(disk_.content(), leaver), 1U);
    ASSERT_TRUE(database.execute("DELETE FROM expiry; PRAGMA wal_checkpoint(TRUNCATE)"));
    EXPECT_EQ(found(disk_.content(), leaver), 0U);
  }
}

TEST_F(ErasureReach, ARemovalThatStaysInTheLogIsCaught) {
  Carelessness careless(path(), "PRAGMA secure_delete=ON; ");
  EXPECT_GT(found(disk_.content(), removals_[5].traces), 0);
  careless.empty_log();
  EXPECT_EQ(found(disk_.content(), removals_[5].traces), 0);
}

}  // namespace
}  // namespace unscatter::testing
