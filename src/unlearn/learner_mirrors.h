// One learner whose rows several ranks share.
//
// Rank 0 has the Learner that a session calls.  Every other rank has a mirror of it: a Learner with its own rows and
// the same fit, limit and curvature.  Whatever is called on rank 0 is told to all ranks first, with its arguments, and
// then all ranks run the same call.  Inside, every sum over rows is one of row_share.h.  Every decision follows from
// numbers that are equal on all ranks, so the ranks cannot part.  Noise is drawn by rank 0 and told to the others.
//
//   rank 0                                           ranks 1, 2, ...
//   share_rows(ranks, rows)                          share_rows(ranks, rows); the rows go to a RowKeeper
//   Session::restore(..., rows)                      LearnerMirrors::serve(): takes the rows, restores a mirror
//   session.forget(...)                              serve(): begin; serve(): commit
//   the session goes                                 serve(): the rows go back to the keeper
//
// What is sent, with R ranks.  To tell is a broadcast of a number of bytes and of the bytes themselves, 2 (R - 1)
// messages: (R - 1) (8 + b) bytes for b bytes.
//
//   begin                      b = 18 + 29 + 8 (s + v) per changed row of s segments and v values, and 4 more where the
//                              label changes; then, per rank that holds changed rows, one more broadcast of what they
//                              were, b = 21 + 8 (s + v) per row.  Rows that come were nothing, and are not told.
//   commit, rollback           b = 10, 11
//   evaluate, follow           b = 10
//
// Nothing else is sent by a removal that the rung fast serves: O(d) bytes per changed row and rank, whatever n.  What
// the other rungs send beside it is what their sums over rows send (row_share.h): an evaluation of K classes is a sum
// in the tree of d K numbers and one in turns of 2 (2 K + 3); a product with K Hessians is a sum in the tree of d K
// numbers; new inverses are K triangles in turns (row_products.h) and the largest of one number; a row that inverses
// follow is a broadcast of K numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "comm/communicator.h"
#include "unlearn/fit.h"
#include "unlearn/row_change.h"
#include "unscatter/base/result.h"
#include "unscatter/learn/objective.h"
#include "unscatter/linalg/sparse_block_rows.h"
#include "unscatter/unlearn/session_options.h"
#include "unscatter/unlearn/snapshot.h"

namespace unscatter {

class Learner;
class PlainReader;

// The first byte of every message about learners.  Other operations of a job begin with another one.
inline constexpr std::byte kLearnerMessage{'L'};

// Where a rank that is not the first has its rows while no mirror has them.
class RowKeeper {
 public:
  RowKeeper() = default;
  RowKeeper(const RowKeeper&) = delete;
  RowKeeper& operator=(const RowKeeper&) = delete;
  virtual ~RowKeeper() = default;
  // The rows of this rank, shared with those that rank 0 gives its learner, and a label for each.
  [[nodiscard]] virtual KeptState::Rows take() = 0;
  // They come back as the last committed update has left them.
  virtual void give_back(KeptState::Rows rows) = 0;
};

// The mirrors of one rank.
class LearnerMirrors {
 public:
  // `threads` of this rank (0: all).
  LearnerMirrors(Communicator& ranks, RowKeeper& keeper, std::size_t threads = 0);
  LearnerMirrors(const LearnerMirrors&) = delete;
  LearnerMirrors& operator=(const LearnerMirrors&) = delete;
  ~LearnerMirrors();

  // Of mirrors that are to come.
  void set_threads(std::size_t threads) noexcept { threads_ = threads; }
  // Takes part in what a message that rank 0 has broadcast asks for.  False: it was the last one.  A message that is
  // malformed, and an exception, end the job.
  [[nodiscard]] bool serve(std::span<const std::byte> message);

 private:
  struct Mirror;
  [[nodiscard]] bool serve_message(std::span<const std::byte> message);
  // One operation each, with what its message says.
  void look_for_classes(PlainReader& reader);
  void relabel_rows(PlainReader& reader);
  void create(std::uint64_t number, PlainReader& reader);
  void restore(std::uint64_t number, PlainReader& reader);
  void release(std::uint64_t number);
  void keep(std::uint64_t number, Result<Learner> made);
  [[nodiscard]] Mirror& mirror(std::uint64_t number);

  Communicator& ranks_;
  RowKeeper& keeper_;
  std::size_t threads_;
  std::map<std::uint64_t, std::unique_ptr<Mirror>> mirrors_;
};

// Takes part in all operations on learners until rank 0 says stop_serving().
void serve_learner(Communicator& ranks, RowKeeper& keeper, std::size_t threads = 0);
void stop_serving(Communicator& ranks);

// On rank 0: which classes the labels of all ranks have, where no learner has the rows yet.
[[nodiscard]] std::vector<bool> classes_of_all(const KeptState::Rows& rows, std::size_t classes);
// On rank 0: every label k of every rank becomes places[k].
void relabel_all(KeptState::Rows& rows, const std::vector<std::uint32_t>& places);

// Rank 0's end: tells the others what is called.  When it goes, the mirrors go.
class MirrorLeader {
 public:
  // Null unless ranks share the rows and this is rank 0.  Told by the two functions below.
  [[nodiscard]] static std::unique_ptr<MirrorLeader> of(const SparseBlockRows& rows);
  explicit MirrorLeader(Communicator& ranks);
  MirrorLeader(const MirrorLeader&) = delete;
  MirrorLeader& operator=(const MirrorLeader&) = delete;
  ~MirrorLeader();

  void create(std::size_t classes, const SessionOptions& options, std::optional<std::size_t> living);
  void restore(std::size_t classes, std::size_t living, const SessionOptions& options, const Fit& fit, bool all_rows);
  void restore_curvature(const KeptCurvature& curvature);
  void follow();
  void evaluate();
  void begin(const std::vector<RowChange>& changes);
  void commit() noexcept;
  void rollback(bool remember) noexcept;
  void overwrite() noexcept;
  [[noreturn]] void abort(std::string_view reason);

 private:
  Communicator& ranks_;
  std::uint64_t number_;
};

// Where ranks share the rows: tells all ranks what the changed rows were, and their labels.  In `changes` those that
// are here say it.
void tell_rows_before(const RowShare& share, std::vector<RowChange>& changes);

}  // namespace unscatter
