#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/check.h"
#include "unscatter/store/request_text.h"

namespace unscatter::fuzz {

// Reads, spells, and reads and spells again.  The result must be an error that names its place, or the same both times.
template <typename Parse, typename Spell>
[[nodiscard]] std::string check_read_back(std::string_view text, const Parse& parse, const Spell& spell) {
  const auto read = parse(text, "input");
  if (!read.ok()) {
    return read.error().message.starts_with("input:") ? "" : "an error without its place: " + read.error().message;
  }
  const std::string spelled = spell(*read);
  const auto again = parse(spelled, "again");
  if (!again.ok()) return "its spelling is refused: " + again.error().message;
  return spell(*again) == spelled ? "" : "its spelling is something else";
}

[[nodiscard]] inline std::string spell_corrections(const CorrectionFile& file) {
  std::string text;
  for (const Correction& correction : file.corrections) text.append(request_text(correction)).append("\n");
  return text;
}

[[nodiscard]] inline std::string spell_openings(const std::vector<Opening>& openings) {
  std::string text;
  for (const Opening& opening : openings) text.append(opening_text(opening)).append("\n");
  return text;
}

// A list of corrections, a file of openings, and one graph that was added.
[[nodiscard]] inline std::string check_openings(std::string_view text) {
  if (std::string wrong = check_read_back(text, parse_corrections, spell_corrections); !wrong.empty()) return wrong;
  if (std::string wrong = check_read_back(text, parse_openings, spell_openings); !wrong.empty()) return wrong;
  const Result<AddedGraph> added = parse_added_graph(text);
  if (!added.ok()) return added.error().message.empty() ? "an error without a message" : "";
  const Result<AddedGraph> again = parse_added_graph(request_text(*added));
  return again.ok() && request_text(*again) == request_text(*added) ? "" : "an added graph is spelled as another one";
}

}  // namespace unscatter::fuzz
