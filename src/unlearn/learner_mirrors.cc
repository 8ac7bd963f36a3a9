#include "unlearn/learner_mirrors.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <string>
#include <utility>

#include "base/wipe.h"
#include "linalg/row_share.h"
#include "unlearn/learner.h"
#include "unlearn/learner_values.h"
#include "unlearn/plain_bytes.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

enum class Operation : std::uint8_t {
  kCreate,
  kRestore,
  kRestoreCurvature,
  kFollow,
  kEvaluate,
  kBegin,
  kCommit,
  kRollback,
  kOverwrite,
  kRelease,
  kClasses,
  kRelabel,
  kStop,
};

[[noreturn]] void end_job(Communicator& ranks, const std::string& reason) {
  ranks.abort(reason);
  std::terminate();  // is not reached; GCC does not see that through a virtual function
}

PlainWriter begin_message(Operation operation) {
  PlainWriter writer;
  writer.put(kLearnerMessage);
  writer.put(operation);
  return writer;
}

// Rows may be among the bytes.
void tell(Communicator& ranks, PlainWriter&& writer) {
  ranks.broadcast_any(writer.bytes());
  wipe(writer.bytes());
}

// Noise is drawn by rank 0 alone.
class NoNoise final : public RandomSource {
 public:
  void fill(std::span<std::byte>) override { invariant(false, "only rank 0 draws noise"); }
};

std::vector<bool> classes_here(std::span<const std::uint32_t> labels, const RowShare* share, std::size_t classes) {
  std::vector<double> occurs(classes, 0.0);
  for (const std::uint32_t label : labels) occurs.at(label) = 1;
  largest_of_all(share, occurs);
  std::vector<bool> found(classes);
  std::transform(occurs.begin(), occurs.end(), found.begin(), [](double there) { return there != 0; });
  return found;
}

void relabel(std::span<std::uint32_t> labels, const std::vector<std::uint32_t>& places) {
  for (std::uint32_t& label : labels) label = places.at(label);
}

}  // namespace

// --- Ranks 1, 2, ... -------------------------------------------------------------------------------------------------

struct LearnerMirrors::Mirror {
  explicit Mirror(Learner mirrored) : learner(std::move(mirrored)) {}

  void begin(PlainReader& reader) {
    changes_ = get_changes(reader);
    reader.require_end();
    NoNoise no_noise;
    Result<Fit> made = learner.begin(changes_, no_noise);
    if (made.ok()) {
      fit_ = *std::move(made);
    } else {
      changes_.clear();
    }
  }
  void commit(PlainReader& reader) {
    reader.require_end();
    require_begun();
    learner.commit(changes_, *std::move(fit_));
    end();
  }
  void rollback(PlainReader& reader) {
    const bool remember = reader.get<bool>();
    reader.require_end();
    require_begun();
    if (remember) {
      learner.rollback(changes_, *std::move(fit_));
    } else {
      learner.rollback(changes_);
    }
    end();
  }

  Learner learner;

 private:
  void require_begun() const {
    if (!fit_) throw MalformedMessage("it ends an update that was not begun");
  }
  void end() {
    fit_.reset();
    changes_.clear();
  }

  std::vector<RowChange> changes_;  // of an update that was begun
  std::optional<Fit> fit_;          // of that update
};

LearnerMirrors::LearnerMirrors(Communicator& ranks, RowKeeper& keeper, std::size_t threads)
    : ranks_(ranks), keeper_(keeper), threads_(threads) {}
LearnerMirrors::~LearnerMirrors() = default;

LearnerMirrors::Mirror& LearnerMirrors::mirror(std::uint64_t number) {
  const auto found = mirrors_.find(number);
  if (found == mirrors_.end()) throw MalformedMessage("it is about a learner that does not exist");
  return *found->second;
}

bool LearnerMirrors::serve(std::span<const std::byte> message) {
  try {
    return serve_message(message);
  } catch (const MalformedMessage& error) {
    end_job(ranks_, fmt::format("a message to rank {} about a learner is malformed: {}", ranks_.rank(), error.what()));
  } catch (const std::exception& error) {
    // The others wait for this rank, which cannot do its part.
    end_job(ranks_, fmt::format("rank {} cannot take part in an update: {}", ranks_.rank(), error.what()));
  }
}

bool LearnerMirrors::serve_message(std::span<const std::byte> message) {
  PlainReader reader(message);
  if (reader.get<std::byte>() != kLearnerMessage) throw MalformedMessage("it is about something else");
  Operation operation{};
  reader.get_choice(operation, Operation::kStop);
  switch (operation) {
    case Operation::kStop: reader.require_end(); return false;
    case Operation::kClasses: look_for_classes(reader); return true;
    case Operation::kRelabel: relabel_rows(reader); return true;
    default: break;
  }
  const auto number = reader.get<std::uint64_t>();
  switch (operation) {
    case Operation::kCreate: create(number, reader); return true;
    case Operation::kRestore: restore(number, reader); return true;
    case Operation::kRestoreCurvature: {
      KeptCurvature curvature = get_curvature(reader);
      reader.require_end();
      mirror(number).learner.restore_curvature(std::move(curvature));
      return true;
    }
    case Operation::kFollow:
      reader.require_end();
      mirror(number).learner.follow_rows();
      return true;
    case Operation::kEvaluate:
      reader.require_end();
      (void)mirror(number).learner.evaluate();
      return true;
    case Operation::kBegin: mirror(number).begin(reader); return true;
    case Operation::kCommit: mirror(number).commit(reader); return true;
    case Operation::kRollback: mirror(number).rollback(reader); return true;
    case Operation::kOverwrite:
      reader.require_end();
      mirror(number).learner.overwrite();
      return true;
    case Operation::kRelease:
      reader.require_end();
      release(number);
      return true;
    case Operation::kClasses:
    case Operation::kRelabel:
    case Operation::kStop: break;
  }
  throw MalformedMessage("it asks for something that does not exist");
}

void LearnerMirrors::look_for_classes(PlainReader& reader) {
  KeptState::Rows rows = keeper_.take();
  const auto classes = static_cast<std::size_t>(reader.get<std::uint64_t>());
  reader.require_end();
  (void)classes_here(rows.labels, rows.rows.share(), classes);
  keeper_.give_back(std::move(rows));
}

void LearnerMirrors::relabel_rows(PlainReader& reader) {
  KeptState::Rows rows = keeper_.take();
  const auto places = reader.get<std::vector<std::uint32_t>>();
  reader.require_end();
  relabel(rows.labels, places);
  keeper_.give_back(std::move(rows));
}

void LearnerMirrors::create(std::uint64_t number, PlainReader& reader) {
  const auto classes = static_cast<std::size_t>(reader.get<std::uint64_t>());
  SessionOptions options = get_options(reader);
  const auto living = reader.get<std::optional<std::size_t>>();
  reader.require_end();
  options.threads = threads_;
  KeptState::Rows rows = keeper_.take();
  NoNoise no_noise;
  keep(number, Learner::create(std::move(rows.rows), std::move(rows.labels), classes, options, no_noise, living));
}

void LearnerMirrors::restore(std::uint64_t number, PlainReader& reader) {
  const auto classes = static_cast<std::size_t>(reader.get<std::uint64_t>());
  const auto living = static_cast<std::size_t>(reader.get<std::uint64_t>());
  SessionOptions options = get_options(reader);
  Fit fit = get_fit(reader);
  const bool all_rows = reader.get<bool>();
  reader.require_end();
  options.threads = threads_;
  KeptState::Rows rows = keeper_.take();
  keep(number, Learner::restore(std::move(rows.rows), std::move(rows.labels), classes, living, options, std::move(fit),
                                all_rows));
}

void LearnerMirrors::keep(std::uint64_t number, Result<Learner> made) {
  // An error is the same on rank 0, which tells its caller.
  if (made.ok()) mirrors_[number] = std::make_unique<Mirror>(*std::move(made));
}

void LearnerMirrors::release(std::uint64_t number) {
  // Rows that were overwritten are not there any more, and a creation that failed has left no mirror.
  const auto found = mirrors_.find(number);
  if (found == mirrors_.end()) return;
  std::optional<KeptState::Rows> rows = found->second->learner.give_rows_back();
  mirrors_.erase(found);
  if (rows) keeper_.give_back(*std::move(rows));
}

void serve_learner(Communicator& ranks, RowKeeper& keeper, std::size_t threads) {
  LearnerMirrors mirrors(ranks, keeper, threads);
  std::vector<std::byte> message;
  bool goes_on = true;
  while (goes_on) {
    ranks.broadcast_any(message);
    goes_on = mirrors.serve(message);
    wipe(message);
  }
}

// --- Rank 0 ----------------------------------------------------------------------------------------------------------

void stop_serving(Communicator& ranks) { tell(ranks, begin_message(Operation::kStop)); }

std::vector<bool> classes_of_all(const KeptState::Rows& rows, std::size_t classes) {
  if (const RowShare* share = rows.rows.share()) {
    PlainWriter writer = begin_message(Operation::kClasses);
    writer.put(static_cast<std::uint64_t>(classes));
    tell(*share->communicator, std::move(writer));
  }
  return classes_here(rows.labels, rows.rows.share(), classes);
}

void relabel_all(KeptState::Rows& rows, const std::vector<std::uint32_t>& places) {
  if (const RowShare* share = rows.rows.share()) {
    PlainWriter writer = begin_message(Operation::kRelabel);
    writer.put(places);
    tell(*share->communicator, std::move(writer));
  }
  relabel(rows.labels, places);
}

namespace {

// Thread ranks may be several first ranks of one process.
std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

PlainWriter begin_message(Operation operation, std::uint64_t number) {
  PlainWriter writer = begin_message(operation);
  writer.put(number);
  return writer;
}

// For functions that cannot fail.  Where the job is over, the next message says so.
void tell_quietly(Communicator& ranks, PlainWriter&& writer) noexcept {
  try {
    tell(ranks, std::move(writer));
  } catch (...) {
  }
}

}  // namespace

std::unique_ptr<MirrorLeader> MirrorLeader::of(const SparseBlockRows& rows) {
  if (rows.share() == nullptr || rows.share()->rank != 0) return nullptr;
  return std::make_unique<MirrorLeader>(*rows.share()->communicator);
}

MirrorLeader::MirrorLeader(Communicator& ranks) : ranks_(ranks), number_(next_number()) {}

MirrorLeader::~MirrorLeader() {
  // Where an exception is on its way, ranks may wait for other messages than this one.
  if (std::uncaught_exceptions() == 0) tell_quietly(ranks_, begin_message(Operation::kRelease, number_));
}

void MirrorLeader::create(std::size_t classes, const SessionOptions& options, std::optional<std::size_t> living) {
  PlainWriter writer = begin_message(Operation::kCreate, number_);
  writer.put(static_cast<std::uint64_t>(classes));
  put(writer, options);
  writer.put(living);
  tell(ranks_, std::move(writer));
}

void MirrorLeader::restore(std::size_t classes, std::size_t living, const SessionOptions& options, const Fit& fit,
                           bool all_rows) {
  PlainWriter writer = begin_message(Operation::kRestore, number_);
  writer.put(static_cast<std::uint64_t>(classes));
  writer.put(static_cast<std::uint64_t>(living));
  put(writer, options);
  put(writer, fit);
  writer.put(all_rows);
  tell(ranks_, std::move(writer));
}

void MirrorLeader::restore_curvature(const KeptCurvature& curvature) {
  PlainWriter writer = begin_message(Operation::kRestoreCurvature, number_);
  put(writer, curvature);
  tell(ranks_, std::move(writer));
}

void MirrorLeader::follow() { tell(ranks_, begin_message(Operation::kFollow, number_)); }
void MirrorLeader::evaluate() { tell(ranks_, begin_message(Operation::kEvaluate, number_)); }

void MirrorLeader::begin(const std::vector<RowChange>& changes) {
  PlainWriter writer = begin_message(Operation::kBegin, number_);
  put(writer, changes);
  tell(ranks_, std::move(writer));
}

void MirrorLeader::commit() noexcept { tell_quietly(ranks_, begin_message(Operation::kCommit, number_)); }

void MirrorLeader::rollback(bool remember) noexcept {
  PlainWriter writer = begin_message(Operation::kRollback, number_);
  writer.put(remember);
  tell_quietly(ranks_, std::move(writer));
}

void MirrorLeader::overwrite() noexcept { tell_quietly(ranks_, begin_message(Operation::kOverwrite, number_)); }

void MirrorLeader::abort(std::string_view reason) {
  end_job(ranks_, fmt::format("rank 0 cannot take part in an update: {}", reason));
}

void tell_rows_before(const RowShare& share, std::vector<RowChange>& changes) {
  // Whose turn it is, in the order of ranks.  New rows were empty, and everybody knows that.
  std::vector<std::pair<std::size_t, RowChange*>> owned;
  for (RowChange& change : changes) {
    if (change.kind != ChangeKind::kAdded) owned.emplace_back(rank_of_row(share, change.row), &change);
  }
  std::stable_sort(owned.begin(), owned.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  for (auto first = owned.begin(); first != owned.end();) {
    const std::size_t rank = first->first;
    const auto last = std::find_if(first, owned.end(), [rank](const auto& one) { return one.first != rank; });
    PlainWriter writer;
    if (rank == share.rank) {
      for (auto at = first; at != last; ++at) {
        writer.put(at->second->label_before);
        writer.put(at->second->before);
      }
    }
    share.communicator->broadcast_any(writer.bytes(), rank);
    if (rank != share.rank) {
      PlainReader reader(writer.bytes());
      for (auto at = first; at != last; ++at) {
        reader.get(at->second->label_before);
        reader.get(at->second->before);
      }
      reader.require_end();
    }
    wipe(writer.bytes());
    first = last;
  }
}

}  // namespace unscatter
