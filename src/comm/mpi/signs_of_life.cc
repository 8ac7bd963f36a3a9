#include "comm/mpi/signs_of_life.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

namespace unscatter {
namespace {

double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

SignsOfLife::SignsOfLife(MPI_Comm communicator, std::vector<std::string> hosts, double timeout_seconds,
                         std::function<void(const std::string& sentence)> lost)
    : communicator_(communicator),
      hosts_(std::move(hosts)),
      timeout_(timeout_seconds),
      interval_(std::min(timeout_seconds / 10, 1.0)),
      lost_(std::move(lost)) {
  MPI_Comm_rank(communicator_, &rank_);
  const double now = clock_seconds();
  const int others = rank_ == 0 ? static_cast<int>(hosts_.size()) : 1;
  for (int rank = 0; rank < others; ++rank) {
    if (rank == rank_) continue;
    Peer& peer = peers_.emplace_back();
    peer.rank = rank;
    peer.heard = now;
  }
  thread_ = std::thread([this] { run(); });
}

SignsOfLife::~SignsOfLife() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_all();
  thread_.join();
  // The last sign says so.  Whoever has heard it of all others leaves nothing in the line.
  for (Peer& peer : peers_) {
    MPI_Wait(&peer.sending, MPI_STATUS_IGNORE);
    peer.outgoing = {0, 1};
    MPI_Isend(&peer.outgoing, sizeof(Sign), MPI_BYTE, peer.rank, 0, communicator_, &peer.sending);
  }
  const auto has_left = [](const Peer& peer) { return peer.left; };
  for (hear(clock_seconds()); !std::all_of(peers_.begin(), peers_.end(), has_left); hear(clock_seconds())) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (Peer& peer : peers_) MPI_Wait(&peer.sending, MPI_STATUS_IGNORE);
}

void SignsOfLife::run() {
  double last_look = clock_seconds();
  double next_sign = last_look;
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    const double now = clock_seconds();
    // This process itself was stopped.  What others said meanwhile lies in the line and counts from now.
    if (now - last_look > timeout_ / 2) {
      for (Peer& peer : peers_) peer.heard = now;
    }
    last_look = now;
    if (now >= next_sign) {
      own_disk_wait_ = stuck_.longest_wait(now);
      tell();
      next_sign = now + interval_;
    }
    hear(now);
    judge(now);
    lock.lock();
    stop_.wait_for(lock, std::chrono::duration<double>(std::min(interval_ / 2, 0.25)), [this] { return stopping_; });
  }
}

void SignsOfLife::tell() {
  for (Peer& peer : peers_) {
    // The one before is still on its way: no second one behind it, or they would pile up in front of a lost rank.
    if (peer.sending != MPI_REQUEST_NULL) {
      int done = 0;
      MPI_Test(&peer.sending, &done, MPI_STATUS_IGNORE);
      if (done == 0) continue;
    }
    peer.outgoing.disk_wait_seconds = own_disk_wait_;
    MPI_Isend(&peer.outgoing, sizeof(Sign), MPI_BYTE, peer.rank, 0, communicator_, &peer.sending);
  }
}

void SignsOfLife::hear(double now) {
  for (;;) {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, communicator_, &there, &status);
    if (there == 0) return;
    Sign sign;
    MPI_Recv(&sign, sizeof(Sign), MPI_BYTE, status.MPI_SOURCE, 0, communicator_, MPI_STATUS_IGNORE);
    for (Peer& peer : peers_) {
      if (peer.rank != status.MPI_SOURCE) continue;
      peer.heard = now;
      peer.disk_wait_seconds = sign.disk_wait_seconds;
      peer.left = sign.last != 0;
    }
  }
}

void SignsOfLife::judge(double now) {
  // Where all ranks but the first notice the same, the second one is quicker than the others and speaks alone.
  const double patience = timeout_ + (rank_ > 1 ? 0.5 + 0.05 * std::min(rank_, 20) : 0.0);
  const auto seconds = [](double value) { return std::to_string(std::lround(value)) + " s"; };
  for (const Peer& peer : peers_) {
    if (peer.left) continue;
    if (now - peer.heard > patience) lose(peer.rank, "has not been heard of for " + seconds(now - peer.heard));
    if (rank_ == 0 && peer.disk_wait_seconds > timeout_) {
      lose(peer.rank, "has been waiting for its disk for " + seconds(peer.disk_wait_seconds));
    }
  }
  if (rank_ == 0 && own_disk_wait_ > timeout_) {
    lose(0, "has been waiting for its disk for " + seconds(own_disk_wait_));
  }
}

void SignsOfLife::lose(int rank, const std::string& what) {
  lost_("rank " + std::to_string(rank) + " on " + hosts_[static_cast<std::size_t>(rank)] + " " + what);
}

}  // namespace unscatter
