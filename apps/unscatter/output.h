// What a person or a program reads on stdout.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/counted.h"
#include "unscatter/base/error.h"

namespace unscatter::cli {

// Fields keep the order in which they were set, so that the output reads the same every time.
using Json = nlohmann::ordered_json;

// The result of a subcommand in both forms; main() prints one of them.
struct Report {
  Json json;
  std::string text;  // whole lines
  // Set if there is a report but the answer is no: exit code 1, the sentence on stderr, and `error` in the document.
  std::optional<Error> refusal = {};
  // What the command changed, for a message when its report cannot be delivered: "the removal is in force, as ledger
  // entry 5".  Empty: nothing that lasts.
  std::string stands = {};
};

// Columns as wide as their widest cell, two spaces apart.
class Table {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // One cell per column; a missing one stays empty.
  void add_row(std::vector<std::string> cells);
  // Header first (left out if all titles are empty), a newline after each line, no spaces at the end of a line.
  [[nodiscard]] std::string str() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// `text` with control characters other than newline replaced by '?'.  Names come from files that anyone may have
// written.  They must not control the terminal.
[[nodiscard]] std::string printable(std::string_view text);

// `text` with a full stop, if it does not end a sentence already.
[[nodiscard]] std::string as_sentence(std::string_view text);

// {"error": {"code": "not-found", "message": "..."}}, with the message as a sentence.
[[nodiscard]] Json error_document(std::string_view code, std::string_view message);

// Two-space indentation and a newline at the end; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string document_text(const Json& document);

}  // namespace unscatter::cli
