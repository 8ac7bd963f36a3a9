#include "support/make_archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <memory>
#include <stdexcept>

namespace unscatter::testing {
namespace {

struct FreeArchive {
  void operator()(struct archive* handle) const { archive_write_free(handle); }
};
struct FreeEntry {
  void operator()(struct archive_entry* entry) const { archive_entry_free(entry); }
};

void require(int status, struct archive* handle) {
  if (status != ARCHIVE_OK) throw std::runtime_error(archive_error_string(handle));
}

std::string write_zip(const ArchiveMembers& members, const char* options, const std::string& passphrase) {
  std::size_t capacity = 4096;
  // Deflate may make incompressible bytes a little longer, and headers come twice: before a member and in the
  // directory.
  for (const auto& [name, content] : members) capacity += 2 * content.size() + 4 * name.size() + 1024;
  std::string bytes(capacity, '\0');
  std::size_t used = 0;

  const std::unique_ptr<struct archive, FreeArchive> handle(archive_write_new());
  require(archive_write_set_format_zip(handle.get()), handle.get());
  require(archive_write_set_options(handle.get(), options), handle.get());
  if (!passphrase.empty()) require(archive_write_set_passphrase(handle.get(), passphrase.c_str()), handle.get());
  // No padding behind the archive: tests cut and flip its bytes.
  require(archive_write_set_bytes_per_block(handle.get(), 1), handle.get());
  require(archive_write_set_bytes_in_last_block(handle.get(), 1), handle.get());
  require(archive_write_open_memory(handle.get(), bytes.data(), bytes.size(), &used), handle.get());
  for (const auto& [name, content] : members) {
    const std::unique_ptr<struct archive_entry, FreeEntry> entry(archive_entry_new());
    archive_entry_set_pathname(entry.get(), name.c_str());
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    require(archive_write_header(handle.get(), entry.get()), handle.get());
    if (archive_write_data(handle.get(), content.data(), content.size()) < 0) {
      throw std::runtime_error(archive_error_string(handle.get()));
    }
  }
  require(archive_write_close(handle.get()), handle.get());
  bytes.resize(used);
  return bytes;
}

}  // namespace

std::string make_zip(const ArchiveMembers& members, ZipMethod method) {
  return write_zip(members, method == ZipMethod::kStored ? "zip:compression=store" : "zip:compression=deflate", "");
}

std::string make_encrypted_zip(const ArchiveMembers& members, const std::string& passphrase) {
  return write_zip(members, "zip:encryption=zipcrypt", passphrase);
}

std::string make_npy(std::string_view type, std::string_view shape, std::string_view content) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape);
  // 10 bytes before the header and its newline make 128, a multiple of 64 as the format asks.
  header.resize(117, ' ');
  header += '\n';
  std::string bytes = "\x93NUMPY\x01";
  bytes += '\0';
  // The length in two bytes, low one first.  It is below 256.
  bytes += static_cast<char>(header.size());
  bytes += '\0';
  bytes += header;
  bytes += content;
  return bytes;
}

}  // namespace unscatter::testing
