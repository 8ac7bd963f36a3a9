#include "crash/simulated_disk.h"

#include <sqlite3.h>

#include <algorithm>
#include <fstream>
#include <new>
#include <optional>
#include <string_view>

#include "support/temporary_folder.h"
#include "unscatter/base/invariant.h"

namespace unscatter::testing {

struct SimulatedDisk::State {
  std::filesystem::path folder;
  Sequence random;
  sqlite3_vfs* real = nullptr;
  sqlite3_vfs vfs{};
  DiskImage image;
  FaultClock clock;
  bool dark = false;  // the power is gone
  bool lying = false;
  int lock_failure = SQLITE_OK;
  std::size_t open_files = 0;
  std::set<std::string> names;
  bool recording = false;
  std::vector<std::string> writes;

  State(const std::filesystem::path& where, std::uint64_t seed)
      : folder(std::filesystem::canonical(where)), random(seed) {}

  // SQLITE_OK, or the error that this operation ends with.
  [[nodiscard]] int tick(DiskOperation operation);
};

namespace {

using DiskState = SimulatedDisk::State;

int error_code(DiskOperation operation) {
  switch (operation) {
    case DiskOperation::kOpen: return SQLITE_CANTOPEN;
    case DiskOperation::kRead: return SQLITE_IOERR_READ;
    case DiskOperation::kWrite: return SQLITE_IOERR_WRITE;
    case DiskOperation::kTruncate: return SQLITE_IOERR_TRUNCATE;
    case DiskOperation::kSync: return SQLITE_IOERR_FSYNC;
    case DiskOperation::kDelete: return SQLITE_IOERR_DELETE;
  }
  return SQLITE_IOERR;
}

// SQLite hands out memory for this and, behind it, for the real file.
struct DiskFile {
  sqlite3_file base{};
  DiskState* disk = nullptr;
  std::optional<DiskImage::FileId> id;  // none: a temporary file
  bool folder_sync_due = false;
  sqlite3_file* real = nullptr;
};

constexpr std::size_t kRealFileOffset = (sizeof(DiskFile) + 15) / 16 * 16;

DiskFile& self(sqlite3_file* file) { return *reinterpret_cast<DiskFile*>(file); }

int close_file(sqlite3_file* file) {
  DiskFile& f = self(file);
  const int code = f.real->pMethods->xClose(f.real);
  --f.disk->open_files;
  f.~DiskFile();
  return code;
}

int read_file(sqlite3_file* file, void* bytes, int size, sqlite3_int64 offset) {
  DiskFile& f = self(file);
  if (const int code = f.disk->tick(DiskOperation::kRead); code != SQLITE_OK) return code;
  return f.real->pMethods->xRead(f.real, bytes, size, offset);
}

// The part of a failing write that arrives: whole sectors from the front.
int arrived(DiskState& disk, int size) {
  constexpr int kSector = 512;
  return std::min(size, kSector * static_cast<int>(disk.random.below(static_cast<std::uint64_t>(size / kSector) + 1)));
}

int write_page(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  DiskFile& f = self(file);
  const bool had_power = !f.disk->dark;
  const int code = f.disk->tick(DiskOperation::kWrite);
  if (!had_power) return code;
  // The write during which the power goes is as uncertain as those before it.
  const int part = code == SQLITE_OK || f.disk->dark ? size : arrived(*f.disk, size);
  const std::string_view content(static_cast<const char*>(bytes), static_cast<std::size_t>(part));
  if (f.id) f.disk->image.write(*f.id, static_cast<std::uint64_t>(offset), content);
  if (f.disk->recording) f.disk->writes.emplace_back(content);
  const int real_code = f.real->pMethods->xWrite(f.real, bytes, part, offset);
  return code == SQLITE_OK ? real_code : code;
}

// A write of many pages can fail at each of them.
int write_file(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  constexpr int kPage = 4096;
  const auto* first = static_cast<const char*>(bytes);
  for (int done = 0; done == 0 || done < size; done += kPage) {
    const int code = write_page(file, first + done, std::min(kPage, size - done), offset + done);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  DiskFile& f = self(file);
  const bool had_power = !f.disk->dark;
  const int code = f.disk->tick(DiskOperation::kTruncate);
  if (f.id && had_power && (code == SQLITE_OK || f.disk->dark))
    f.disk->image.truncate(*f.id, static_cast<std::uint64_t>(size));
  return code == SQLITE_OK ? f.real->pMethods->xTruncate(f.real, size) : code;
}

int sync_file(sqlite3_file* file, int /*flags*/) {
  DiskFile& f = self(file);
  if (const int code = f.disk->tick(DiskOperation::kSync); code != SQLITE_OK) return code;
  if (f.disk->lying) return SQLITE_OK;
  if (f.id) f.disk->image.sync(*f.id);
  if (f.folder_sync_due) f.disk->image.sync_folder();
  f.folder_sync_due = false;
  return SQLITE_OK;
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return self(file).real->pMethods->xFileSize(self(file).real, size);
}
int lock_file(sqlite3_file* file, int level) {
  if (self(file).disk->lock_failure != SQLITE_OK) return self(file).disk->lock_failure;
  return self(file).real->pMethods->xLock(self(file).real, level);
}
int unlock_file(sqlite3_file* file, int level) { return self(file).real->pMethods->xUnlock(self(file).real, level); }
int check_reserved_lock(sqlite3_file* file, int* reserved) {
  return self(file).real->pMethods->xCheckReservedLock(self(file).real, reserved);
}
int file_control(sqlite3_file* file, int what, void* argument) {
  return self(file).real->pMethods->xFileControl(self(file).real, what, argument);
}
int sector_size(sqlite3_file* file) { return self(file).real->pMethods->xSectorSize(self(file).real); }
int device_characteristics(sqlite3_file* file) {
  return self(file).real->pMethods->xDeviceCharacteristics(self(file).real);
}

const sqlite3_io_methods& file_methods() {
  static const sqlite3_io_methods methods = [] {
    sqlite3_io_methods m{};
    m.iVersion = 1;
    m.xClose = close_file;
    m.xRead = read_file;
    m.xWrite = write_file;
    m.xTruncate = truncate_file;
    m.xSync = sync_file;
    m.xFileSize = file_size;
    m.xLock = lock_file;
    m.xUnlock = unlock_file;
    m.xCheckReservedLock = check_reserved_lock;
    m.xFileControl = file_control;
    m.xSectorSize = sector_size;
    m.xDeviceCharacteristics = device_characteristics;
    return m;
  }();
  return methods;
}

// Programs may make and remove files without SQLite.  How far those changes were synced is not seen: they count as
// pending.
void notice_other_changes(DiskState& disk, const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const bool known = disk.image.has(name);
  const bool there = std::filesystem::exists(path);
  if (known && !there) disk.image.remove(name);
  if (!known && there) disk.image.write(disk.image.open(name), 0, read_whole_file(path));
}

DiskState& disk_of(sqlite3_vfs* vfs) { return *static_cast<DiskState*>(vfs->pAppData); }

int open_file(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* flags_out) {
  DiskState& disk = disk_of(vfs);
  file->pMethods = nullptr;
  const std::filesystem::path whole = path == nullptr ? "" : path;
  const std::string name = whole.filename().string();
  disk.names.insert(name);
  if (path != nullptr && whole.parent_path() != disk.folder) return SQLITE_CANTOPEN;
  if (const int code = disk.tick(DiskOperation::kOpen); code != SQLITE_OK) return code;

  if (path != nullptr) notice_other_changes(disk, whole);
  auto* real = reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + kRealFileOffset);
  if (const int code = disk.real->xOpen(disk.real, path, real, flags, flags_out); code != SQLITE_OK) {
    if (real->pMethods != nullptr) real->pMethods->xClose(real);
    return code;
  }
  auto* f = new (file) DiskFile;
  f->base.pMethods = &file_methods();
  f->disk = &disk;
  if (path != nullptr) f->id = disk.image.open(name);
  // As SQLite does on Unix: with the first sync of a journal the folder is synced too.
  f->folder_sync_due = (flags & SQLITE_OPEN_CREATE) != 0 &&
                       (flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL)) != 0;
  f->real = real;
  ++disk.open_files;
  return SQLITE_OK;
}

int delete_file(sqlite3_vfs* vfs, const char* path, int sync_folder) {
  DiskState& disk = disk_of(vfs);
  const bool had_power = !disk.dark;
  const int code = disk.tick(DiskOperation::kDelete);
  if (had_power && (code == SQLITE_OK || disk.dark)) disk.image.remove(std::filesystem::path(path).filename().string());
  if (code != SQLITE_OK) return code;
  if (sync_folder != 0) disk.image.sync_folder();
  return disk.real->xDelete(disk.real, path, 0);
}

int access_file(sqlite3_vfs* vfs, const char* path, int flags, int* result) {
  return disk_of(vfs).real->xAccess(disk_of(vfs).real, path, flags, result);
}
int full_pathname(sqlite3_vfs* vfs, const char* path, int size, char* full) {
  return disk_of(vfs).real->xFullPathname(disk_of(vfs).real, path, size, full);
}
int randomness(sqlite3_vfs* vfs, int size, char* bytes) {
  return disk_of(vfs).real->xRandomness(disk_of(vfs).real, size, bytes);
}
int sleep_for(sqlite3_vfs* vfs, int microseconds) { return disk_of(vfs).real->xSleep(disk_of(vfs).real, microseconds); }
int current_time(sqlite3_vfs* vfs, double* time) { return disk_of(vfs).real->xCurrentTime(disk_of(vfs).real, time); }
int last_error(sqlite3_vfs* vfs, int size, char* text) {
  return disk_of(vfs).real->xGetLastError(disk_of(vfs).real, size, text);
}

void fill_in(sqlite3_vfs& vfs, DiskState& disk) {
  vfs.iVersion = 1;
  vfs.szOsFile = static_cast<int>(kRealFileOffset) + disk.real->szOsFile;
  vfs.mxPathname = disk.real->mxPathname;
  vfs.zName = "simulated-disk";
  vfs.pAppData = &disk;
  vfs.xOpen = open_file;
  vfs.xDelete = delete_file;
  vfs.xAccess = access_file;
  vfs.xFullPathname = full_pathname;
  vfs.xRandomness = randomness;
  vfs.xSleep = sleep_for;
  vfs.xCurrentTime = current_time;
  vfs.xGetLastError = last_error;
}

void require_closed(const DiskState& disk) {
  if (disk.open_files != 0) throw InvariantViolation("files of the simulated disk are still open");
}

}  // namespace

int SimulatedDisk::State::tick(DiskOperation operation) {
  const std::optional<FaultKind> fault = clock.tick(operation);
  if (!fault) return SQLITE_OK;
  if (*fault == FaultKind::kPowerLoss) dark = true;
  return *fault == FaultKind::kDiskFull ? SQLITE_FULL : error_code(operation);
}

SimulatedDisk::SimulatedDisk(const std::filesystem::path& folder, std::uint64_t seed)
    : state_(std::make_unique<State>(folder, seed)) {
  state_->real = sqlite3_vfs_find(nullptr);
  fill_in(state_->vfs, *state_);
  state_->image = DiskImage(content());
  sqlite3_vfs_register(&state_->vfs, 1);
}

SimulatedDisk::~SimulatedDisk() {
  sqlite3_vfs_unregister(&state_->vfs);
  sqlite3_vfs_register(state_->real, 1);
}

void SimulatedDisk::disarm() { state_->clock = FaultClock(); }
void SimulatedDisk::arm(const Fault& fault) { state_->clock = FaultClock(fault); }
bool SimulatedDisk::struck() const { return state_->clock.struck(); }
std::size_t SimulatedDisk::operations(FaultKind kind) const { return state_->clock.count(kind); }

void SimulatedDisk::lie_about_syncs() { state_->lying = true; }

void SimulatedDisk::fail_locks(int code) { state_->lock_failure = code; }

void SimulatedDisk::reboot(PowerLoss loss) { restore(after(loss)); }
DiskContent SimulatedDisk::after(PowerLoss loss) { return state_->image.after(loss, state_->random); }

DiskContent SimulatedDisk::content() const {
  DiskContent content;
  for (const auto& entry : std::filesystem::directory_iterator(state_->folder)) {
    content[entry.path().filename().string()] = read_whole_file(entry.path());
  }
  return content;
}

void SimulatedDisk::restore(const DiskContent& content) {
  require_closed(*state_);
  for (const auto& entry : std::filesystem::directory_iterator(state_->folder))
    std::filesystem::remove_all(entry.path());
  for (const auto& [name, bytes] : content) std::ofstream(state_->folder / name, std::ios::binary) << bytes;
  state_->image = DiskImage(content);
  state_->dark = false;
  disarm();
}

std::size_t SimulatedDisk::open_files() const { return state_->open_files; }
const std::set<std::string>& SimulatedDisk::names() const { return state_->names; }

void SimulatedDisk::record_writes() {
  state_->recording = true;
  state_->writes.clear();
}
const std::vector<std::string>& SimulatedDisk::writes() const { return state_->writes; }

}  // namespace unscatter::testing
