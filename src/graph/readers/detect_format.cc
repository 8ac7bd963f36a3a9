#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

#include "graph/readers/archive.h"
#include "graph/readers/entry_points.h"
#include "graph/readers/tu_files.h"
#include "unscatter/graph/read.h"

namespace unscatter::readers {
namespace {

Error unknown_format(const Input& input, std::string_view reason) {
  return {ErrorCode::kMalformedInput, fmt::format("{}: not a data set in a known format: {}", input.name, reason)};
}

Result<DataFormat> detect_in_zip(const Input& input) {
  UNSCATTER_TRY(members, list_members(input));
  // TU first: archives of this form may hold any number of other files.
  if (std::any_of(members.begin(), members.end(), is_tu_edge_file)) return DataFormat::kTuZip;
  const auto ends_in = [](std::string_view ending) {
    return [ending](const std::string& member) { return member.ends_with(ending); };
  };
  if (!members.empty() && std::all_of(members.begin(), members.end(), ends_in(".npy")))
    return DataFormat::kSuperpixelNpz;
  // A GIN text may have any name, so an archive of one file is taken for one.  The reader says more if it is not.
  if (members.size() == 1) return DataFormat::kGinZip;
  return unknown_format(input, "an archive with neither NAME_A.txt, nor .npy arrays, nor a single text");
}

// `start` is the beginning of the file, with leading blanks.
Result<DataFormat> detect_in_text(const Input& input, std::string_view start) {
  if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF")) {
    return unknown_format(input, "it is UTF-16 text; save it as UTF-8");
  }
  // Some programs write U+FEFF in front of UTF-8.  It says nothing.
  if (start.starts_with("\xEF\xBB\xBF")) start.remove_prefix(3);
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return unknown_format(input, "the file is empty");
  start.remove_prefix(first);
  if (start.front() == '{') return DataFormat::kJsonl;
  // The first line of a GIN text is one number and nothing else.  A TU edge file starts with a number too, but a second
  // one follows on its line.
  unsigned long long count = 0;
  const auto [stop, error] = std::from_chars(start.data(), start.data() + start.size(), count);
  std::string_view rest = start.substr(static_cast<std::size_t>(stop - start.data()));
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r"), rest.size()));
  if (error == std::errc() && (rest.empty() || rest.front() == '\n')) return DataFormat::kGinText;
  return unknown_format(input, "neither an archive, nor JSON lines, nor a text that starts with a number of graphs");
}

}  // namespace

Result<DataFormat> detect_format(const Input& input) {
  return without_exceptions(input.name, [&]() -> Result<DataFormat> {
    if (is_folder(input)) {
      UNSCATTER_CHECK_OK(find_tu_files(input));
      return DataFormat::kTuFolder;
    }
    // Enough for the first number or brace behind some blanks.  The rest of the file is not looked at.
    std::array<char, 256> start{};
    ByteBudget budget(start.size());
    UNSCATTER_TRY(source, open_plain(input, budget));
    UNSCATTER_TRY(count, source->read(start));
    const std::string_view text(start.data(), count);
    if (text.starts_with("\x93NUMPY")) {
      return unknown_format(input,
                            "it is one NumPy array; rows of numbers are read together with their labels, by "
                            "--rows FILE and --labels FILE");
    }
    return text.starts_with("PK") ? detect_in_zip(input) : detect_in_text(input, text);
  });
}

}  // namespace unscatter::readers

namespace unscatter {

std::string_view data_format_name(DataFormat format) noexcept {
  switch (format) {
    case DataFormat::kTuFolder: return "tu-folder";
    case DataFormat::kTuZip: return "tu-zip";
    case DataFormat::kGinText: return "gin-text";
    case DataFormat::kGinZip: return "gin-zip";
    case DataFormat::kSuperpixelNpz: return "superpixel-npz";
    case DataFormat::kJsonl: return "jsonl";
  }
  return "unknown";
}

Result<DataFormat> detect_format(const std::filesystem::path& path) {
  return readers::detect_format(readers::Input::file(path));
}

}  // namespace unscatter
