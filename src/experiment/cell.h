// One outcome of an experiment, on disk.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "unscatter/base/result.h"

namespace unscatter::experiment {

// Fields keep the order in which they were set.
using Json = nlohmann::ordered_json;

struct CellKey {
  std::string experiment;  // kind: "classification", "unlearning", ...
  std::string data_set;
  std::string backbone;
  std::string method;
  std::string variant;  // of a sweep: "epsilon-0.5"; otherwise empty
  std::size_t split = 0;

  // clang-tidy takes the comparison with 0 that this stands for as one with a pointer.
  // NOLINTNEXTLINE(modernize-use-nullptr)
  friend auto operator<=>(const CellKey&, const CellKey&) = default;
};

[[nodiscard]] Json key_json(const CellKey& key);
// ROOT/cells/EXPERIMENT/DATA_SET/BACKBONE.METHOD[.VARIANT].SPLIT.json
[[nodiscard]] std::filesystem::path cell_path(const std::filesystem::path& root, const CellKey& key);

enum class CellState {
  kMissing,
  kDamaged,        // not what write_cell() wrote; `problem` says why
  kOtherSettings,  // made with settings that are not those asked for
  kFailed,         // the outcome is an error
  kGood,
};
struct FoundCell {
  CellState state = CellState::kMissing;
  Json cell;            // if it could be read
  std::string problem;  // if it could not be read
};

// A cell is {"format", "key", "settings", "made", "result", "digest"}.  The digest covers the rest, so a changed byte
// is noticed.
[[nodiscard]] FoundCell read_cell(const std::filesystem::path& root, const CellKey& key, const Json& settings);
// Whatever happens, the file holds the old cell or the new one.  Errors: kIo.
[[nodiscard]] Status write_cell(const std::filesystem::path& root, const CellKey& key, const Json& settings,
                                const Json& made, const Json& result);

// replace_file().  Makes missing folders first.  Errors: kIo.
[[nodiscard]] Status replace_text(const std::filesystem::path& path, const std::string& text);

}  // namespace unscatter::experiment
