// A workspace that several Python threads may hold, one at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "audits.h"
#include "core.h"
#include "one_at_a_time.h"
#include "unscatter/store/request_text.h"
#include "unscatter/store/workspace.h"
#include "words.h"

namespace unscatter::python {

// A removal, an addition or corrections, in force and on disk, as texts that files hold.
struct Outcome {
  Certificate certificate;
  Exposure exposure;
  std::string entry;  // of the ledger
  std::string receipt;
  std::vector<std::string> openings;  // one per request
};
[[nodiscard]] Outcome outcome_of(const Forgotten& done);

// What happens to the salts of a removal.
struct SaltChoice {
  bool keep = false;
  bool shred = false;
  py::object hand_out;  // None, or a function of the outcome, called before anything is written
};

// Calls Python functions from inside of the library.  What they raise is kept, ends the work, and is raised again when
// the library has returned.
class Callbacks {
 public:
  // True if `function` returned.
  bool call(const py::object& function, const std::function<py::args()>& arguments);
  // Looks for Ctrl-C.  True if nothing was raised so far.
  bool go_on();
  [[nodiscard]] ForgetOptions options(const SaltChoice& salts);
  // work(), whose own exception gives way to what a function raised.
  template <typename Work>
  auto guard(Work work) {
    try {
      auto result = work();
      if (raised_) throw_raised();
      return result;
    } catch (const py::error_already_set&) {
      if (raised_) throw_raised();
      throw;
    }
  }

 private:
  [[noreturn]] void throw_raised();
  std::optional<py::error_already_set> raised_;
};

class LockedWorkspace {
 public:
  // `fit`: a text, or the data set that is declared public.  `expires`: a due date for every graph.
  static std::shared_ptr<LockedWorkspace> create(const std::filesystem::path& path, const Dataset& dataset,
                                                 const NamedTransform& transform, const py::object& features,
                                                 const py::object& fit, const py::dict& words,
                                                 std::optional<std::int64_t> expires,
                                                 const std::optional<std::filesystem::path>& key,
                                                 const py::object& report);
  // The same from a JSONL file, of which a few graphs are in memory at a time.  `classes`: their names, if stated.
  static std::shared_ptr<LockedWorkspace> create_from_file(
      const std::filesystem::path& path, const std::filesystem::path& data, const NamedTransform& transform,
      const std::optional<std::string>& features, const py::object& fit,
      const std::optional<std::vector<std::string>>& classes, const py::dict& words,
      std::optional<std::int64_t> expires, const std::optional<std::filesystem::path>& key, const py::object& report);
  // Another workspace that learns from what is left of this one.  What is not given stays as it is here.
  std::shared_ptr<LockedWorkspace> retrain(const std::filesystem::path& path,
                                           const std::optional<NamedTransform>& transform,
                                           const std::optional<std::string>& features, const py::object& fit,
                                           const std::optional<std::vector<std::string>>& classes,
                                           const py::dict& words, const std::optional<std::filesystem::path>& key,
                                           const py::object& report);
  static std::shared_ptr<LockedWorkspace> open(const std::filesystem::path& path, bool read_only,
                                               const std::optional<std::filesystem::path>& key,
                                               std::optional<double> wait_seconds, std::size_t threads,
                                               const py::object& report);
  void close();

  // Updates.
  Outcome forget(const std::vector<RemovalRequest>& requests, bool keep_salts, bool shred, const py::object& hand_out,
                 const py::object& report);
  py::tuple preview(const std::vector<RemovalRequest>& requests, const py::object& report);
  Outcome add(const Dataset& graphs, std::optional<std::int64_t> expires, const py::object& report);
  Outcome correct(const std::vector<std::string>& texts, const py::object& report);
  Outcome replay(const std::string& openings, bool keep_salts, bool shred, const py::object& hand_out,
                 const py::object& report);
  std::size_t shred(const RemovalRequest& request);
  std::string release(bool fresh);
  std::string renew();

  // Lists of requests: (done before, entries before, honoured, outcomes, refusals).
  py::tuple forget_list(const std::vector<RemovalRequest>& requests, std::optional<std::size_t> batch,
                        bool skip_refused, bool keep_salts, bool shred, const py::object& hand_out,
                        const py::object& acknowledge, const py::object& report);

  // Due dates.
  py::list due(std::int64_t until);
  py::dict due_summary(std::int64_t now);
  void set_due(const RemovalRequest& what, std::optional<std::int64_t> due);
  std::optional<Outcome> expire(std::int64_t until, bool keep_salts, bool shred, const py::object& hand_out,
                                const py::object& report);

  // What is there.
  std::string entry(std::size_t sequence);
  std::string receipt(std::size_t sequence);
  SharedDataset remaining();
  // (number, external id, class, nodes at creation, graph), with None for a graph that was removed.
  py::tuple slot(std::size_t place);
  // Writes what is left as JSONL, for its owner only.
  void export_graphs(const std::filesystem::path& to);
  py::dict subject(const std::string& id);
  py::list subjects(const std::string& text, std::size_t limit, std::size_t offset);
  std::string replay_digest();
  std::string state_digest();
  py::array_t<double> kept_weights();
  std::string backup(const std::filesystem::path& to, bool replace);
  py::dict status();
  Certificate certificate();
  Audit audit(const py::dict& words, const py::object& report);

 private:
  WorkspaceOptions options(std::size_t threads, std::filesystem::path record);
  // Work on the open workspace, without the interpreter's lock.
  template <typename Work>
  typename std::invoke_result_t<Work>::value_type run(const py::object& report, Work work) {
    turns_.refuse_its_own_functions();
    PythonProgress progress(report);
    return without_lock(progress, [&]() -> decltype(work()) {
      const OneAtATime::Turn ours(turns_);
      if (!workspace_) return Error{ErrorCode::kInvalidArgument, "the workspace is closed"};
      const RelayProgress::Turn turn(relay_, progress);
      return work();
    });
  }

  OneAtATime turns_;
  RelayProgress relay_;
  std::optional<Workspace> workspace_;  // after the relay, which it points to
};

}  // namespace unscatter::python
