// What every rank runs in the tests of MPI: `mpirun -n N mpi_rank PLUGIN SCENARIO [RANK]`.  mpi_job_test.cc starts it.
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "comm/launcher.h"
#include "comm/mpi_job.h"

namespace unscatter {
namespace {

std::vector<std::byte> pattern(std::size_t seed, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(seed * 31 + i * 7 + i / 251 + 1);
  return bytes;
}

void check(Communicator& job, bool condition, const char* what) {
  if (!condition) job.abort(what);
}

// Broadcasts from every root, a gather, barriers, and messages in their order.  Lengths on both sides of a piece.
void exchange(Communicator& job) {
  for (std::size_t root = 0; root < job.size(); ++root) {
    for (const std::size_t count : {0u, 1u, 999u, 1000u, 1001u, 100007u}) {
      std::vector<std::byte> bytes = job.rank() == root ? pattern(root, count) : std::vector<std::byte>(count);
      job.broadcast(bytes, root);
      check(job, bytes == pattern(root, count), "a broadcast came out wrong");
    }
  }
  const auto all = job.gather(pattern(job.rank(), 5000 * job.rank()), 0);
  for (std::size_t r = 0; r < all.size(); ++r) check(job, all[r] == pattern(r, 5000 * r), "a gather came out wrong");
  job.barrier();
  for (std::uint64_t k = 0; k < 100; ++k) {
    std::uint64_t number = k;
    if (!job.is_first()) job.send_numbers(0, std::span<const std::uint64_t>(&number, 1));
    for (std::size_t from = 1; job.is_first() && from < job.size(); ++from) {
      job.receive_numbers(from, std::span(&number, 1));
      check(job, number == k, "messages changed their order");
    }
  }
  const std::array<std::uint64_t, 2> sent{job.sent().messages, job.sent().bytes};
  const auto counts = job.gather(std::as_bytes(std::span(sent)));
  if (!job.is_first()) return;
  std::array<std::uint64_t, 2> total{};
  for (const auto& one : counts) {
    std::array<std::uint64_t, 2> numbers{};
    std::memcpy(numbers.data(), one.data(), sizeof(numbers));
    total[0] += numbers[0];
    total[1] += numbers[1];
  }
  std::printf("ranks %zu messages %lu bytes %lu\n", job.size(), total[0], total[1]);
}

// Stays in one system call that nothing interrupts, as one that waits for a disk does: a parent waits like that for a
// child that it made by vfork().
void wait_like_for_a_disk() {
  const pid_t child = vfork();
  if (child == 0) {
    for (;;) pause();
  }
}

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// The others wait for the first rank, which sleeps.
void idle(Communicator& job) {
  job.barrier();
  const double before = processor_seconds();
  if (job.is_first()) std::this_thread::sleep_for(std::chrono::seconds(4));
  job.barrier();
  const double used = processor_seconds() - before;
  const auto all = job.gather(std::as_bytes(std::span(&used, 1)));
  for (std::size_t r = 1; r < all.size(); ++r) {
    double seconds = 0;
    std::memcpy(&seconds, all[r].data(), sizeof(seconds));
    std::printf("idle rank %zu used %.3f s\n", r, seconds);
  }
}

// Seconds per message of 8 bytes there and back, and bytes per second of long ones.
void measure(Communicator& job) {
  for (const std::size_t count : {std::size_t{8}, std::size_t{1} << 13, std::size_t{1} << 20, std::size_t{1} << 26}) {
    std::vector<std::byte> bytes(count);
    const int rounds = count > (1u << 16) ? 10 : 300;
    job.barrier();
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < rounds && job.rank() < 2; ++k) {
      if (job.is_first()) job.send(1, bytes);
      if (job.is_first()) job.receive(1, bytes);
      if (job.rank() == 1) job.receive(0, bytes);
      if (job.rank() == 1) job.send(0, bytes);
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (job.is_first()) {
      std::printf("%zu bytes: %.1f us one way, %.0f MB/s\n", count, 1e6 * seconds / (2 * rounds),
                  2e-6 * rounds * static_cast<double>(count) / seconds);
    }
  }
}

// One message that no int can count.
void huge(Communicator& job) {
  std::vector<std::uint64_t> numbers(300u << 20);
  if (job.rank() == 0) {
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i * 0x9E3779B97F4A7C15u;
    job.send_numbers(1, std::span<const std::uint64_t>(numbers));
  } else if (job.rank() == 1) {
    job.receive_numbers(0, std::span(numbers));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      check(job, numbers[i] == i * 0x9E3779B97F4A7C15u, "a long message came out wrong");
    }
    std::printf("%zu bytes arrived\n", 8 * numbers.size());
  }
}

int run(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string scenario = argv[2];
  const std::size_t chosen = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 0;
  const std::optional<Launch> launch = launched();
  if (!launch) {
    std::puts("no launcher");
    return 3;
  }
  const Result<double> timeout = rank_timeout_from_environment();
  MpiOptions options{timeout.ok() ? *timeout : 1.0};
  if (scenario == "pieces") options.piece_bytes = 1000;
  auto joined = join_mpi_job(*launch, argv[1], options);
  if (!joined.ok()) {
    std::fprintf(stderr, "refused: %s\n", joined.error().message.c_str());
    return 1;
  }
  Communicator& job = **joined;
  const auto on_chosen = [&](const std::function<void()>& what) {
    job.barrier();
    if (job.rank() == chosen) what();
    job.barrier();
  };
  const std::map<std::string, std::function<void()>> scenarios = {
      {"exchange", [&] { exchange(job); }},
      {"pieces", [&] { exchange(job); }},
      {"idle", [&] { idle(job); }},
      {"measure", [&] { measure(job); }},
      {"huge", [&] { huge(job); }},
      {"abort", [&] { on_chosen([&] { job.abort("the disk is full"); }); }},
      {"leave", [&] { on_chosen([] { std::_Exit(0); }); }},
      {"kill", [&] { on_chosen([] { raise(SIGKILL); }); }},
      {"stop", [&] { on_chosen([] { raise(SIGSTOP); }); }},
      {"disk", [&] { on_chosen(wait_like_for_a_disk); }},
      {"size", [&] {
         job.barrier();
         std::vector<std::byte> bytes(job.is_first() ? 4 : 5);
         job.broadcast(bytes);
       }}};
  const auto found = scenarios.find(scenario);
  if (found == scenarios.end()) job.abort("there is no such scenario");
  found->second();
  return 0;
}

}  // namespace
}  // namespace unscatter

int main(int argc, char** argv) { return unscatter::run(argc, argv); }
