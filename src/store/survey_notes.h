// What a survey keeps of the graphs that it has seen, without the graphs.
//
// Notes of neighbouring parts of a data set can be taken by several processes, and joined in the order of the parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/streamed_graphs.h"
#include "unscatter/base/result.h"
#include "unscatter/graph/dataset.h"
#include "unscatter/graph/read.h"
#include "unscatter/store/workspace.h"

namespace unscatter {

// A checksum tells texts apart well enough to count them, in 8 bytes each.
[[nodiscard]] std::uint64_t text_checksum(std::string_view text);

struct SurveyNotes {
  std::vector<std::string> classes;     // by their first graphs
  std::vector<std::uint32_t> labels;    // of every graph: a place among these
  std::vector<std::uint64_t> ids;       // checksums: of every graph, or of none
  std::vector<std::uint64_t> subjects;  // checksums of those that differ, ascending
  DueDates due;
  FormCounts form;
  std::vector<StreamedData::Part> content;

  [[nodiscard]] std::size_t graphs() const { return labels.size(); }
  // Those of the graphs that come next.  False: some graphs have ids and others do not.
  [[nodiscard]] bool append(SurveyNotes next);
};

class SurveyNoteTaker {
 public:
  // Errors: what is wrong with the graph, in the words of the reader.
  [[nodiscard]] Status add(const StreamedGraph& graph);
  // Of all graphs so far.  Once.
  [[nodiscard]] SurveyNotes finish();

 private:
  void note_subjects(const StreamedGraph& graph);

  SurveyNotes notes_;
  std::unordered_map<std::string, std::uint32_t> place_of_class_;
  StreamDigest content_;
};

}  // namespace unscatter
