// Random lives of a workspace: graphs come, are corrected, are forgotten and expire, models are published, processes
// end.  After every step the file is held against training from scratch on what is left.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "store/sample_workspace.h"
#include "support/sanitized.h"
#include "unlearn/random_session.h"
#include "unscatter/store/workspace.h"

namespace unscatter {
namespace {

using testing::part_of;
using testing::RandomData;
using testing::SampleWorkspace;

// Where a due date came from.
enum Origin : std::size_t { kByCreation, kByAddition, kBySetting, kOrigins };

struct ModelDate {
  std::int64_t due = 0;
  Origin origin = kByCreation;
};
using ModelDates = std::map<std::string, ModelDate>;  // by what they are about, in words

// How a life is led.  The same seed leads to the same requests in the same batches.
enum class Manner {
  kMixed,  // processes end at random, and some of the next ones begin with a session of all graphs
  kCold,   // a new process for every step
  kWarm,   // one session from the beginning to the end
};

// What all lives together have met.
struct Coverage {
  std::size_t primal = 0;
  std::size_t dual = 0;
  std::size_t additions = 0;
  std::size_t corrections = 0;
  std::size_t removals = 0;
  std::size_t expiries = 0;
  std::size_t releases = 0;
  std::size_t openings = 0;
  std::size_t stale_weights = 0;  // of before a step, and further away than what is certified after it
  std::size_t expired[kOrigins] = {};
  RungCounts rungs;
};

struct LifeShape {
  std::size_t graphs = 0;  // to begin with; as many may come later
  std::size_t classes = 2;
  SessionOptions options = {};
};

LifeShape life_shape(std::uint64_t seed) {
  LifeShape shape;
  shape.graphs = seed % 2 == 0 ? 14 : 60;  // fewer or more than there are coordinates
  shape.classes = 2 + seed % 3 / 2;
  SessionOptions& options = shape.options;
  // A class that leaves with its last graph would be a training from scratch.
  options.classes = ConstantKind::kStated;
  options.loss = seed / 2 % 3 == 0   ? Loss::logistic()
                 : seed / 2 % 3 == 1 ? Loss::squared()
                                     : Loss::huber_svm(0.5).value();
  options.regularisation = 1e-2;
  options.noise_stddev = seed % 4 == 3 ? 1e3 : 0.05;  // a limit that the fast rung can meet, or a tight one
  options.bias = seed % 5 == 1;
  return shape;
}

class Life {
 public:
  Life(std::uint64_t seed, Manner manner, Coverage& coverage)
      : shape_(life_shape(seed)),
        data_(testing::random_data(seed, {.graphs = 2 * shape_.graphs, .classes = shape_.classes, .largest_graph = 6})),
        manner_(manner),
        coverage_(coverage),
        random_(seed + 100),
        next_(shape_.graphs) {
    Dataset first = part_of(data_.dataset, 0, shape_.graphs);
    first.name = "life";
    twin_ = Session::create(first, data_.embedder, shape_.options).value();
    give_dates(first, 0, kByCreation);
    WorkspaceSetup setup;
    setup.dataset = std::move(first);
    setup.features = "attributes:2+degree-onehot:6";
    setup.transform.scales = 2;
    setup.transform.moments = 1;
    setup.transform.layers = 2;
    setup.options = shape_.options;
    sample_.emplace(std::move(setup));
    sample_->how.threads = manner == Manner::kWarm ? 2 : 1;
    workspace_ = sample_->create();
    if (manner_ == Manner::kCold) close_and_open();
    const std::size_t width = workspace_->embedder().width() + (shape_.options.bias ? 1 : 0);
    ++(shape_.graphs < width ? coverage_.dual : coverage_.primal);
    expect_certified();
  }

  // Requests are drawn from the twin, a session in memory that is asked for the same.
  void step() {
    ++now_;
    const Matrix before = workspace_->kept_weights();
    const std::size_t entries = workspace_->info().entries;
    const std::uint64_t what = random_.below(8);
    const double chance = random_.unit();
    if (what == 0 && next_ < data_.dataset.size()) {
      add();
    } else if (what == 1) {
      correct();
    } else if (what == 2 || what == 3) {
      forget();
    } else if (what == 4 || what == 5) {
      expire();
    } else if (what == 6) {
      ASSERT_TRUE(workspace_->release().ok());
      ++coverage_.releases;
    } else {
      set_date();
    }
    if (::testing::Test::HasFatalFailure()) return;
    expect_certified();
    if (workspace_->info().entries > entries && what < 6) count_stale(before);
    if (manner_ == Manner::kCold || (manner_ == Manner::kMixed && chance < 0.4)) close_and_open();
    if (manner_ == Manner::kWarm || (manner_ == Manner::kMixed && chance < 0.15)) {
      ASSERT_TRUE(workspace_->session().ok());
    }
  }

  Digest finish() {
    for (const auto& [rung, name] : kRungs) coverage_.rungs[rung] += workspace_->info().rungs[rung];
    const Digest replay = workspace_->replay_digest().value();
    workspace_.reset();
    const Verification verification = sample_->verify({.retrain = true});
    EXPECT_TRUE(verification.passed) << testing::all_details(verification);
    return replay;
  }

 private:
  void close_and_open() {
    workspace_.reset();
    workspace_ = sample_->open();
    ++coverage_.openings;
  }

  // Some graphs and subjects of a data set whose first graph gets this number.
  void give_dates(Dataset& dataset, std::size_t first, Origin origin) {
    for (std::size_t g = 0; g < dataset.size(); ++g) {
      const bool dated = random_.chance(0.3);
      dataset.due.add_graph(g, dated ? std::optional(later()) : std::nullopt);
      if (dated) remember(ForgetGraph{first + g}, *dataset.due.graphs[g], origin);
      if (!random_.chance(0.1)) continue;
      const Graph& graph = dataset.graphs[g];
      const std::string& id = graph.node_id(static_cast<NodeIndex>(random_.below(graph.node_count())));
      dataset.due.add_subject(id, later());
    }
    for (const auto& [id, due] : dataset.due.subjects) remember(ForgetSubject{id}, due, origin);
  }
  [[nodiscard]] std::int64_t later() { return now_ + 1 + static_cast<std::int64_t>(random_.below(25)); }
  // The earlier of two dates counts, unless somebody sets another one.
  void remember(const RemovalRequest& what, std::int64_t due, Origin origin) {
    const auto [place, added] = dates_.try_emplace(describe(what), ModelDate{due, origin});
    if (!added && due < place->second.due) place->second = {due, origin};
  }

  void add() {
    const std::size_t count = std::min<std::size_t>(1 + random_.below(4), data_.dataset.size() - next_);
    Dataset more = part_of(data_.dataset, next_, count);
    ASSERT_TRUE(twin_->add(more).ok());
    give_dates(more, next_, kByAddition);
    const Result<Forgotten> done = workspace_->add(std::move(more));
    ASSERT_TRUE(done.ok()) << done.error().message;
    next_ += count;
    ++coverage_.additions;
  }

  void correct() {
    const Correction correction = testing::random_correction(random_, *twin_);
    const Result<Forgotten> done = workspace_->correct(std::span(&correction, 1));
    ASSERT_TRUE(done.ok()) << done.error().message;
    ASSERT_TRUE(twin_->correct(std::span(&correction, 1)).ok());
    ++coverage_.corrections;
  }

  void forget() {
    if (twin_->graph_count() < 6) return;
    std::vector<RemovalRequest> requests = testing::random_batch(random_, *twin_, data_.dataset, 1 + random_.below(3));
    if (random_.chance(0.3)) requests = {testing::random_request(random_, *twin_, data_.dataset)};
    const Result<Forgotten> done = workspace_->forget(requests);
    ASSERT_TRUE(done.ok()) << done.error().message;
    ASSERT_TRUE(twin_->forget(requests).ok());
    drop_dates_of_the_gone();
    ++coverage_.removals;
  }

  void expire() {
    now_ += static_cast<std::int64_t>(random_.below(4));
    const std::vector<DueDate> due = workspace_->due(now_).value();
    std::set<std::string> expected;
    for (const auto& [what, date] : dates_) {
      if (date.due <= now_) expected.insert(what);
    }
    std::set<std::string> found;
    for (const DueDate& date : due) found.insert(describe(date.what));
    ASSERT_EQ(found, expected);
    if (due.empty()) return;
    // The last graph is never removed, and then nothing is.
    auto prepared = workspace_->prepare_due(due);
    if (!prepared.ok() && twin_->graph_count() < 8) return;
    ASSERT_TRUE(prepared.ok()) << prepared.error().message;
    ASSERT_TRUE(prepared->has_value());
    const Result<Forgotten> done = (*prepared)->commit();
    ASSERT_TRUE(done.ok()) << done.error().message;
    ASSERT_TRUE(twin_->forget(done->requests).ok());
    for (const std::string& what : expected) {
      ++coverage_.expired[dates_.at(what).origin];
      dates_.erase(what);
    }
    drop_dates_of_the_gone();
    ++coverage_.expiries;
  }

  void set_date() {
    std::size_t slot = 0;
    do {
      slot = random_.below(twin_->slots());
    } while (!twin_->has_graph(slot));
    const Graph& graph = *twin_->graph(slot);
    RemovalRequest what = ForgetGraph{slot};
    const auto node = static_cast<NodeIndex>(random_.below(graph.node_count()));
    if (random_.chance(0.3)) what = ForgetSubject{graph.node_id(node)};
    const bool takes_away = random_.chance(0.3) && dates_.contains(describe(what));
    const std::int64_t due = later();
    ASSERT_TRUE(workspace_->set_due(what, takes_away ? std::nullopt : std::optional(due)).ok());
    if (takes_away) {
      dates_.erase(describe(what));
    } else {
      dates_.insert_or_assign(describe(what), ModelDate{due, kBySetting});
    }
  }

  void drop_dates_of_the_gone() {
    std::set<std::string> there;
    for (std::size_t slot = 0; slot < twin_->slots(); ++slot) {
      const Graph* graph = twin_->graph(slot);
      if (graph == nullptr) continue;
      there.insert(describe(RemovalRequest(ForgetGraph{slot})));
      for (std::size_t i = 0; i < graph->node_count(); ++i) {
        there.insert(describe(RemovalRequest(ForgetSubject{graph->node_id(i)})));
      }
    }
    std::erase_if(dates_, [&](const auto& date) { return !there.contains(date.first); });
  }

  // Everything that the file says, held against the graphs that are there.
  void expect_certified() {
    const WorkspaceInfo info = workspace_->info();
    const Dataset left = workspace_->remaining().value();
    EXPECT_EQ(content_digest(left), content_digest(twin_->remaining()));
    EXPECT_TRUE(info.certificate.satisfied);
    EXPECT_EQ(info.certificate.graphs, left.size());
    EXPECT_EQ(info.rungs[Rung::kRetrain], 0u);
    retrained_ = testing::retrained(left, workspace_->embedder(), shape_.options);
    allowed_ = info.certificate.distance_upper_bound + retrained_.distance;
    EXPECT_LE((workspace_->kept_weights() - retrained_.weights).norm(), allowed_);
    std::map<std::string, std::int64_t> expected;
    for (const auto& [what, date] : dates_) expected.emplace(what, date.due);
    std::map<std::string, std::int64_t> found;
    const std::vector<DueDate> all = workspace_->due(std::numeric_limits<std::int64_t>::max()).value();
    for (const DueDate& date : all) found.emplace(describe(date.what), date.due);
    EXPECT_EQ(found, expected);
  }

  // The comparison above can fail: weights of before an update are usually too far away after it.
  void count_stale(const Matrix& before) {
    if ((before - retrained_.weights).norm() > allowed_) ++coverage_.stale_weights;
  }

  LifeShape shape_;
  RandomData data_;
  Manner manner_;
  Coverage& coverage_;
  Sequence random_;
  std::size_t next_;  // graph of the data that has not come yet
  std::int64_t now_ = 1'000;
  ModelDates dates_;
  std::optional<Session> twin_;
  std::optional<SampleWorkspace> sample_;
  std::optional<Workspace> workspace_;
  testing::Retrained retrained_;
  double allowed_ = 0;
};

TEST(LivingWorkspace, EveryStepIsCertifiedAgainstTrainingFromScratch) {
  Coverage coverage;
  const std::uint64_t seeds = testing::kSanitized ? 6 : 12;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::optional<Digest> replay;
    for (const Manner manner : {Manner::kMixed, Manner::kCold, Manner::kWarm}) {
      SCOPED_TRACE(fmt::format("manner {}", static_cast<int>(manner)));
      Life life(seed, manner, coverage);
      for (int step = 0; step < 20; ++step) {
        SCOPED_TRACE(fmt::format("step {}", step));
        life.step();
        if (HasFailure()) return;
      }
      const Digest digest = life.finish();
      if (!replay) replay = digest;
      EXPECT_EQ(digest, *replay);
    }
  }
  const std::size_t enough = seeds;
  for (const std::size_t count : {coverage.primal, coverage.dual, coverage.additions, coverage.corrections,
                                  coverage.removals, coverage.expiries, coverage.releases, coverage.openings,
                                  coverage.stale_weights, coverage.rungs[Rung::kFast], coverage.rungs[Rung::kNewton]}) {
    EXPECT_GE(count, enough);
  }
  for (const std::size_t count : coverage.expired) EXPECT_GE(count, enough);
}

}  // namespace
}  // namespace unscatter
