#include "prediction_lines.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <utility>

#include "output.h"

namespace unscatter::cli {
namespace {

// JSON has no infinity.  A score is one only if the weights of a model are near the largest double.
Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

}  // namespace

LineFormat line_format(const std::string& name, const std::string& path) {
  if (!name.empty()) return name == "jsonl" ? LineFormat::kJsonl : LineFormat::kCsv;
  return path.ends_with(".jsonl") || path.ends_with(".ndjson") ? LineFormat::kJsonl : LineFormat::kCsv;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

PredictionLines::PredictionLines(LineFormat format, bool scores, std::vector<std::string> class_names)
    : format_(format), scores_(scores), class_names_(std::move(class_names)) {}

std::string PredictionLines::header() const {
  if (format_ == LineFormat::kJsonl) return "";
  std::string text = "number,id,label,predicted,lead";
  if (scores_) {
    for (const std::string& name : class_names_) text += ',' + csv_cell("score " + name);
  }
  return text + '\n';
}

std::string PredictionLines::line(const LineSubject& subject, const Prediction& prediction) const {
  const std::string& predicted = class_names_.at(prediction.predicted);
  if (format_ == LineFormat::kCsv) {
    std::string text = fmt::format("{},{},{},{},{}", subject.number, csv_cell(subject.id.value_or("")),
                                   csv_cell(subject.label.value_or("")), csv_cell(predicted), prediction.lead);
    if (scores_) {
      for (const double score : prediction.scores) text += fmt::format(",{}", score);
    }
    return text + '\n';
  }
  Json document = {{"number", subject.number}};
  if (subject.id) document["id"] = *subject.id;
  if (subject.label) document["label"] = *subject.label;
  document["predicted"] = predicted;
  document["lead"] = json_number(prediction.lead);
  if (scores_) {
    Json scores = Json::object();
    for (std::size_t k = 0; k < class_names_.size(); ++k) scores[class_names_[k]] = json_number(prediction.scores[k]);
    document["scores"] = std::move(scores);
  }
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

Result<LineOutput> LineOutput::open(const std::string& path) {
  LineOutput output;
  if (path == "-") return output;
  UNSCATTER_TRY(file, ReplacingFile::create(path));
  output.file_.emplace(std::move(file));
  return output;
}

Status LineOutput::write(std::string_view lines) {
  return file_ ? file_->write(lines) : write_fully(STDOUT_FILENO, "standard output", lines);
}

Status LineOutput::commit() { return file_ ? file_->commit() : ok_status(); }

}  // namespace unscatter::cli
