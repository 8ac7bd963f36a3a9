// Ranks tell each other that they are alive, so that one that is lost is named and does not stop the others for ever.
#pragma once

#include <mpi.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "comm/mpi/stuck_threads.h"

namespace unscatter {

// A thread that, from construction to destruction, tells the first rank that this rank is alive, and hears the same
// from the first rank.  The first rank does it with all others.  A tenth of the timeout lies between two signs, at most
// one second.
//
// `lost` is called, on that thread, with a sentence that names the rank: when nothing was heard of it for the timeout,
// or when it says that a thread of it has been waiting for its disk for the timeout.
class SignsOfLife {
 public:
  // `hosts`: of all ranks.  The communicator belongs to this object alone while it lives.  All ranks destroy it
  // together: the destructor waits for the others.
  SignsOfLife(MPI_Comm communicator, std::vector<std::string> hosts, double timeout_seconds,
              std::function<void(const std::string& sentence)> lost);
  ~SignsOfLife();
  SignsOfLife(const SignsOfLife&) = delete;
  SignsOfLife& operator=(const SignsOfLife&) = delete;

 private:
  // What travels.
  struct Sign {
    double disk_wait_seconds = 0;
    std::uint64_t last = 0;  // 1: no other will come
  };
  struct Peer {
    int rank = 0;
    double heard = 0;  // when
    double disk_wait_seconds = 0;
    bool left = false;
    Sign outgoing;
    MPI_Request sending = MPI_REQUEST_NULL;
  };

  void run();
  void tell();
  void hear(double now);
  void judge(double now);
  void lose(int rank, const std::string& what);

  MPI_Comm communicator_;
  int rank_ = 0;
  std::vector<std::string> hosts_;
  double timeout_;
  double interval_;
  std::function<void(const std::string&)> lost_;
  std::vector<Peer> peers_;
  StuckThreads stuck_;
  double own_disk_wait_ = 0;
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace unscatter
