#include "unlearn/learner_mirrors.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/testing/seeded_random.h"
#include "support/shared_rows.h"
#include "unlearn/learner.h"
#include "unlearn/plain_bytes.h"
#include "unlearn/random_session.h"
#include "unscatter/unlearn/session.h"

namespace unscatter {
namespace {

using testing::even_cuts;
using testing::LabelledRows;
using testing::random_row;
using testing::random_rows;
using testing::rows_between;
using testing::SeededRandom;
using testing::together;

class KeeperOfOne final : public RowKeeper {
 public:
  explicit KeeperOfOne(KeptState::Rows rows) : rows_(std::move(rows)) {}
  [[nodiscard]] KeptState::Rows take() override {
    KeptState::Rows rows = std::move(rows_).value();
    rows_.reset();
    ++taken_;
    return rows;
  }
  void give_back(KeptState::Rows rows) override { rows_ = std::move(rows); }

  [[nodiscard]] const std::optional<KeptState::Rows>& rows() const { return rows_; }
  [[nodiscard]] std::size_t taken() const { return taken_; }

 private:
  std::optional<KeptState::Rows> rows_;
  std::size_t taken_ = 0;
};

// Everything that an update leaves, as bytes: equal only if every bit is.
class Record {
 public:
  void add(const Matrix& matrix) {
    bytes_.append(reinterpret_cast<const char*>(matrix.data()),
                  sizeof(double) * static_cast<std::size_t>(matrix.size()));
    bytes_ += '|';
  }
  void add(double number) { add(Matrix(Matrix::Constant(1, 1, number))); }
  void add(const std::optional<double>& number) { add(number.value_or(-1)); }
  void add(const Fit& fit) {
    add(fit.weights);
    add(Matrix(fit.residuals));
    add(fit.gradient);
    add(Matrix(fit.uncertainty));
    if (fit.perturbation) add(*fit.perturbation);
    add(fit.bounds.worst);
    add(fit.bounds.data);
    add(fit.bounds.tight);
    add(fit.bounds.exact);
    add(fit.assessment.residual);
    add(fit.assessment.distance);
    add(fit.assessment.usage);
    bytes_ += name(fit.rung);
    bytes_ += name(fit.binding);
    bytes_ += std::to_string(fit.newton_steps);
  }
  void add(const std::optional<KeptCurvature>& kept) {
    bytes_ += kept ? "kept" : "nothing";
    if (!kept) return;
    add(kept->anchor);
    for (const Matrix& hessian : kept->hessians) add(hessian);
    add(kept->square);
    for (const double number : {kept->ridge, kept->largest_ridge, kept->spectral_square, kept->frobenius_square,
                                kept->row_norm, kept->roundings}) {
      add(number);
    }
  }
  void add(const std::string& text) { bytes_ += text; }
  friend bool operator==(const Record&, const Record&) = default;

  std::set<Rung> rungs;

 private:
  std::string bytes_;
};

// A life of a learner: updates of all kinds, tries that are rolled back, evaluations.
Record live(Learner& learner, std::uint64_t seed, std::size_t steps, std::size_t edits = 1) {
  Record record;
  SeededRandom noise(seed);
  Sequence random(seed);
  const std::size_t columns = learner.rows().columns();
  const std::size_t classes = static_cast<std::size_t>(learner.fit().weights.cols());
  record.add(learner.fit());
  std::set<std::size_t> gone;
  for (std::size_t step = 0; step < steps; ++step) {
    std::vector<RowChange> changes;
    std::set<std::size_t> touched = gone;
    for (std::size_t edit = 0; edit < edits; ++edit) {
      std::size_t row = random.below(learner.rows().total_rows());
      while (touched.count(row) != 0) row = random.below(learner.rows().total_rows());
      touched.insert(row);
      RowChange change{row, {}, random_row(seed + 100 * step + edit, columns), ChangeKind::kStructure};
      switch ((step + edit) % 4) {
        case 0: change = {row, {}, {}, ChangeKind::kRemoved}; break;
        case 1: change.label_after = static_cast<std::uint32_t>(random.below(classes)); break;
        case 2: change.kind = ChangeKind::kFeatures; break;
        default: break;
      }
      changes.push_back(std::move(change));
    }
    const std::size_t added = step % 3 == 1 ? 2 : 0;
    for (std::size_t at = 0; at < added; ++at) {
      changes.push_back({learner.rows().total_rows() + at,
                         {},
                         random_row(seed + 7000 + step + at, columns),
                         ChangeKind::kAdded,
                         static_cast<std::uint32_t>(at % classes)});
    }
    if (step % 3 == 0) {
      // Tried first: a preview.  Now and then the update that follows is another one.
      std::vector<RowChange> tried = changes;
      if (step % 2 == 1) tried[0].after = random_row(seed + step, columns);
      if (step % 2 == 1) tried[0].kind = ChangeKind::kStructure;
      Result<Fit> fit = learner.begin(tried, noise);
      if (fit.ok()) {
        record.add(*fit);
        learner.rollback(tried, *std::move(fit));
      }
    }
    Result<Fit> fit = learner.begin(changes, noise);
    if (!fit.ok()) {
      record.add(fit.error().message);
      continue;
    }
    record.add(*fit);
    record.rungs.insert(fit->rung);
    record.add(learner.curvature_to_keep(*fit));
    learner.commit(changes, *std::move(fit));
    for (const RowChange& change : changes) {
      if (change.kind == ChangeKind::kRemoved) gone.insert(change.row);
    }
    if (step % 4 == 2) {
      const EvaluatedResidual found = learner.evaluate();
      record.add(found.lower_bound);
      record.add(found.upper_bound);
    }
  }
  record.add(learner.curvature_to_keep(learner.fit()));
  record.add(static_cast<double>(learner.living()));
  return record;
}

Record alone(const LabelledRows& all, const SessionOptions& options, std::size_t steps, std::size_t edits = 1) {
  SeededRandom noise(1);
  Result<Learner> learner = Learner::create(all.rows, all.labels, all.classes, options, noise);
  Record record;
  if (!learner.ok()) {
    record.add(learner.error().message);
    return record;
  }
  return live(*learner, 5, steps, edits);
}

// work(rank 0's share of the rows) where the other ranks serve; what each rank has sent.
std::vector<Traffic> with_mirrors(const LabelledRows& all, const std::vector<std::size_t>& cuts,
                                  const std::function<void(Communicator&, LabelledRows&)>& work) {
  return testing::on_shares(all, cuts, [&](Communicator& ranks, LabelledRows& mine) {
    if (ranks.rank() != 0) {
      KeeperOfOne keeper({std::move(mine.rows), std::move(mine.labels)});
      serve_learner(ranks, keeper, 1);
      return;
    }
    work(ranks, mine);
    stop_serving(ranks);
  });
}

Record shared(const LabelledRows& all, const std::vector<std::size_t>& cuts, const SessionOptions& options,
              std::size_t steps, std::size_t edits = 1) {
  Record record;
  with_mirrors(all, cuts, [&](Communicator&, LabelledRows& mine) {
    SeededRandom noise(1);
    Result<Learner> learner =
        Learner::create(std::move(mine.rows), std::move(mine.labels), all.classes, options, noise);
    if (learner.ok()) {
      record = live(*learner, 5, steps, edits);
    } else {
      record.add(learner.error().message);
    }
  });
  return record;
}

SessionOptions usual() {
  SessionOptions options;
  options.regularisation = 1e-2;
  options.threads = 1;
  return options;
}

// So much noise that every small update is served by the rung fast.
SessionOptions loose() {
  SessionOptions options = usual();
  options.noise_stddev = 30;
  return options;
}

TEST(LearnerMirrors, EveryNumberOfRanksIsOneProcess) {
  for (const std::size_t rows : {127U, 128U, 129U, 1000U}) {
    const LabelledRows all = random_rows(rows, {.rows = rows, .columns = 9, .classes = 3});
    const Record expected = alone(all, usual(), 8);
    for (const std::size_t ranks : {1U, 2U, 3U, 4U, 7U}) {
      EXPECT_EQ(shared(all, even_cuts(rows, ranks), usual(), 8), expected) << rows << " rows, " << ranks << " ranks";
    }
  }
  const LabelledRows all = random_rows(1, {.rows = 5000, .columns = 9, .classes = 2});
  const Record expected = alone(all, usual(), 4);
  EXPECT_EQ(shared(all, even_cuts(5000, 64), usual(), 4), expected);
  EXPECT_EQ(shared(all, testing::random_cuts(5000, 6, 3), usual(), 4), expected);
}

// The comparison above would see one row in the wrong place.
TEST(LearnerMirrors, RowsInAnotherOrderAreFound) {
  const LabelledRows all = random_rows(4, {.rows = 600, .columns = 9, .classes = 3});
  LabelledRows swapped = rows_between(all, 0, 0);
  for (std::size_t i = 0; i < 600; ++i) {
    const std::size_t from = i < 128 || i >= 384 ? i : i < 256 ? i + 128 : i - 128;
    swapped.rows.append_row(all.rows.row(from));
    swapped.labels.push_back(all.labels[from]);
  }
  const Record expected = alone(all, usual(), 0);
  EXPECT_EQ(shared(all, even_cuts(600, 4), usual(), 0), expected);
  EXPECT_NE(shared(swapped, even_cuts(600, 4), usual(), 0), expected);
}

struct LearnerKind {
  std::string name;
  SessionOptions options;
  std::size_t edits = 1;
};

std::vector<LearnerKind> kinds() {
  std::vector<LearnerKind> all;
  for (const char* loss : {"logistic", "squared", "huber-svm"}) {
    for (const Optimizer optimizer : {Optimizer::kNewton, Optimizer::kLbfgs}) {
      LearnerKind one{std::string(loss) + "/" + std::string(name(optimizer)), usual()};
      one.options.loss = Loss::parse(loss).value();
      one.options.optimizer = optimizer;
      all.push_back(one);
    }
  }
  LearnerKind slow{"without the fast rung", usual()};
  slow.options.fast_rung = false;
  all.push_back(slow);
  LearnerKind few{"one update", usual()};
  few.options.fast_rung = false;
  few.options.expected_updates = 1;
  all.push_back(few);
  LearnerKind many{"many rows at once", usual(), 60};
  all.push_back(many);
  LearnerKind tight{"a small limit", usual()};
  tight.options.noise_stddev = 1e-7;
  all.push_back(tight);
  LearnerKind retrain{"retrain", usual()};
  retrain.options.method = Method::kRetrain;
  all.push_back(retrain);
  LearnerKind reported{"all bounds", usual()};
  reported.options.report_all_bounds = true;
  all.push_back(reported);
  LearnerKind paper{"paper", paper_options(1e-2, 3)};
  paper.options.threads = 1;
  all.push_back(paper);
  LearnerKind objective{"objective", usual()};
  objective.options.mechanism = Mechanism::kObjective;
  objective.options.noise_stddev = 0.1;
  all.push_back(objective);
  return all;
}

TEST(LearnerMirrors, EveryRungLossAndOptimizerIsOneProcess) {
  const LabelledRows all = random_rows(3, {.rows = 700, .columns = 9, .classes = 3});
  std::set<Rung> rungs;
  for (const LearnerKind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    const Record expected = alone(all, kind.options, 7, kind.edits);
    EXPECT_EQ(shared(all, even_cuts(700, 2), kind.options, 7, kind.edits), expected);
    EXPECT_EQ(shared(all, {0, 256, 256, 640, 700}, kind.options, 7, kind.edits), expected);
    rungs.insert(expected.rungs.begin(), expected.rungs.end());
  }
  EXPECT_EQ(rungs, (std::set<Rung>{Rung::kFast, Rung::kExact, Rung::kNewton, Rung::kRetrain}));
}

// Full rows and a small limit: many updates look at all rows, which the anchor then makes cheaper.
TEST(LearnerMirrors, EvaluationsFromAnAnchorAreThoseOfOneProcess) {
  const LabelledRows all = random_rows(3, {.rows = 900, .columns = 9, .classes = 3, .density = 1});
  std::set<Rung> rungs;
  for (const double noise : {1e-2, 1e-1, 1.0}) {
    SessionOptions options = usual();
    options.noise_stddev = noise;
    const Record expected = alone(all, options, 24);
    EXPECT_EQ(shared(all, even_cuts(900, 3), options, 24), expected);
    rungs.insert(expected.rungs.begin(), expected.rungs.end());
  }
  EXPECT_EQ(rungs.count(Rung::kExact), 1U);
}

TEST(LearnerMirrors, ThreadsOfARankChangeNothing) {
  const LabelledRows all = random_rows(3, {.rows = 3000, .columns = 40, .classes = 3});
  SessionOptions options = usual();
  const Record expected = alone(all, options, 3);
  options.threads = 3;
  EXPECT_EQ(shared(all, even_cuts(3000, 3), options, 3), expected);
}

// The formulas of the header.  What is sent by a removal on the rung fast does not depend on the number of rows.
TEST(LearnerMirrors, TheFastRungTellsChangedRowsAndNothingElse) {
  const std::uint64_t d = 9;
  for (const std::uint64_t R : {2U, 4U, 7U}) {
    for (const std::size_t rows : {900U, 6000U}) {
      const LabelledRows all = random_rows(3, {.rows = rows, .columns = d, .classes = 3, .density = 1});
      const auto sent = [&](const std::vector<RowChange>& asked, bool committed) {
        return together(with_mirrors(all, even_cuts(rows, R), [&](Communicator&, LabelledRows& mine) {
          SeededRandom noise(1);
          Learner learner = Learner::create(std::move(mine.rows), std::move(mine.labels), 3, loose(), noise).value();
          if (asked.empty()) return;
          std::vector<RowChange> changes = asked;
          Fit fit = learner.begin(changes, noise).value();
          EXPECT_EQ(fit.rung, Rung::kFast);
          if (committed) {
            (void)learner.curvature_to_keep(fit);
            learner.commit(changes, std::move(fit));
          } else {
            learner.rollback(changes, std::move(fit));
          }
        }));
      };
      const Traffic without = sent({}, true);
      const auto expect = [&](const std::vector<RowChange>& changes, bool committed,
                              const std::vector<std::uint64_t>& told) {
        const Traffic with = sent(changes, committed);
        std::uint64_t bytes = 0;
        for (const std::uint64_t b : told) bytes += (R - 1) * (8 + b);
        EXPECT_EQ(with.messages - without.messages, told.size() * 2 * (R - 1));
        EXPECT_EQ(with.bytes - without.bytes, bytes);
      };
      const std::uint64_t row = 8 * (1 + d);  // one segment
      const RowChange removed{rows - 1, {}, {}, ChangeKind::kRemoved};
      expect({removed}, true, {18 + 29, 21 + row, 10});
      expect({removed}, false, {18 + 29, 21 + row, 11});
      // Two ranks hold rows that change, and one row comes.
      const RowChange moved{5, {}, random_row(4, d, 1), ChangeKind::kStructure, 1};
      const RowChange added{rows, {}, random_row(5, d, 1), ChangeKind::kAdded, 2};
      expect({moved, removed, added}, true, {18 + 33 + row + 29 + 33 + row, 21 + row, 21 + row, 10});
    }
  }
}

TEST(LearnerMirrors, RowsComeBackAsTheLastCommitLeftThem) {
  const LabelledRows all = random_rows(3, {.rows = 300, .columns = 9, .classes = 3});
  testing::on_shares(all, even_cuts(300, 3), [&](Communicator& ranks, LabelledRows& mine) {
    if (ranks.rank() != 0) {
      KeeperOfOne keeper({std::move(mine.rows), std::move(mine.labels)});
      serve_learner(ranks, keeper, 1);
      EXPECT_EQ(keeper.taken(), 2U);
      ASSERT_TRUE(keeper.rows().has_value());
      if (ranks.rank() == 2) {
        EXPECT_TRUE(keeper.rows()->rows.row(4).values.empty());
        EXPECT_EQ(keeper.rows()->rows.rows(), 300 - 256 + 1U);
      }
      EXPECT_EQ(keeper.rows()->rows.total_rows(), 301U);
      return;
    }
    LabelledRows kept = mine;
    Fit fit;
    std::optional<KeptCurvature> curvature;
    SeededRandom noise(1);
    {
      Learner learner = Learner::create(std::move(mine.rows), std::move(mine.labels), 3, loose(), noise).value();
      std::vector<RowChange> changes = {{260, {}, {}, ChangeKind::kRemoved},
                                        {300, {}, random_row(4, 9), ChangeKind::kAdded, 1}};
      Fit found = learner.begin(changes, noise).value();
      learner.commit(changes, std::move(found));
      fit = learner.fit();
      curvature = learner.curvature_to_keep(fit);
      kept = {learner.rows(), kept.labels, 3};
    }
    ASSERT_TRUE(curvature.has_value());
    // The next learner takes the rows that came back.
    Learner next = Learner::restore(kept.rows, kept.labels, 3, 300, loose(), fit).value();
    next.restore_curvature(*curvature);
    std::vector<RowChange> changes = {{130, {}, {}, ChangeKind::kRemoved}};
    Fit found = next.begin(changes, noise).value();
    EXPECT_EQ(found.rung, Rung::kFast);
    next.commit(changes, std::move(found));
    { Learner last = std::move(next); }
    stop_serving(ranks);
  });
}

TEST(LearnerMirrors, AMalformedMessageEndsTheJobWithASentence) {
  const LabelledRows all = random_rows(3, {.rows = 300, .columns = 9, .classes = 3});
  const std::vector<std::size_t> cuts = even_cuts(300, 2);
  PlainWriter writer;
  writer.put(kLearnerMessage);
  writer.put(std::uint8_t{0});
  writer.put(std::uint64_t{1});
  const std::vector<std::byte> begun = writer.bytes();
  for (std::size_t length = 0; length <= begun.size() + 1; ++length) {
    std::vector<std::byte> message = begun;
    message.resize(length, std::byte{200});
    const auto job = run_ranks(2, [&](Communicator& ranks) {
      LabelledRows mine = rows_between(all, cuts[ranks.rank()], cuts[ranks.rank() + 1]);
      share_rows(ranks, mine.rows);
      if (ranks.rank() == 0) {
        std::vector<std::byte> bytes = message;
        ranks.broadcast_any(bytes);
        return;
      }
      KeeperOfOne keeper({std::move(mine.rows), std::move(mine.labels)});
      serve_learner(ranks, keeper, 1);
    });
    ASSERT_FALSE(job.ok());
    EXPECT_NE(job.error().message.find("malformed"), std::string::npos) << job.error().message;
  }
}

// A session on rank 0, restored with some graphs and with rows that ranks share.
TEST(LearnerMirrors, SessionsOnSharedRowsAreThoseOfOneProcess) {
  const testing::RandomData data = testing::random_data(3, {.graphs = 400, .classes = 3, .scales = 1});
  SessionOptions options = usual();
  options.classes = ConstantKind::kStated;
  Session whole = Session::create(data.dataset, data.embedder, options, std::make_unique<SeededRandom>(1)).value();
  const LabelledRows all{whole.embeddings(), {whole.labels().begin(), whole.labels().end()}, 3};
  ASSERT_GT(all.rows.rows(), all.rows.columns());
  const std::vector<std::size_t> places = {5, 140, 141, 300, 399};
  const auto part = [&] {
    SessionSnapshot snapshot = whole.snapshot_without_slots();
    for (const std::size_t slot : places) snapshot.slots.push_back(whole.slot_snapshot(slot));
    snapshot.others = OtherSlots{places, 400, 400 - places.size(), {true, true, true}};
    return snapshot;
  };
  const auto updates = [&](LabelledRows rows) {
    Record record;
    KeptState kept;
    kept.rows = KeptState::Rows{std::move(rows.rows), std::move(rows.labels)};
    kept.curvature = whole.curvature();
    Session session =
        Session::restore(part(), data.embedder, options, std::make_unique<SeededRandom>(2), std::move(kept)).value();
    for (const RemovalRequest& request :
         {RemovalRequest(ForgetNode{140UL, NodeKey(1U)}), RemovalRequest(ForgetGraph{300UL})}) {
      (void)session.preview(std::span(&request, 1));
      const Certificate certificate = session.forget(request).value();
      record.add(certificate.residual_upper_bound);
      record.add(certificate.distance_upper_bound);
      record.add(std::string(name(certificate.rung)));
      record.add(session.weights());
      record.add(session.curvature());
    }
    const EvaluatedResidual found = session.evaluate();
    record.add(found.lower_bound);
    record.add(found.upper_bound);
    return record;
  };
  const Record expected = updates(all);
  const auto trained = [&](LabelledRows rows) {
    Record record;
    const std::vector<std::string> names = {"a", "b", "c", "d"};  // no graph has the last one
    SessionOptions fitted = options;
    fitted.classes = ConstantKind::kPrivateFit;
    Session session = Session::create_part("part", names, {std::move(rows.rows), std::move(rows.labels)}, data.embedder,
                                           fitted, std::make_unique<SeededRandom>(2))
                          .value();
    EXPECT_EQ(session.classes(), 3U);
    record.add(session.weights());
    record.add(session.curvature());
    record.add(session.certificate().residual_upper_bound);
    return record;
  };
  const Record expected_training = trained(all);
  for (const std::size_t ranks : {2U, 4U}) {
    with_mirrors(all, even_cuts(400, ranks),
                 [&](Communicator&, LabelledRows& mine) { EXPECT_EQ(updates(std::move(mine)), expected); });
    with_mirrors(all, even_cuts(400, ranks),
                 [&](Communicator&, LabelledRows& mine) { EXPECT_EQ(trained(std::move(mine)), expected_training); });
  }
}

TEST(LearnerMirrors, ClassesOfAllRanksAreFoundAndNumberedAnew) {
  LabelledRows all = random_rows(3, {.rows = 300, .columns = 9, .classes = 3});
  for (std::uint32_t& label : all.labels) label = label == 1 ? 3 : label;
  with_mirrors(all, even_cuts(300, 3), [&](Communicator&, LabelledRows& mine) {
    KeptState::Rows rows{std::move(mine.rows), std::move(mine.labels)};
    EXPECT_EQ(classes_of_all(rows, 4), (std::vector<bool>{true, false, true, true}));
    relabel_all(rows, {0, 0, 1, 2});
    EXPECT_EQ(classes_of_all(rows, 3), (std::vector<bool>{true, true, true}));
  });
}

}  // namespace
}  // namespace unscatter
