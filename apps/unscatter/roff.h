// Text for man(7): what roff would read as a command is written so that a reader sees it as it is.
#pragma once

#include <string>
#include <string_view>

namespace unscatter::cli::roff {

// `text` as it is.  Hyphens are those of the keyboard, so that options can be copied.
[[nodiscard]] std::string plain(std::string_view text);
[[nodiscard]] std::string bold(std::string_view text);
[[nodiscard]] std::string italic(std::string_view text);

// A heading, a paragraph, lines that are not filled, and an entry of a list.  `text` and `term` are roff already.
[[nodiscard]] std::string section(std::string_view title);
[[nodiscard]] std::string subsection(std::string_view title);
[[nodiscard]] std::string paragraph(std::string_view text);
[[nodiscard]] std::string unfilled(std::string_view lines);
[[nodiscard]] std::string entry(std::string_view term, std::string_view text);

}  // namespace unscatter::cli::roff
