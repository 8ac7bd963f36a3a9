// The functions of libarchive, loaded when the first archive is read.
//
// It brings nine libraries along, those of XML and Unicode among them.  To load them takes longer than a small removal
// computes, and only commands that read a zip archive need them.
#pragma once

#include <archive.h>
#include <archive_entry.h>

namespace unscatter::readers {

struct ArchiveLibrary {
  decltype(&archive_read_new) read_new = nullptr;
  decltype(&archive_read_free) read_free = nullptr;
  decltype(&archive_read_support_format_zip_seekable) support_zip = nullptr;
  decltype(&archive_read_open_memory) open_memory = nullptr;
  decltype(&archive_read_open_filename) open_filename = nullptr;
  decltype(&archive_read_next_header) next_header = nullptr;
  decltype(&archive_read_data) read_data = nullptr;
  decltype(&archive_errno) error_number = nullptr;
  decltype(&archive_error_string) error_string = nullptr;
  decltype(&archive_format_name) format_name = nullptr;
  decltype(&archive_entry_filetype) file_type = nullptr;
  decltype(&archive_entry_pathname) path_name = nullptr;
  decltype(&archive_entry_pathname_utf8) path_name_utf8 = nullptr;
  decltype(&archive_entry_is_encrypted) is_encrypted = nullptr;
  decltype(&archive_entry_size) size = nullptr;
  decltype(&archive_entry_size_is_set) size_is_set = nullptr;

  // Null if the library is not installed.  From any thread.
  [[nodiscard]] static const ArchiveLibrary* get();
};

}  // namespace unscatter::readers
