// Members of a zip archive as streams of bytes, through libarchive.
//
// Only stored, deflate and LZMA members are opened.  Data sets come in these three forms, and no rarely used
// decompressor meets hostile bytes.  The archive must be whole, since its directory is at the end of the file.
// Checksum and size of a member are verified when its last byte has been read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "graph/readers/byte_source.h"
#include "unscatter/base/result.h"

namespace unscatter::readers {

// Names of all files in the archive, in file order, without folders.  A name is as the archive spells it.  Errors:
// kNotFound, kIo, kMalformedInput (no zip archive, damaged, a name that occurs twice).
[[nodiscard]] Result<std::vector<std::string>> list_members(const Input& input);

// Errors: as above; kNotFound if there is no such member, kUnsupported if it is encrypted or compressed in another way.
// While reading: kMalformedInput for damage, kLimitExceeded when `budget` is spent.  `budget` must outlive the source.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_member(const Input& input, std::string_view member,
                                                              ByteBudget& budget);

// "NAME//NAME_A.txt" -> "NAME_A.txt".
[[nodiscard]] std::string_view base_name(std::string_view member);

}  // namespace unscatter::readers
