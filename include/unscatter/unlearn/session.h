// A classifier that can forget: the state machine around data, embeddings, weights and guarantee.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "unscatter/base/random.h"
#include "unscatter/base/result.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/graph/dataset.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"
#include "unscatter/unlearn/certificate.h"
#include "unscatter/unlearn/prepared_removal.h"
#include "unscatter/unlearn/promise.h"
#include "unscatter/unlearn/request.h"
#include "unscatter/unlearn/session_options.h"
#include "unscatter/unlearn/snapshot.h"

namespace unscatter {

// What leaves the house: weights, and numbers that say nothing about the data.  The certificate stays inside.  Its
// residuals and rungs are functions of what was removed, and no noise is on them.
struct PublishedModel {
  // width x K.  Level everyone with two classes: one vector is published, and the second column is the first one with
  // its sign turned.
  Matrix weights;
  std::vector<std::string> class_names;
  bool bias = false;
  Promise promise;
  std::size_t release_number = 0;  // 1, 2, ...
};

// What level everyone did to the data before it was learned from.  Computed from private data: not for outsiders.
struct BoundedContributions {
  std::size_t subjects = 0;        // that were in more graphs than one subject may touch
  std::size_t memberships = 0;     // of theirs that were dropped
  std::size_t graphs_dropped = 0;  // that lost their last node by this
  std::size_t rows_shortened = 0;  // embeddings that were longer than their bound
};

// What a published model would be worth at a level of protection.
struct LevelCost {
  Protection protection = Protection::kRemoved;
  double ridge = 0;
  double noise_stddev = 0;
  double accuracy = 0;  // of models with that noise, on average
};

// Owns the data set, its embeddings, the weights and the budget.  forget() and release() either complete or leave the
// session as it was, exceptions (memory) included.  Not thread-safe; movable.
//
//   auto session = Session::create(std::move(dataset), embedder, {}).value();
//   auto certificate = session.forget(ForgetNode{17, 3}).value();     // node 3 of graph 17
//   auto model = session.release().value();
class Session {
 public:
  // Classes that no graph has are left out, unless options.classes says that they were stated or fitted elsewhere.
  // Embeds, trains, and draws what noise the mechanism needs from `noise` (default: SecureRandom).
  // Errors: kInvalidArgument (options; no graph; level everyone: node ids without `per_subject`), those of embedding
  // and training, kLimitExceeded if the trained model does not meet its own guarantee (the limit is below what double
  // precision can show).
  [[nodiscard]] static Result<Session> create(Dataset dataset, std::shared_ptr<const Embedder> embedder,
                                              const SessionOptions& options,
                                              std::unique_ptr<RandomSource> noise = nullptr);
  // A session as snapshot() left one.  Embeds what is there, and trains nothing.  Its updates are certified as before.
  // They need not equal bit for bit those of a session that was never interrupted, because factors kept for speed are
  // not part of a snapshot.  `kept` spares the embedding, and the first anchor.
  //
  // A snapshot of some slots only (SessionSnapshot::others) gives a part of a session.  It removes what those slots
  // hold, and it publishes.  Without the rows of all graphs it has the fast rung and no other.  An update that needs
  // more than the part has is kUnsupported and changes nothing.  Errors: kMalformedInput where parts do not fit
  // together; those of embedding.
  [[nodiscard]] static Result<Session> restore(SessionSnapshot snapshot, std::shared_ptr<const Embedder> embedder,
                                               const SessionOptions& options,
                                               std::unique_ptr<RandomSource> noise = nullptr, KeptState kept = {});
  // A part of a session that holds no graph, as restore() makes them, trained on rows that were embedded before.
  // `embedded` has one row per graph, with the bias if the options ask for one.  The weights are those of create() on
  // the graphs themselves, bit for bit.  Classes that no graph has are left out as there.  Errors as create();
  // kUnsupported for level everyone, which has to look at all graphs together.
  [[nodiscard]] static Result<Session> create_part(std::string name, std::vector<std::string> class_names,
                                                   KeptState::Rows embedded, std::shared_ptr<const Embedder> embedder,
                                                   const SessionOptions& options,
                                                   std::unique_ptr<RandomSource> noise = nullptr);
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  // Computes one update that honours all requests.  The caller puts it in force or drops it.  The requests apply in
  // order, so a later one sees what the earlier ones left: an edge can go before its node, not after.  A graph that
  // loses its last node goes whole.  Constants of the kind kPrivateFit are fitted on what is left.  If one changes, the
  // update embeds all graphs again and trains from scratch (rung kRetrain).
  //
  // Errors, which change nothing: kInvalidArgument (empty batch, something removed already, nothing would be left),
  // kNotFound (no such graph, node, edge, subject); kLimitExceeded if no rung of the ladder, retraining included, meets
  // the guarantee; those of training.  An error that is about one request has its place in Error::request.  With
  // `on_refusal` such requests can be passed over instead.
  //
  // Until the update is committed or dropped, prepare(), release(), embeddings() and evaluate() are broken invariants.
  [[nodiscard]] Result<PreparedRemoval> prepare(std::span<const RemovalRequest> requests,
                                                OnRefusal on_refusal = OnRefusal::kRefuseBatch);
  // Computes one update that learns from more graphs.  They get new slots at the end, and the numbers after the largest
  // one so far, unless the data set brings larger ones.  The certificate is about all data together.  Errors, which
  // change nothing: kInvalidArgument (no graph; a class that the model does not have; an id or a number that is there
  // already; ids where graphs have none, or none where graphs have them; attributes of another number, or node labels
  // where no graph has them; level everyone, whose proof counts on data that only gets less); those of embedding and of
  // training.
  [[nodiscard]] Result<PreparedRemoval> prepare_addition(Dataset graphs);
  // Computes one update that makes all corrections, one after the other.  What they replace is overwritten when the
  // update is committed.  Errors, which change nothing and have the place of the correction in Error::request:
  // kInvalidArgument (empty batch; a class that the model does not have; a value that does not fit the graph; level
  // everyone), kNotFound (no such graph, node, edge); those of embedding and of training.
  [[nodiscard]] Result<PreparedRemoval> prepare_corrections(std::span<const Correction> corrections);
  // prepare_addition() or prepare_corrections(), and commit().
  [[nodiscard]] Result<Certificate> add(Dataset graphs, Exposure* exposure = nullptr);
  [[nodiscard]] Result<Certificate> correct(std::span<const Correction> corrections, Exposure* exposure = nullptr);

  // prepare() and commit().  `exposure`, unless null, is told what PreparedRemoval::exposure() says.
  [[nodiscard]] Result<Certificate> forget(std::span<const RemovalRequest> requests, Exposure* exposure = nullptr);
  [[nodiscard]] Result<Certificate> forget(const RemovalRequest& request, Exposure* exposure = nullptr) {
    return forget(std::span(&request, 1), exposure);
  }
  // What forget() would return, without doing it.  With the objective mechanism a retraining draws noise of its own.
  [[nodiscard]] Result<Certificate> preview(std::span<const RemovalRequest> requests, Exposure* exposure = nullptr);

  // Whether an update waits to be committed or dropped.
  [[nodiscard]] bool update_is_prepared() const;

  // A model for the outside.  Release mechanism: weights plus fresh noise, on a grid.  Objective: the weights
  // themselves.  Errors: kLimitExceeded when as many models are published as the guarantee covers together (release
  // mechanism).
  [[nodiscard]] Result<PublishedModel> release();

  // Of the present state.  The embedder is another one after a removal that changed a constant of the kind kPrivateFit.
  [[nodiscard]] const std::shared_ptr<const Embedder>& embedder() const;
  [[nodiscard]] const Certificate& certificate() const;
  [[nodiscard]] const RungCounts& rungs() const;
  [[nodiscard]] const SessionOptions& options() const;
  [[nodiscard]] std::size_t updates() const;
  [[nodiscard]] std::size_t releases() const;

  // Weights as kept.  NOT protected under the release mechanism: publish what release() returns.
  [[nodiscard]] const Matrix& weights() const;
  [[nodiscard]] std::size_t classes() const;
  [[nodiscard]] const std::vector<std::string>& class_names() const;
  // Slots: one per graph of the data set at creation, then one per graph that was added.  A removed graph leaves an
  // empty slot: no values, label 0.
  [[nodiscard]] std::size_t slots() const;
  [[nodiscard]] std::size_t graph_count() const;  // that are left
  [[nodiscard]] bool has_graph(std::size_t slot) const;
  // Null for an empty slot.
  [[nodiscard]] const Graph* graph(std::size_t slot) const;
  // Empty where the data has no ids, and for an empty slot.
  [[nodiscard]] std::string_view graph_id(std::size_t slot) const;
  [[nodiscard]] const SparseBlockRows& embeddings() const;
  [[nodiscard]] std::span<const std::uint32_t> labels() const;
  // The noise in the objective; null under the release mechanism.
  [[nodiscard]] const Matrix* perturbation() const;
  // What the fast rung would need to go on in another process, if there is something that may be kept.
  [[nodiscard]] std::optional<KeptCurvature> curvature() const;
  [[nodiscard]] SessionSnapshot snapshot() const;
  // The same in parts, for those who write it down without a second copy of every graph: all but the slots, and one of
  // the slots.
  [[nodiscard]] SessionSnapshot snapshot_without_slots() const;
  [[nodiscard]] SlotSnapshot slot_snapshot(std::size_t slot) const;
  // How accurate published models would be on rows that are not learned from (width and bias as embeddings()): at this
  // session's own level, and at level everyone with one release and each of a few ridges.  `per_subject` as in the
  // options; memberships are not dropped for this estimate.  Trains once per ridge.  The numbers are computed from
  // private data without noise: they are for whoever decides, not for outsiders.  Errors: those of training.
  [[nodiscard]] Result<std::vector<LevelCost>> level_costs(const SparseBlockRows& rows,
                                                           std::span<const std::uint32_t> labels,
                                                           std::size_t per_subject) const;
  // Of the creation; nothing after restore().
  [[nodiscard]] const BoundedContributions& bounded_contributions() const;
  // The residual of the kept weights, evaluated now on all graphs, from both sides.
  [[nodiscard]] EvaluatedResidual evaluate() const;
  // What is left, as a data set.  A session that never saw the removed data would be created with it.
  [[nodiscard]] Dataset remaining() const;

 private:
  friend class PreparedRemoval;
  struct State;
  explicit Session(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;  // shared with an update that is prepared
};

}  // namespace unscatter
