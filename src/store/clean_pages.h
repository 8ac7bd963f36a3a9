// No page that reaches the disk has old rows between its rows.
//
// PRAGMA secure_delete overwrites a row where it lies when it is deleted.  But rows move: when a page is split, or two
// are joined, SQLite copies them to another page and leaves their bytes in the unallocated part of the old one.  The
// row is deleted later, at its new place, and the old bytes stay.  Of 4,500 people with due dates who were forgotten
// one after the other, 4 were still in the file.  So the unallocated part of every page is cleared on its way to the
// file.  To SQLite it means nothing what stands there.
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "unscatter/base/result.h"

struct sqlite3;

namespace unscatter {

// Zeros between the cell pointers and the cells of a b-tree page [SQLite file format, "B-tree Pages"].  The first page
// of a file begins with its header of 100 bytes.  False, and nothing changes, if it is no such page or its header makes
// no sense.
bool clear_unallocated(std::span<unsigned char> page, bool is_first);

// From here on, every page that this connection writes to its main file is cleared.  The log does not count: it is cut
// to nothing before a removal is acknowledged.  What is returned must outlive the connection.  Null if the connection
// has no file.
[[nodiscard]] std::shared_ptr<const void> clear_written_pages(sqlite3* database);

// Clears all pages of a file that nobody has open.  Errors: kIo.
[[nodiscard]] Status clear_pages_of_file(int descriptor, const std::filesystem::path& path);

}  // namespace unscatter
