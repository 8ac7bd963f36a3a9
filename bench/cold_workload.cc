// cold: what a removal costs that is typed at the command line.  Every measured command is a process of its own,
// started anew, with the file in the page cache: `unscatter forget`, `unscatter status`, and for comparison SQLite
// alone, which overwrites the same graphs in a copy of the file, as durably.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "measure.h"
#include "store/contents.h"
#include "store/member_index.h"
#include "store/schema.h"
#include "store/sqlite.h"
#include "temporary_workspace.h"
#include "unscatter/store/workspace.h"

namespace unscatter::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kGroupSize = 30;
constexpr std::size_t kGroupsPerPerson = 5;
constexpr std::size_t kRemovals = 11;

struct Ran {
  double seconds = 0;
  double peak_bytes = 0;
};

// The program beside this one, to its end.
Ran run_program(const std::vector<std::string>& arguments) {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "unscatter";
  std::vector<std::string> words = {program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  const Stopwatch watch;
  pid_t child = 0;
  const int failed = posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error(fmt::format("cannot start {}", program.string()));
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error(fmt::format("unscatter {} failed", fmt::join(arguments, " ")));
  }
  return {watch.seconds(), static_cast<double>(usage.ru_maxrss) * 1024};
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// A key of its own, in a folder that goes away.
class KeyFolder {
 public:
  KeyFolder() {
    std::string name = (fs::temp_directory_path() / "bench-key-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a folder for a key");
    folder_ = name;
    setenv("UNSCATTER_KEY", (folder_ / "key").c_str(), 1);
  }
  KeyFolder(const KeyFolder&) = delete;
  KeyFolder& operator=(const KeyFolder&) = delete;
  ~KeyFolder() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

 private:
  fs::path folder_;
};

struct Touched {
  std::string subject;
  std::vector<std::size_t> slots;
};

// Subjects of graphs spread over the workspace, each with the graphs that it is in.
std::vector<Touched> some_subjects(const fs::path& workspace, std::size_t n) {
  WorkspaceOptions how;
  how.read_only = true;
  std::set<std::string> subjects;
  {
    const Workspace open = or_fail(Workspace::open(workspace, how));
    for (std::size_t i = 0; subjects.size() < kRemovals && i < 10 * kRemovals; ++i) {
      const SlotSnapshot slot = or_fail(open.slot((i * 7919 + 13) % n));
      if (slot.graph && slot.graph->has_node_ids()) subjects.insert(slot.graph->node_id(i % slot.graph->node_count()));
    }
  }
  std::vector<Touched> touched;
  touched.reserve(subjects.size());
  const Database database = or_fail(open_database(workspace, how.wait, Access::kReader));
  const Contents contents = or_fail(read_contents(WorkspaceTables(database)));
  MemberIndex index = or_fail(MemberIndex::open(WorkspaceTables(database), contents.identity.list_key));
  for (const std::string& subject : subjects) {
    touched.push_back({subject, or_fail(index.slots_of(WorkspaceTables(database), MemberKind::kSubject, subject))});
  }
  return touched;
}

void or_throw(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.error().message);
}

// SQLite alone: opens the copy, overwrites the same graphs, makes that durable, and empties the log.
double overwrite_by_sqlite(const fs::path& copy, const std::vector<std::size_t>& slots) {
  const Stopwatch watch;
  {
    const Database database = or_fail(Database::open(copy, Database::Mode::kExisting, std::chrono::seconds(10)));
    or_throw(database.run("PRAGMA locking_mode = EXCLUSIVE; PRAGMA secure_delete = ON; PRAGMA synchronous = FULL;"));
    Transaction transaction = or_fail(Transaction::begin(database));
    Statement statement = database.prepare("UPDATE graphs SET content = zeroblob(length(content)) WHERE slot = ?");
    for (const std::size_t slot : slots) {
      statement.bind(1, static_cast<std::int64_t>(slot));
      or_throw(statement.run());
    }
    or_throw(transaction.commit());
    or_throw(database.empty_log());
  }
  return watch.seconds();
}

void measure_groups(std::size_t n, const Reporter& report) {
  const KeyFolder key;
  const TemporaryWorkspace data;
  const TemporaryWorkspace file;
  const TemporaryWorkspace copy;
  run_program({"datasets", "generate", data.path().string(), "--groups", std::to_string(n), "--users",
               std::to_string(std::max(kGroupSize, n / kGroupsPerPerson)), "--min-size", std::to_string(kGroupSize),
               "--max-size", std::to_string(kGroupSize), "--quiet"});
  const Ran train = run_program({"train", "--data", data.path().string(), "--workspace", file.path().string(),
                                 "--features", "log-degree", "--transform", "geometric", "--quiet"});
  const std::vector<Touched> subjects = some_subjects(file.path(), n);
  fs::copy_file(file.path(), copy.path());
  std::vector<double> alone;
  alone.reserve(subjects.size());
  for (const Touched& touched : subjects) alone.push_back(overwrite_by_sqlite(copy.path(), touched.slots));
  std::vector<double> status;
  for (std::size_t i = 0; i < kRemovals; ++i) {
    status.push_back(run_program({"status", "--workspace", file.path().string()}).seconds);
  }
  Samples samples;
  std::vector<double> seconds;
  double peak = 0;
  std::size_t graphs = 0;
  for (const Touched& touched : subjects) {
    Ran forget;
    samples.measure([&] {
      forget = run_program({"forget", "--workspace", file.path().string(), "--subject", touched.subject, "--quiet"});
    });
    seconds.push_back(forget.seconds);
    peak = std::max(peak, forget.peak_bytes);
    graphs += touched.slots.size();
  }
  Json result = samples.removals(fmt::format("cold n={}", n), 1);
  result["graphs"] = n;
  result["graphs_per_subject"] = static_cast<double>(graphs) / static_cast<double>(subjects.size());
  result["process_peak_bytes"] = peak;
  result["status_seconds"] = median_of(status);
  result["sqlite_seconds"] = median_of(alone);
  result["train_seconds"] = train.seconds;
  result["file_bytes"] = fs::file_size(file.path());
  result["remark"] = fmt::format("{:.0f} graphs a subject; at most {:.0f} MB; status {:.0f} ms; SQLite alone {:.0f} ms",
                                 result["graphs_per_subject"].get<double>(), peak / 1e6, 1e3 * median_of(status),
                                 1e3 * median_of(alone));
  report(result);
}

// A node of a graph, as a share of the training in the same run.  `options`: of the training.
void measure_data(const std::string& name, const std::vector<std::string>& options, const fs::path& folder,
                  const Reporter& report) {
  if (!fs::exists(folder / name)) return;
  const KeyFolder key;
  const TemporaryWorkspace file;
  setenv("UNSCATTER_DATA", folder.c_str(), 1);
  std::vector<std::string> words = {"train", "--data", name, "--workspace", file.path().string(), "--quiet"};
  words.insert(words.end(), options.begin(), options.end());
  const Ran train = run_program(words);
  Samples samples;
  std::vector<double> seconds;
  double peak = 0;
  for (std::size_t i = 0; i < kRemovals; ++i) {
    Ran forget;
    samples.measure([&] {
      forget = run_program({"forget", "--workspace", file.path().string(), "--graph", std::to_string(37 * i + 5),
                            "--node", "1", "--quiet"});
    });
    seconds.push_back(forget.seconds);
    peak = std::max(peak, forget.peak_bytes);
  }
  const std::string how = options.empty() ? "" : fmt::format(" {}", fmt::join(options, " "));
  Json result = samples.removals(fmt::format("cold {}{}", name, how), 1);
  const double share = median_of(seconds) / train.seconds;
  result["process_peak_bytes"] = peak;
  result["train_seconds"] = train.seconds;
  result["share_of_training"] = share;
  result["file_bytes"] = fs::file_size(file.path());
  result["remark"] = fmt::format("training {:.3g} s, of which a removal takes {:.3f}; at most {:.0f} MB", train.seconds,
                                 share, peak / 1e6);
  report(result);
}

void run_cold(const BenchSettings& settings, const Reporter& report) {
  std::vector<std::size_t> sizes = settings.scale_rows;
  if (sizes.empty()) sizes = {1000, 10'000, 100'000, 1'000'000};
  for (const std::size_t n : sizes) measure_groups(n, report);
  // Images are not worth learning from without their positions, which the default leaves out.
  for (const char* name : {"NCI1", "IMDB-BINARY", "COLLAB"}) measure_data(name, {}, settings.data, report);
  for (const char* name : {"NCI1", "IMDB-BINARY", "COLLAB", "MNIST", "CIFAR10"}) {
    measure_data(name, {"--embedding", "auto"}, settings.data, report);
  }
}

}  // namespace

Workload cold_workload() {
  return {"cold", "whole processes: one removal, from n = 10^3 to 10^6 groups and on real data; status; SQLite alone",
          run_cold};
}

}  // namespace unscatter::bench
