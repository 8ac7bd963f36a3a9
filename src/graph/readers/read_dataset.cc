#include <filesystem>

#include "unscatter/graph/read.h"

namespace unscatter {

Result<Dataset> read_dataset(const std::filesystem::path& path, const ReadOptions& options) {
  UNSCATTER_TRY(format, detect_format(path));
  switch (format) {
    case DataFormat::kTuFolder:
    case DataFormat::kTuZip: return read_tu(path, options);
    case DataFormat::kGinText:
    case DataFormat::kGinZip: return read_gin(path, options);
    case DataFormat::kSuperpixelNpz: return read_superpixels(path, options);
    case DataFormat::kJsonl: return read_jsonl(path, options);
  }
  return Error{ErrorCode::kUnsupported, path.string() + ": unknown format"};
}

}  // namespace unscatter
