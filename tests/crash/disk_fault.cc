#include "crash/disk_fault.h"

namespace unscatter::testing {

std::string_view name(FaultKind kind) {
  switch (kind) {
    case FaultKind::kError: return "error";
    case FaultKind::kReadError: return "read error";
    case FaultKind::kDiskFull: return "disk full";
    case FaultKind::kPowerLoss: return "power loss";
  }
  return "";
}

bool concerns(FaultKind kind, DiskOperation operation) {
  switch (kind) {
    case FaultKind::kReadError: return operation == DiskOperation::kRead;
    case FaultKind::kDiskFull: return operation == DiskOperation::kWrite;
    case FaultKind::kError:
    case FaultKind::kPowerLoss: return operation != DiskOperation::kRead;
  }
  return false;
}

std::optional<FaultKind> FaultClock::tick(DiskOperation operation) {
  const bool concerned = fault_ && concerns(fault_->kind, operation);
  const bool due = concerned && count(fault_->kind) == fault_->at;
  ++counts_[static_cast<std::size_t>(operation)];
  if (due) struck_ = true;
  // Without power nothing works, reading included.
  if (struck_ && fault_->kind == FaultKind::kPowerLoss) return FaultKind::kPowerLoss;
  if (due || (concerned && struck_ && fault_->lasting)) return fault_->kind;
  return {};
}

std::size_t FaultClock::count(FaultKind kind) const {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (concerns(kind, static_cast<DiskOperation>(i))) sum += counts_[i];
  }
  return sum;
}

}  // namespace unscatter::testing
