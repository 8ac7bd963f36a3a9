#include "crash/disk_image.h"

#include <algorithm>
#include <utility>

namespace unscatter::testing {
namespace {

// The unit that a disk writes whole or not at all.
constexpr std::size_t kSectorSize = 512;

void overwrite(std::string& file, std::size_t offset, std::string_view bytes) {
  if (bytes.empty()) return;
  if (file.size() < offset + bytes.size()) file.resize(offset + bytes.size(), '\0');
  std::copy(bytes.begin(), bytes.end(), file.begin() + static_cast<std::ptrdiff_t>(offset));
}

}  // namespace

void DiskImage::State::apply(const Operation& operation) {
  switch (operation.kind) {
    case Operation::Kind::kWrite: overwrite(files[operation.file], operation.offset, operation.bytes); break;
    case Operation::Kind::kTruncate: files[operation.file].resize(operation.offset, '\0'); break;
    case Operation::Kind::kCreate: names[operation.bytes] = operation.file; break;
    case Operation::Kind::kRemove:
      // Another file may have got the name in the meantime.
      if (const auto name = names.find(operation.bytes); name != names.end() && name->second == operation.file)
        names.erase(name);
      break;
  }
}

void DiskImage::State::apply_torn(const Operation& operation, Sequence& random) {
  if (operation.kind != Operation::Kind::kWrite) return apply(operation);
  const std::uint64_t end = operation.offset + operation.bytes.size();
  for (std::uint64_t first = operation.offset; first < end;) {
    const std::uint64_t last = std::min(end, (first / kSectorSize + 1) * kSectorSize);
    if (random.chance(0.5)) {
      overwrite(files[operation.file], first,
                std::string_view(operation.bytes).substr(first - operation.offset, last - first));
    }
    first = last;
  }
}

DiskContent DiskImage::State::content() const {
  DiskContent content;
  for (const auto& [name, file] : names) content[name] = files[file];
  return content;
}

DiskImage::DiskImage(const DiskContent& content) {
  for (const auto& [name, bytes] : content) {
    synced_.names[name] = synced_.files.size();
    synced_.files.push_back(bytes);
  }
  present_ = synced_;
}

DiskImage::FileId DiskImage::open(const std::string& name) {
  if (const auto found = present_.names.find(name); found != present_.names.end()) return found->second;
  const FileId file = present_.files.size();
  present_.files.emplace_back();
  synced_.files.emplace_back();
  carry_out({Operation::Kind::kCreate, file, 0, name});
  return file;
}

void DiskImage::write(FileId file, std::uint64_t offset, std::string_view bytes) {
  carry_out({Operation::Kind::kWrite, file, offset, std::string(bytes)});
}

void DiskImage::truncate(FileId file, std::uint64_t size) { carry_out({Operation::Kind::kTruncate, file, size, {}}); }

void DiskImage::remove(const std::string& name) {
  if (const auto found = present_.names.find(name); found != present_.names.end()) {
    carry_out({Operation::Kind::kRemove, found->second, 0, name});
  }
}

void DiskImage::carry_out(Operation operation) {
  present_.apply(operation);
  pending_.push_back(std::move(operation));
}

template <typename Condition>
void DiskImage::settle(const Condition& condition) {
  std::vector<Operation> left;
  for (Operation& operation : pending_) {
    if (condition(operation)) {
      synced_.apply(operation);
    } else {
      left.push_back(std::move(operation));
    }
  }
  pending_ = std::move(left);
}

void DiskImage::sync(FileId file) {
  settle([file](const Operation& operation) {
    return operation.file == file &&
           (operation.kind == Operation::Kind::kWrite || operation.kind == Operation::Kind::kTruncate);
  });
}

void DiskImage::sync_folder() {
  settle([](const Operation& operation) {
    return operation.kind == Operation::Kind::kCreate || operation.kind == Operation::Kind::kRemove;
  });
}

DiskContent DiskImage::present() const { return present_.content(); }

DiskContent DiskImage::after(PowerLoss loss, Sequence& random) const {
  State disk = synced_;
  switch (loss) {
    case PowerLoss::kNothing: break;
    case PowerLoss::kPrefix: {
      const std::size_t whole = random.below(pending_.size() + 1);
      for (std::size_t i = 0; i < whole; ++i) disk.apply(pending_[i]);
      if (whole < pending_.size()) disk.apply_torn(pending_[whole], random);
      break;
    }
    case PowerLoss::kSubset:
      for (const Operation& operation : pending_) {
        switch (random.below(3)) {
          case 0: disk.apply(operation); break;
          case 1: disk.apply_torn(operation, random); break;
          default: break;
        }
      }
      break;
  }
  return disk.content();
}

}  // namespace unscatter::testing
