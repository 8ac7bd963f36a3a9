// A disk below SQLite that fails on demand.
//
// While it lives it is SQLite's default VFS.  Files are real, in one folder, so that programs may look at them by other
// means; what a power loss would leave of them is kept beside, in a DiskImage.  Syncing is recorded, not done.  One
// thread.
//
// SQLite sees a file system without shared memory (sqlite3_io_methods version 1): write-ahead logging works there only
// under locking_mode=EXCLUSIVE, set before the first access.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "crash/disk_fault.h"
#include "crash/disk_image.h"

namespace unscatter::testing {

class SimulatedDisk {
 public:
  // What lies in the folder counts as synced.  `seed`: what is torn, and how.
  SimulatedDisk(const std::filesystem::path& folder, std::uint64_t seed);
  ~SimulatedDisk();
  SimulatedDisk(const SimulatedDisk&) = delete;
  SimulatedDisk& operator=(const SimulatedDisk&) = delete;

  // Counts operations from zero, without a fault and with one.
  void disarm();
  void arm(const Fault& fault);
  [[nodiscard]] bool struck() const;
  [[nodiscard]] std::size_t operations(FaultKind kind) const;  // as FaultClock::count()

  // From now on syncs succeed and do nothing, as some disks do: for planted faults.
  void lie_about_syncs();

  // From now on locks end with this code of SQLite, as on a file system that has none; SQLITE_OK: they work again.
  void fail_locks(int code);

  // The power goes, unless it has gone before, and comes back; no fault is armed.  All files must be closed by then;
  // what was done to them after a power loss had no effect.
  void reboot(PowerLoss loss);
  // What a power loss at this moment would leave.
  [[nodiscard]] DiskContent after(PowerLoss loss);

  // All files of the folder, whoever wrote them.
  [[nodiscard]] DiskContent content() const;
  // Replaces them; everything is synced.  All files must be closed.
  void restore(const DiskContent& content);
  [[nodiscard]] std::size_t open_files() const;

  // Names of all files that SQLite ever opened here; "" stands for temporary files, which have none.
  [[nodiscard]] const std::set<std::string>& names() const;
  // Everything that SQLite wrote, to whatever file, from this call on.
  void record_writes();
  [[nodiscard]] const std::vector<std::string>& writes() const;

  struct State;  // public for the functions that SQLite calls

 private:
  std::unique_ptr<State> state_;
};

}  // namespace unscatter::testing
