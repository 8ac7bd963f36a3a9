// What a hostile archive could do: claim sizes that it does not have, decompress without end, hold two members of one
// name, or be cut.  Each is stopped below.  Names of members are only compared, never used as paths, so a name such as
// "../x" leads nowhere.
#include "graph/readers/archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <unordered_set>
#include <utility>

#include "graph/readers/archive_library.h"

namespace unscatter::readers {
namespace {

// Asked for once an archive is open, and then it is there.
const ArchiveLibrary& library() { return *ArchiveLibrary::get(); }

struct CloseArchive {
  void operator()(struct archive* handle) const { library().read_free(handle); }
};
using ArchiveHandle = std::unique_ptr<struct archive, CloseArchive>;

// libarchive reports damage in many different ways.  The message is one sentence of ours, with its reason behind.
Error damaged(const std::string& name, struct archive* handle) {
  const char* reason = library().error_string(handle);
  return {ErrorCode::kMalformedInput,
          fmt::format("{}: damaged archive: {}", name, reason != nullptr ? reason : "unknown")};
}

Result<ArchiveHandle> open_archive(const Input& input) {
  if (ArchiveLibrary::get() == nullptr) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("{}: the library that unpacks zip archives is not installed", input.name)};
  }
  ArchiveHandle handle(library().read_new());
  if (!handle) return Error{ErrorCode::kIo, fmt::format("{}: not enough memory for an archive", input.name)};
  // Only the seekable form.  It starts from the directory at the end, so a cut archive is refused and not read halfway.
  library().support_zip(handle.get());
  int status = ARCHIVE_OK;
  if (const auto* bytes = std::get_if<std::span<const char>>(&input.content)) {
    status = library().open_memory(handle.get(), bytes->data(), bytes->size());
  } else {
    constexpr std::size_t kBlockBytes = std::size_t{1} << 18;  // few system calls, and little memory
    status = library().open_filename(handle.get(), std::get<std::filesystem::path>(input.content).c_str(), kBlockBytes);
  }
  if (status == ARCHIVE_OK) return handle;
  switch (library().error_number(handle.get())) {
    case ENOENT: return Error{ErrorCode::kNotFound, fmt::format("{}: no such file", input.name)};
    // The file is there, but cannot be read.  Every other failure means that the bytes are no zip archive.
    case EACCES:
    case EISDIR: return Error{ErrorCode::kIo, fmt::format("{}: {}", input.name, library().error_string(handle.get()))};
    default: return Error{ErrorCode::kMalformedInput, fmt::format("{}: not a whole zip archive", input.name)};
  }
}

// The next file, or nullptr at the end.
Result<struct archive_entry*> next_file(struct archive* handle, const std::string& archive_name) {
  for (;;) {
    struct archive_entry* entry = nullptr;
    const int status = library().next_header(handle, &entry);
    if (status == ARCHIVE_EOF) return static_cast<struct archive_entry*>(nullptr);
    if (status < ARCHIVE_WARN) return damaged(archive_name, handle);
    if (library().file_type(entry) != AE_IFDIR) return entry;
  }
}

// The name of a member.  It is empty if the current locale cannot express it; no member that a reader wants has such a
// name.
std::string_view entry_name(struct archive_entry* entry) {
  if (const char* name = library().path_name(entry)) return name;
  if (const char* name = library().path_name_utf8(entry)) return name;
  return {};
}

// libarchive tells the compression of the current member only as text, for instance "ZIP 2.0 (deflation)".
bool has_supported_compression(struct archive* handle) {
  constexpr std::array<std::string_view, 3> kSupported = {"(uncompressed)", "(deflation)", "(lzma)"};
  const char* format = library().format_name(handle);
  return format != nullptr && std::any_of(kSupported.begin(), kSupported.end(), [&](std::string_view method) {
           return std::string_view(format).ends_with(method);
         });
}

class MemberSource final : public ByteSource {
 public:
  MemberSource(std::string name, ArchiveHandle handle, std::uint64_t claimed_size, ByteBudget& budget)
      : name_(std::move(name)), handle_(std::move(handle)), claimed_size_(claimed_size), budget_(budget) {}

  Result<std::size_t> read(std::span<char> into) override {
    const la_ssize_t count = library().read_data(handle_.get(), into.data(), into.size());
    // Warnings are negative too.  They say that checksum or size differ from the header, which is damage as well.
    if (count < 0) return damaged(name_, handle_.get());
    // Decompressed bytes are counted, because a small archive can hold terabytes of zeros.
    if (!budget_.take(static_cast<std::uint64_t>(count))) return over_budget(name_, budget_);
    return static_cast<std::size_t>(count);
  }
  const std::string& name() const override { return name_; }
  std::uint64_t claimed_size() const override { return claimed_size_; }

 private:
  std::string name_;
  ArchiveHandle handle_;
  std::uint64_t claimed_size_;
  ByteBudget& budget_;
};

}  // namespace

Result<std::vector<std::string>> list_members(const Input& input) {
  UNSCATTER_TRY(handle, open_archive(input));
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  for (;;) {
    UNSCATTER_TRY(entry, next_file(handle.get(), input.name));
    if (entry == nullptr) return names;
    std::string name(entry_name(entry));
    if (name.empty()) continue;
    // Two members of one name: which one is read would depend on the program that reads it.
    if (!seen.insert(name).second) {
      return Error{ErrorCode::kMalformedInput, fmt::format("{}: member '{}' occurs twice", input.name, name)};
    }
    names.push_back(std::move(name));
  }
}

Result<std::unique_ptr<ByteSource>> open_member(const Input& input, std::string_view member, ByteBudget& budget) {
  UNSCATTER_TRY(handle, open_archive(input));
  for (;;) {
    UNSCATTER_TRY(entry, next_file(handle.get(), input.name));
    if (entry == nullptr) return Error{ErrorCode::kNotFound, fmt::format("{}: no member '{}'", input.name, member)};
    // Skipping a member does not decompress it.
    if (entry_name(entry) != member) continue;
    std::string name = fmt::format("{}/{}", input.name, member);
    // Asked before the first byte is read, so that the message says why and not only that data is damaged.
    if (library().is_encrypted(entry) != 0) {
      return Error{ErrorCode::kUnsupported, fmt::format("{}: the member is encrypted", name)};
    }
    if (!has_supported_compression(handle.get())) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("{}: the member is neither stored nor compressed by deflate or LZMA: {}", name,
                               library().format_name(handle.get()))};
    }
    // For progress only.  A header may claim any size, also a negative one.
    const std::int64_t size = library().size_is_set(entry) != 0 ? library().size(entry) : 0;
    return std::unique_ptr<ByteSource>(std::make_unique<MemberSource>(
        std::move(name), std::move(handle), static_cast<std::uint64_t>(std::max<std::int64_t>(size, 0)), budget));
  }
}

std::string_view base_name(std::string_view member) {
  const std::size_t slash = member.rfind('/');
  return slash == std::string_view::npos ? member : member.substr(slash + 1);
}

}  // namespace unscatter::readers
