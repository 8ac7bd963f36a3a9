// Manual pages (section 1) of the program and of every command, from the parser's description.
#pragma once

#include <string>
#include <vector>

#include "command_description.h"

namespace unscatter::cli {

// "unscatter-datasets-fetch" for the command `unscatter datasets fetch`.
[[nodiscard]] std::string manual_name(const CommandDescription& command);

// The page of `command` as roff, for man(1).  `program` is the whole program; the pages name each other.
[[nodiscard]] std::string manual_page(const CommandDescription& command, const CommandDescription& program);

}  // namespace unscatter::cli
