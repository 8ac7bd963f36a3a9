#include "graph/readers/archive_library.h"

#include <dlfcn.h>

#include <optional>
#include <type_traits>

namespace unscatter::readers {
namespace {

std::optional<ArchiveLibrary> load_library() {
  // 13 is the number of all versions 3.x, whose headers this was compiled with.  Never closed.
  void* const file = dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL);
  if (file == nullptr) return std::nullopt;
  ArchiveLibrary library;
  const auto find = [file](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(file, name));
    return function != nullptr;
  };
  const bool whole =
      find("archive_read_new", library.read_new) && find("archive_read_free", library.read_free) &&
      find("archive_read_support_format_zip_seekable", library.support_zip) &&
      find("archive_read_open_memory", library.open_memory) &&
      find("archive_read_open_filename", library.open_filename) &&
      find("archive_read_next_header", library.next_header) && find("archive_read_data", library.read_data) &&
      find("archive_errno", library.error_number) && find("archive_error_string", library.error_string) &&
      find("archive_format_name", library.format_name) && find("archive_entry_filetype", library.file_type) &&
      find("archive_entry_pathname", library.path_name) &&
      find("archive_entry_pathname_utf8", library.path_name_utf8) &&
      find("archive_entry_is_encrypted", library.is_encrypted) && find("archive_entry_size", library.size) &&
      find("archive_entry_size_is_set", library.size_is_set);
  return whole ? std::optional(library) : std::nullopt;
}

}  // namespace

const ArchiveLibrary* ArchiveLibrary::get() {
  static const std::optional<ArchiveLibrary> loaded = load_library();
  return loaded ? &*loaded : nullptr;
}

}  // namespace unscatter::readers
