#include "roff.h"

#include <fmt/format.h>

namespace unscatter::cli::roff {
namespace {

// groff shows these as typographic characters, which no shell understands.
std::string_view safe(char letter) {
  switch (letter) {
    case '\\': return "\\e";
    case '-': return "\\-";
    case '\'': return "\\(aq";
    case '`': return "\\(ga";
    case '^': return "\\(ha";
    case '~': return "\\(ti";
    case '"': return "\\(dq";
    default: return {};
  }
}

}  // namespace

std::string plain(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    // A full stop at the beginning of a line would be a request.
    if (letter == '.' && (result.empty() || result.back() == '\n')) result += "\\&";
    if (const std::string_view written = safe(letter); !written.empty()) {
      result += written;
    } else {
      result += letter;
    }
  }
  return result;
}

std::string bold(std::string_view text) { return fmt::format("\\fB{}\\fR", plain(text)); }
std::string italic(std::string_view text) { return fmt::format("\\fI{}\\fR", plain(text)); }

std::string section(std::string_view title) { return fmt::format(".SH {}\n", title); }
std::string subsection(std::string_view title) { return fmt::format(".SS \"{}\"\n", plain(title)); }
std::string paragraph(std::string_view text) { return fmt::format(".PP\n{}\n", text); }
std::string unfilled(std::string_view lines) { return fmt::format(".PP\n.EX\n{}\n.EE\n", lines); }
std::string entry(std::string_view term, std::string_view text) { return fmt::format(".TP\n{}\n{}\n", term, text); }

}  // namespace unscatter::cli::roff
