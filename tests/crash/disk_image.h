// What a disk holds when the power goes.
//
// A write reaches the disk for certain when its file is synced, a new or removed name when its folder is.  Until then
// anything may have arrived: every operation or none, and of a write some sectors only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "unscatter/base/random.h"

namespace unscatter::testing {

// File name -> bytes.  One folder.
using DiskContent = std::map<std::string, std::string>;

// What arrives of the operations that were not synced.
enum class PowerLoss {
  kPrefix,   // the first so many, in the order they were made, the last of them torn
  kSubset,   // each or not, independently; those that do may be torn
  kNothing,  // none
};

class DiskImage {
 public:
  using FileId = std::size_t;  // stays valid when the name is removed, as an open file does

  // Everything in `content` is synced.
  explicit DiskImage(const DiskContent& content = {});

  [[nodiscard]] bool has(const std::string& name) const { return present_.names.contains(name); }
  // A file of that name: the one that is there, or a new one.
  FileId open(const std::string& name);
  void write(FileId file, std::uint64_t offset, std::string_view bytes);
  void truncate(FileId file, std::uint64_t size);
  void remove(const std::string& name);  // no effect if there is none

  void sync(FileId file);  // its writes and truncations
  void sync_folder();      // names, new and removed

  // As programs see it now.
  [[nodiscard]] DiskContent present() const;
  [[nodiscard]] DiskContent after(PowerLoss loss, Sequence& random) const;
  [[nodiscard]] std::size_t pending() const noexcept { return pending_.size(); }

 private:
  struct Operation {
    enum class Kind { kWrite, kTruncate, kCreate, kRemove };
    Kind kind;
    FileId file;
    std::uint64_t offset = 0;  // of a write; the size of a truncation
    std::string bytes;         // of a write; the name of a created or removed file
  };
  // Contents by FileId, and which of them have a name.
  struct State {
    std::vector<std::string> files;
    std::map<std::string, FileId> names;

    void apply(const Operation& operation);
    // The operation as an interrupted disk may have left it.
    void apply_torn(const Operation& operation, Sequence& random);
    [[nodiscard]] DiskContent content() const;
  };

  void carry_out(Operation operation);
  template <typename Condition>
  void settle(const Condition& condition);

  State synced_;
  State present_;
  std::vector<Operation> pending_;  // in the order they were made
};

}  // namespace unscatter::testing
