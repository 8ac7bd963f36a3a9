#include "graph/readers/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace unscatter::readers {
namespace {

Error system_error(const std::string& name, const char* what) {
  // Saved first: formatting may change errno.
  const int code = errno;
  return {code == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
          fmt::format("{}: {}: {}", name, what, std::generic_category().message(code))};
}

class FileSource final : public ByteSource {
 public:
  FileSource(std::string name, int descriptor, std::uint64_t size, ByteBudget& budget)
      : name_(std::move(name)), descriptor_(descriptor), size_(size), budget_(budget) {}
  ~FileSource() override { ::close(descriptor_); }

  Result<std::size_t> read(std::span<char> into) override {
    ssize_t count = 0;
    do {
      // A signal may interrupt the call before anything was read.
      count = ::read(descriptor_, into.data(), into.size());
    } while (count < 0 && errno == EINTR);
    if (count < 0) return system_error(name_, "cannot be read");
    // Counted after the read: only bytes that really came are charged.
    if (!budget_.take(static_cast<std::uint64_t>(count))) return over_budget(name_, budget_);
    return static_cast<std::size_t>(count);
  }
  const std::string& name() const override { return name_; }
  std::uint64_t claimed_size() const override { return size_; }

 private:
  std::string name_;
  int descriptor_;
  std::uint64_t size_;
  ByteBudget& budget_;
};

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string name, std::span<const char> bytes, ByteBudget& budget)
      : name_(std::move(name)), size_(bytes.size()), left_(bytes), budget_(budget) {}

  Result<std::size_t> read(std::span<char> into) override {
    const std::size_t count = std::min(into.size(), left_.size());
    // Memory counts too, so that tests and fuzzing meet the same limits as files.
    if (!budget_.take(count)) return over_budget(name_, budget_);
    std::copy_n(left_.begin(), count, into.begin());
    left_ = left_.subspan(count);
    return count;
  }
  const std::string& name() const override { return name_; }
  std::uint64_t claimed_size() const override { return size_; }

 private:
  std::string name_;
  std::uint64_t size_;
  std::span<const char> left_;
  ByteBudget& budget_;
};

}  // namespace

Error over_budget(const std::string& name, const ByteBudget& budget) {
  return {ErrorCode::kLimitExceeded,
          fmt::format("{}: more than the {} bytes that the limits allow", name, budget.max_bytes())};
}

Result<std::unique_ptr<ByteSource>> open_plain(const Input& input, ByteBudget& budget) {
  if (const auto* bytes = std::get_if<std::span<const char>>(&input.content)) {
    return std::unique_ptr<ByteSource>(std::make_unique<MemorySource>(input.name, *bytes, budget));
  }
  const int descriptor = ::open(std::get<std::filesystem::path>(input.content).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return system_error(input.name, "cannot be opened");
  struct stat info {};
  // open() succeeds on a folder.  Only read() would fail, with a message that says less.
  const bool known = ::fstat(descriptor, &info) == 0;
  if (known && S_ISDIR(info.st_mode)) {
    ::close(descriptor);
    return Error{ErrorCode::kIo, fmt::format("{}: is a folder, not a file", input.name)};
  }
  // A pipe has no size in advance; 0 makes progress show no total.
  const std::uint64_t size = known && S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0;
  return std::unique_ptr<ByteSource>(std::make_unique<FileSource>(input.name, descriptor, size, budget));
}

}  // namespace unscatter::readers
