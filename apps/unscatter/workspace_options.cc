#include "workspace_options.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace unscatter::cli {

// The library owns the defaults, and help texts show these.
WorkspaceArguments::WorkspaceArguments()
    : wait_seconds(std::chrono::duration<double>(WorkspaceOptions{}.wait).count()),
      threads(WorkspaceOptions{}.threads) {}

void WorkspaceArguments::add_to(CLI::App& command, bool required) {
  command.add_option("-w,--workspace", path, "The workspace, a file or a folder of shards")->required(required);
  command.add_option("--wait", wait_seconds, "Seconds to wait for a workspace that another process uses")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  command.add_option("--threads", threads, "Threads; 0 for all. The result does not depend on it")
      ->capture_default_str();
}

WorkspaceOptions WorkspaceArguments::options(Context& context, std::filesystem::path record,
                                             std::shared_ptr<const SigningKey> key) const {
  WorkspaceOptions options;
  options.key = std::move(key);
  options.record = std::move(record);
  // Whole milliseconds, as SQLite waits.
  options.wait = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::duration<double>(wait_seconds));
  options.threads = threads;
  options.progress = &context.progress();
  options.crew = context.crew();
  return options;
}

Result<Workspace> WorkspaceArguments::open_to_read(Context& context, std::filesystem::path record) const {
  WorkspaceOptions how = options(context, std::move(record));
  how.read_only = true;
  return open_with(how);
}

Result<Workspace> WorkspaceArguments::open_for_model(Context& context, std::filesystem::path record,
                                                     std::shared_ptr<const SigningKey> key) const {
  {
    UNSCATTER_TRY(reader, open_to_read(context, record));
    if (key == nullptr || reader.release().ok()) return reader;
  }
  // The reader is closed: who publishes is alone.
  return open(context, std::move(record), std::move(key));
}

Result<Workspace> WorkspaceArguments::open(Context& context, std::filesystem::path record,
                                           std::shared_ptr<const SigningKey> key, std::size_t expected_updates) const {
  WorkspaceOptions how = options(context, std::move(record), std::move(key));
  how.expected_updates = expected_updates;
  return open_with(how);
}

// The library knows that one can wait.  The option is the program's.
Result<Workspace> WorkspaceArguments::open_with(const WorkspaceOptions& how) const {
  return with_wait(Workspace::open(path, how));
}

Error WorkspaceArguments::named_wait(Error busy) const {
  busy.message += fmt::format(" (--wait SECONDS; now {})", wait_seconds);
  return busy;
}

}  // namespace unscatter::cli
