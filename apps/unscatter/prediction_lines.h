// Predictions as lines of a file or of standard output.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "unscatter/base/result.h"
#include "unscatter/store/receipt.h"

namespace unscatter::cli {

enum class LineFormat { kCsv, kJsonl };

// The format that `name` says ("csv", "jsonl"), or if it is empty the one that the ending of `path` says; else CSV.
[[nodiscard]] LineFormat line_format(const std::string& name, const std::string& path);

// A cell as RFC 4180 has it.
[[nodiscard]] std::string csv_cell(const std::string& text);

// Which graph a line is about.
struct LineSubject {
  std::size_t number = 0;
  std::optional<std::string> id;
  std::optional<std::string> label;  // as the file has it
};

// number, id, label, predicted, lead; with scores also one column `score NAME` per class.  Numbers are written with
// all their digits: the shortest text that reads back as the same double.
class PredictionLines {
 public:
  PredictionLines(LineFormat format, bool scores, std::vector<std::string> class_names);

  [[nodiscard]] std::string header() const;  // empty for JSONL
  [[nodiscard]] std::string line(const LineSubject& subject, const Prediction& prediction) const;

 private:
  LineFormat format_;
  bool scores_;
  std::vector<std::string> class_names_;
};

// Where lines go: a file that is there only when it is complete, or standard output ("-"), line by line.
class LineOutput {
 public:
  // Errors: kIo.
  [[nodiscard]] static Result<LineOutput> open(const std::string& path);
  [[nodiscard]] Status write(std::string_view lines);
  // The last call.
  [[nodiscard]] Status commit();

 private:
  LineOutput() = default;
  std::optional<ReplacingFile> file_;  // empty: standard output
};

}  // namespace unscatter::cli
