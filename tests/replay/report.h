// The lines of the recorder: "SEQUENCE STEP FIELD VALUE", real numbers in hexadecimal, so that equal lines mean equal
// bits.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "unscatter/unscatter.h"

namespace replay {

class Report {
 public:
  explicit Report(std::string sequence) : sequence_(std::move(sequence)) {}

  [[nodiscard]] const std::string& sequence() const { return sequence_; }
  void next_step() { ++step_; }

  void line(std::string_view field, std::string_view value) const;
  void line(std::string_view field, const char* value) const { line(field, std::string_view(value)); }
  void line(std::string_view field, double value) const;
  void line(std::string_view field, std::size_t value) const { line(field, std::to_string(value)); }
  void line(std::string_view field, bool value) const { line(field, value ? "yes" : "no"); }
  void line(std::string_view field, const unscatter::Digest& value) const { line(field, value.hex()); }
  // One line per field of canonical JSON, or per line of a longer text.
  void text(std::string_view field, std::string_view value) const;

  void certificate(const unscatter::Certificate& certificate) const;
  // Digest of all entries, and some of them: how large a difference is can then be seen.
  void matrix(std::string_view field, const unscatter::Matrix& matrix) const;
  void embeddings(const unscatter::SparseBlockRows& rows) const;
  void published(const unscatter::PublishedModel& model) const;
  void rungs(unscatter::RungCounts rungs) const;
  // Kind of an error; its words may change.
  void error(const unscatter::Error& error) const;

 private:
  std::string sequence_;
  std::size_t step_ = 0;
};

// Rungs over all sequences, by the shape of their data: they say what was covered.
void count_rungs(std::string_view shape, unscatter::RungCounts rungs);
// Prints the counts.  False if a rung that a shape can reach was never reached.
[[nodiscard]] bool report_coverage();

}  // namespace replay
