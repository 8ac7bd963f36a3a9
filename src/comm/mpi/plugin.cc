// The MPI plug-in: moves bytes between two ranks by MPI, and ends the job where a rank is lost.
#include "comm/mpi/plugin.h"

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "comm/mpi/signs_of_life.h"

namespace unscatter {
namespace {

// MPI is one per process, and so is this.
struct World {
  MPI_Comm messages = MPI_COMM_NULL;
  MPI_Comm signs = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
  std::uint64_t piece_bytes = 0;
  double timeout_seconds = 0;
  std::vector<std::string> hosts;
  std::unique_ptr<SignsOfLife> signs_of_life;
};
World world;

constexpr int kTag = 0;

[[noreturn]] void end_job(const std::string& sentence) {
  // The first reason is told, and the threads that come later wait for the end.
  static std::mutex once;
  once.lock();
  const std::string line = "unscatter: " + sentence + "\n";
  // Nobody is left to tell if this fails.
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) std::_Exit(EXIT_FAILURE);
  // The launcher ends all ranks.  Where it hangs, this rank ends nevertheless.
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::seconds(10));
    std::_Exit(EXIT_FAILURE);
  }).detach();
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  std::_Exit(EXIT_FAILURE);
}

void must(int outcome, const char* what) {
  if (outcome == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(outcome, text, &length);
  end_job("rank " + std::to_string(world.rank) + " on " + world.hosts[static_cast<std::size_t>(world.rank)] +
          ": cannot " + what + ": " + std::string(text, static_cast<std::size_t>(length)));
}

// MPI libraries wait by asking again and again, with a whole processor.  This asks again and again too, but it sleeps
// in between, longer and longer: an idle rank costs next to nothing.
class Patience {
 public:
  // Long messages may move on only while they are asked for, so the pauses stay short.
  explicit Patience(std::uint64_t bytes) : longest_(bytes > (1U << 16) ? kShortPause : kPause) {}

  void pause() {
    if (++asked_ < kQuickLooks) {
      sched_yield();
      return;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(pause_));
    slept_ += pause_;
    pause_ = std::min(2 * pause_, slept_ > kLongSleep ? kIdlePause : longest_);
  }

 private:
  static constexpr int kQuickLooks = 400;
  static constexpr std::int64_t kShortPause = 100;
  static constexpr std::int64_t kPause = 500;
  static constexpr std::int64_t kIdlePause = 5000;
  static constexpr std::int64_t kLongSleep = 1000000;
  std::int64_t longest_;
  std::int64_t pause_ = 20;
  std::int64_t slept_ = 0;
  int asked_ = 0;
};

// The signs of life see whether the other rank is lost, so this may wait for as long as it takes.
MPI_Status complete(MPI_Request request, std::uint64_t bytes, const char* what) {
  Patience patience(bytes);
  for (;;) {
    int done = 0;
    MPI_Status status;
    must(MPI_Test(&request, &done, &status), what);
    if (done != 0) return status;
    patience.pause();
  }
}

// Calls move(pointer, count) for every piece.  A message without bytes is one empty piece.
template <typename Pointer, typename Move>
void in_pieces(Pointer bytes, std::uint64_t count, const Move& move) {
  std::uint64_t done = 0;
  do {
    const std::uint64_t piece = std::min(count - done, world.piece_bytes);
    move(bytes + done, static_cast<int>(piece));
    done += piece;
  } while (done < count);
}

void send(std::uint64_t to, const void* bytes, std::uint64_t count) {
  in_pieces(static_cast<const char*>(bytes), count, [&](const char* piece, int length) {
    MPI_Request request = MPI_REQUEST_NULL;
    must(MPI_Isend(piece, length, MPI_BYTE, static_cast<int>(to), kTag, world.messages, &request), "send");
    complete(request, static_cast<std::uint64_t>(length), "send");
  });
}

void receive(std::uint64_t from, void* bytes, std::uint64_t count) {
  in_pieces(static_cast<char*>(bytes), count, [&](char* piece, int length) {
    MPI_Request request = MPI_REQUEST_NULL;
    must(MPI_Irecv(piece, length, MPI_BYTE, static_cast<int>(from), kTag, world.messages, &request), "receive");
    const MPI_Status status = complete(request, static_cast<std::uint64_t>(length), "receive");
    int came = 0;
    must(MPI_Get_count(&status, MPI_BYTE, &came), "receive");
    if (came != length) {
      end_job("rank " + std::to_string(world.rank) + ": a message of rank " + std::to_string(from) + " has " +
              std::to_string(came) + " bytes instead of " + std::to_string(length));
    }
  });
}

void abort_job(const char* reason) {
  end_job("rank " + std::to_string(world.rank) + " on " + world.hosts[static_cast<std::size_t>(world.rank)] + ": " +
          reason);
}

std::string library_name() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  // "Open MPI v4.1.4, package: ..." and "MPICH Version:\t4.0.2\nMPICH Release date ...".
  std::string name(text, static_cast<std::size_t>(length));
  name = name.substr(0, name.find_first_of(",\n"));
  std::replace(name.begin(), name.end(), '\t', ' ');
  return name;
}

// Called before there are signs of life: a rank that is lost now is seen by the launcher.
std::vector<std::string> names_of_hosts() {
  char own[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  MPI_Get_processor_name(own, &length);
  std::vector<char> all(static_cast<std::size_t>(world.size) * MPI_MAX_PROCESSOR_NAME);
  MPI_Allgather(own, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, all.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, world.messages);
  std::vector<std::string> names;
  for (std::size_t r = 0; r < static_cast<std::size_t>(world.size); ++r) {
    names.emplace_back(&all[r * MPI_MAX_PROCESSOR_NAME]);
  }
  return names;
}

int start(const UnscatterMpiStart* how, UnscatterMpiWorld* made, char* reason, std::size_t reason_room) {
  const auto refuse = [&](const std::string& sentence) {
    std::snprintf(reason, reason_room, "%s", sentence.c_str());
    return 1;
  };
  int provided = MPI_THREAD_SINGLE;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS) {
    return refuse("MPI does not start");
  }
  if (provided != MPI_THREAD_MULTIPLE) {
    const std::string library = library_name();
    MPI_Finalize();
    return refuse("the MPI library (" + library + ") cannot be used by several threads, so a lost rank would not be " +
                  "noticed; use one that was built with MPI_THREAD_MULTIPLE");
  }
  world.piece_bytes = how->piece_bytes;
  world.timeout_seconds = how->timeout_seconds;
  MPI_Comm_dup(MPI_COMM_WORLD, &world.messages);
  MPI_Comm_dup(MPI_COMM_WORLD, &world.signs);
  MPI_Comm_set_errhandler(world.messages, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(world.signs, MPI_ERRORS_RETURN);
  MPI_Comm_rank(world.messages, &world.rank);
  MPI_Comm_size(world.messages, &world.size);
  world.hosts = names_of_hosts();
  world.signs_of_life = std::make_unique<SignsOfLife>(world.signs, world.hosts, how->timeout_seconds,
                                                      [](const std::string& sentence) { end_job(sentence); });
  made->rank = static_cast<std::uint64_t>(world.rank);
  made->size = static_cast<std::uint64_t>(world.size);
  std::snprintf(made->library, sizeof(made->library), "%s", library_name().c_str());
  return 0;
}

void finish() {
  // From here on nobody watches, so the end itself has a deadline.
  static std::atomic<bool> ended = false;
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::duration<double>(world.timeout_seconds));
    if (!ended) end_job("rank " + std::to_string(world.rank) + ": other ranks do not end");
  }).detach();
  world.signs_of_life.reset();
  MPI_Comm_free(&world.signs);
  MPI_Comm_free(&world.messages);
  MPI_Finalize();
  ended = true;
}

}  // namespace
}  // namespace unscatter

extern "C" __attribute__((visibility("default"))) const UnscatterMpi* unscatter_mpi(void) {
  static const UnscatterMpi table{kUnscatterMpiEdition, unscatter::start,     unscatter::send,
                                  unscatter::receive,   unscatter::abort_job, unscatter::finish};
  return &table;
}
