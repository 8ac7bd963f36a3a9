// Where the bytes of a reader come from: a file, memory (fuzzing, tests), or a member of an archive (archive.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <variant>

#include "unscatter/base/result.h"

namespace unscatter::readers {

// What a reader is asked to read.  `name` appears in messages.  Memory is borrowed.
struct Input {
  std::string name;
  std::variant<std::filesystem::path, std::span<const char>> content;

  [[nodiscard]] static Input file(const std::filesystem::path& path) { return {path.string(), path}; }
  [[nodiscard]] static Input memory(std::string name, std::span<const char> bytes) { return {std::move(name), bytes}; }
  // The name of the data set as far as the file tells it: the name of the file without folder and ending.
  [[nodiscard]] std::string stem() const { return std::filesystem::path(name).stem().string(); }
};

// How many decompressed bytes the sources of one data set may give out together.  A small archive can decompress to
// terabytes; this stops it.  Thread-safe.
class ByteBudget {
 public:
  explicit ByteBudget(std::uint64_t max_bytes) : max_bytes_(max_bytes) {}
  // False as soon as more than the maximum was asked for in all.
  [[nodiscard]] bool take(std::uint64_t bytes) { return used_.fetch_add(bytes) + bytes <= max_bytes_; }
  // What was given out so far no longer counts.
  void renew() { used_ = 0; }
  [[nodiscard]] std::uint64_t max_bytes() const { return max_bytes_; }

 private:
  std::uint64_t max_bytes_;
  std::atomic<std::uint64_t> used_{0};
};

// A stream of bytes, read once from front to back by one thread at a time.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  // Fills the front of `into` (not empty) and returns how much; 0 at the end.
  [[nodiscard]] virtual Result<std::size_t> read(std::span<char> into) = 0;
  // File, and member where there is one, for messages.
  [[nodiscard]] virtual const std::string& name() const = 0;
  // The size that the file system or the archive's header claims.  Good for progress, not for allocation: a header may
  // lie.
  [[nodiscard]] virtual std::uint64_t claimed_size() const = 0;
};

// The plain bytes of `input`.  `budget` must outlive the source.  Errors: kNotFound, kIo; while reading kIo,
// kLimitExceeded.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_plain(const Input& input, ByteBudget& budget);

// The error that every source gives when the budget is spent.
[[nodiscard]] Error over_budget(const std::string& name, const ByteBudget& budget);

}  // namespace unscatter::readers
