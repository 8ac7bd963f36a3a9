// When and how a disk fails.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace unscatter::testing {

enum class DiskOperation { kOpen, kRead, kWrite, kTruncate, kSync, kDelete };

enum class FaultKind {
  kError,      // opening, writing, truncating, syncing or deleting fails; of a write some sectors may have arrived
  kReadError,  // reading fails
  kDiskFull,   // a write fails the way it does when there is no room
  kPowerLoss,  // an operation that changes something is the last; whether it arrived shows afterwards
};
[[nodiscard]] std::string_view name(FaultKind kind);
// Which operations such a fault can hit.
[[nodiscard]] bool concerns(FaultKind kind, DiskOperation operation);

struct Fault {
  FaultKind kind = FaultKind::kError;
  std::size_t at = 0;    // among the operations that it concerns: 0, 1, 2, ...
  bool lasting = false;  // all later ones fail too; a power loss always lasts
};

// Counts operations and says which of them fail.
class FaultClock {
 public:
  explicit FaultClock(std::optional<Fault> fault = {}) : fault_(fault) {}

  // Counts one more.  The kind of fault that hits it, if any.
  [[nodiscard]] std::optional<FaultKind> tick(DiskOperation operation);
  [[nodiscard]] bool struck() const noexcept { return struck_; }
  // How many operations such a fault could have hit so far.
  [[nodiscard]] std::size_t count(FaultKind kind) const;

 private:
  std::optional<Fault> fault_;
  bool struck_ = false;
  std::array<std::size_t, 6> counts_{};  // by DiskOperation
};

}  // namespace unscatter::testing
