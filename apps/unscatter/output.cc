#include "output.h"

#include <algorithm>
#include <utility>

namespace unscatter::cli {
namespace {

// Counts code points and not bytes, so that UTF-8 names line up.  Continuation bytes start with the bits 10.
std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }));
}

}  // namespace

void Table::add_row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::str() const {
  std::vector<std::string> titles;
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    titles.push_back(columns_[c].title);
    widths.push_back(display_width(columns_[c].title));
    for (const auto& row : rows_) widths[c] = std::max(widths[c], display_width(row[c]));
  }

  std::string text;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string padding(widths[c] - display_width(cells[c]), ' ');
      if (c > 0) line += "  ";
      line += columns_[c].align == Align::kRight ? padding + cells[c] : cells[c] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  if (!std::all_of(titles.begin(), titles.end(), [](const std::string& title) { return title.empty(); }))
    add_line(titles);
  for (const auto& row : rows_) add_line(row);
  return text;
}

std::string printable(std::string_view text) {
  std::string safe(text);
  std::replace_if(
      safe.begin(), safe.end(), [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7F; }, '?');
  return safe;
}

std::string as_sentence(std::string_view text) {
  std::string sentence(text);
  if (!sentence.empty() && std::string_view(".?!").find(sentence.back()) == std::string_view::npos) sentence += '.';
  return sentence;
}

Json error_document(std::string_view code, std::string_view message) {
  return {{"error", {{"code", code}, {"message", as_sentence(message)}}}};
}

std::string document_text(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace unscatter::cli
