#include "help_notes.h"

#include <algorithm>
#include <cstddef>

#include "command_description.h"

namespace unscatter::cli {
namespace {

constexpr std::size_t kColumns = 120;

bool is_indented(std::string_view line) { return line.starts_with("  "); }

// Whether somebody broke the line on purpose.
bool ends_paragraph(std::string_view line, std::string_view next) {
  const bool sentence = line.ends_with('.') || line.ends_with(':');
  return sentence && line.size() + 1 + std::min(next.find(' '), next.size()) <= kColumns;
}

void add_line(HelpNotes& notes, const std::string& line, bool after_gap) {
  const bool as_it_is = is_indented(line);
  const bool goes_on = !after_gap && !notes.blocks.empty() && notes.blocks.back().as_it_is == as_it_is &&
                       (as_it_is || !ends_paragraph(notes.blocks.back().lines.back(), line));
  if (!goes_on) notes.blocks.push_back({as_it_is, {}});
  notes.blocks.back().lines.push_back(line);
}

}  // namespace

HelpNotes read_help_notes(std::string_view text) {
  HelpNotes notes;
  bool in_examples = false;
  bool after_gap = true;
  for (const std::string& line : split_at(text, '\n')) {
    in_examples = line == "Examples:" || (in_examples && is_indented(line));
    if (in_examples && is_indented(line)) {
      notes.examples.push_back(line.substr(2));
    } else if (!in_examples && !line.empty()) {
      add_line(notes, line, after_gap);
    }
    after_gap = line.empty() || in_examples;
  }
  return notes;
}

}  // namespace unscatter::cli
