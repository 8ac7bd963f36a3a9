#include "experiment/cell.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <system_error>

#include "base/files.h"
#include "unscatter/base/digest.h"

namespace unscatter::experiment {
namespace {

namespace fs = std::filesystem;

// Goes up when the fields of a cell change.  Cells of another format are made again.
constexpr int kCellFormat = 1;

// The digest is of the compact text, so it does not depend on how the file is indented.
std::string cell_digest(const Json& cell) {
  Json rest = cell;
  rest.erase("digest");
  return Hasher().add(std::string_view(rest.dump())).finish().hex();
}

// What is wrong with a document that should be the cell of `key`.  Empty if nothing is wrong.
std::string find_fault(const Json& cell, const CellKey& key) {
  if (!cell.is_object()) return "not a JSON object";
  for (const char* field : {"format", "key", "settings", "made", "result", "digest"}) {
    if (!cell.contains(field)) return fmt::format("no field '{}'", field);
  }
  if (cell["format"] != kCellFormat) return fmt::format("format {}, not {}", cell["format"].dump(), kCellFormat);
  if (cell["digest"] != cell_digest(cell)) return "the content does not have the digest it states";
  // A file may have been copied or renamed.  It would then be the outcome of another setting.
  if (cell["key"] != key_json(key)) return "the cell of something else";
  if (!cell["result"].is_object()) return "no result";
  return {};
}

}  // namespace

Json key_json(const CellKey& key) {
  return {{"experiment", key.experiment}, {"data_set", key.data_set}, {"backbone", key.backbone},
          {"method", key.method},         {"variant", key.variant},   {"split", key.split}};
}

fs::path cell_path(const fs::path& root, const CellKey& key) {
  const std::string variant = key.variant.empty() ? "" : fmt::format(".{}", key.variant);
  return root / "cells" / key.experiment / key.data_set /
         fmt::format("{}.{}{}.{}.json", key.backbone, key.method, variant, key.split);
}

FoundCell read_cell(const fs::path& root, const CellKey& key, const Json& settings) {
  const fs::path path = cell_path(root, key);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return {};
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return {CellState::kDamaged, {}, fmt::format("{}: cannot be read", path.string())};
  FoundCell found;
  // Without exceptions: a damaged cell is an ordinary case, because it can be made again.
  found.cell = Json::parse(text.str(), nullptr, false);
  const std::string fault = found.cell.is_discarded() ? "not JSON" : find_fault(found.cell, key);
  if (!fault.empty()) {
    return {CellState::kDamaged, {}, fmt::format("{}: {}", path.string(), fault)};
  }
  // A cell that was made with other settings is not an error: it is made again.
  if (found.cell["settings"] != settings) {
    found.state = CellState::kOtherSettings;
  } else {
    found.state = found.cell["result"].contains("error") ? CellState::kFailed : CellState::kGood;
  }
  return found;
}

Status write_cell(const fs::path& root, const CellKey& key, const Json& settings, const Json& made,
                  const Json& result) {
  Json cell = {
      {"format", kCellFormat}, {"key", key_json(key)}, {"settings", settings}, {"made", made}, {"result", result}};
  cell["digest"] = cell_digest(cell);
  return replace_text(cell_path(root, key), cell.dump(1) + "\n");
}

Status replace_text(const fs::path& path, const std::string& text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) {
    return Error{ErrorCode::kIo,
                 fmt::format("{}: cannot be written: {}", path.parent_path().string(), error.message())};
  }
  return replace_file(path, text);
}

}  // namespace unscatter::experiment
