#include <malloc.h>

#include <csignal>
#include <exception>

#include "cluster/crew.h"
#include "cluster/ranks.h"
#include "cluster/worker.h"
#include "exit_code.h"
#include "laboratory.h"
#include "program.h"

namespace cli = unscatter::cli;

namespace {

// Passes over rows take and free the same few hundred kilobytes again and again.  By its defaults the C library gives
// them back to the system each time, and clearing them anew took a fifth of a small removal.  What is freed and may
// show something was overwritten before.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kMegabyte = 1 << 20;
  static_cast<void>(mallopt(M_TRIM_THRESHOLD, 32 * kMegabyte));
  // Setting the one ends the automatic choice of the other.  Matrices above this size come from the system as before.
  static_cast<void>(mallopt(M_MMAP_THRESHOLD, 4 * kMegabyte));
#endif
}

// The first rank runs the command as it is.  The others help, print nothing and end when it has ended.
int run_as_rank(unscatter::Communicator& job, int argc, char** argv, const cli::MoreCommands& more) {
  if (job.is_first()) {
    unscatter::cluster::Crew crew(job);
    return cli::run_program(argc, argv, more, &crew);
  }
  // A launcher tells all ranks of a signal.  The first one may have something to finish, and says when all is done.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  try {
    unscatter::cluster::serve_first_rank(job);
  } catch (const std::exception& problem) {
    job.abort(problem.what());
  }
  return cli::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto exit_code = cli::hand_over_to_laboratory(argc, argv)) return *exit_code;
  keep_freed_memory();
  // A limit on the size of files (ulimit -f) is then met as an error with a sentence, and does not end the program.
  std::signal(SIGXFSZ, SIG_IGN);
  const cli::MoreCommands more = [](CLI::App& program, cli::Context&) { cli::add_laboratory_stand_ins(program); };
  auto job = unscatter::cluster::join_ranks();
  if (!job.ok()) {
    const unscatter::Error& error = job.error();
    if (unscatter::cluster::speaks_for_the_job()) {
      cli::report_error(unscatter::error_code_name(error.code), error.message, cli::asks_for_json(argc, argv));
    }
    return cli::kRefused;
  }
  if (*job == nullptr) return cli::run_program(argc, argv, more);
  return run_as_rank(**job, argc, argv, more);
}
