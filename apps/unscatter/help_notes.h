// What stands below the options in --help, taken apart again: paragraphs, examples and tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace unscatter::cli {

struct HelpNotes {
  struct Block {
    bool as_it_is = false;  // lines that keep their breaks and their spaces
    std::vector<std::string> lines;
  };
  std::vector<Block> blocks;          // in order, without the examples
  std::vector<std::string> examples;  // the lines below "Examples:", without the two spaces in front
};

// Lines that begin with spaces stay as they are.  Others flow together.  A paragraph ends at an empty line, and after a
// line that ends a sentence although the next word would have fitted into its 120 columns.
[[nodiscard]] HelpNotes read_help_notes(std::string_view text);

}  // namespace unscatter::cli
