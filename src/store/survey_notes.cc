#include "store/survey_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "base/checksum.h"
#include "graph/readers/jsonl_line.h"

namespace unscatter {
namespace {

Error malformed_at(const StreamedGraph& graph, std::string_view what) {
  return {ErrorCode::kMalformedInput, fmt::format("{}: {}", graph.place, what)};
}

void drop_copies(std::vector<std::uint64_t>& sums) {
  std::sort(sums.begin(), sums.end());
  sums.erase(std::unique(sums.begin(), sums.end()), sums.end());
}

}  // namespace

std::uint64_t text_checksum(std::string_view text) { return checksum(std::as_bytes(std::span(text)), 0); }

bool SurveyNotes::append(SurveyNotes next) {
  if (next.graphs() == 0) return true;
  if (graphs() == 0) {
    *this = std::move(next);
    return true;
  }
  if (ids.empty() != next.ids.empty()) return false;
  std::vector<std::uint32_t> place(next.classes.size());
  for (std::size_t k = 0; k < place.size(); ++k) {
    const auto found = std::find(classes.begin(), classes.end(), next.classes[k]);
    place[k] = static_cast<std::uint32_t>(found - classes.begin());
    if (found == classes.end()) classes.push_back(std::move(next.classes[k]));
  }
  const std::size_t before = graphs();
  for (const std::uint32_t label : next.labels) labels.push_back(place[label]);
  ids.insert(ids.end(), next.ids.begin(), next.ids.end());
  std::vector<std::uint64_t> all;
  std::set_union(subjects.begin(), subjects.end(), next.subjects.begin(), next.subjects.end(), std::back_inserter(all));
  subjects = std::move(all);
  for (std::size_t i = 0; i < next.due.graphs.size(); ++i) due.add_graph(before + i, next.due.graphs[i]);
  // From the first date on there is one entry per graph.
  if (!due.graphs.empty()) due.graphs.resize(graphs());
  for (const auto& [id, date] : next.due.subjects) due.add_subject(id, date);
  form.add(next.form);
  content.insert(content.end(), next.content.begin(), next.content.end());
  return true;
}

Status SurveyNoteTaker::add(const StreamedGraph& graph) {
  // A data set whose graphs have ids only in part could not be asked for a graph by its id.
  const std::size_t earlier = notes_.graphs();
  if (earlier > 0 && graph.id.has_value() == notes_.ids.empty()) return malformed_at(graph, readers::kIdsForAllOrNone);
  if (!graph.label) return malformed_at(graph, readers::kLabelMissing);
  if (graph.id) notes_.ids.push_back(text_checksum(*graph.id));
  const auto next = static_cast<std::uint32_t>(place_of_class_.size());
  const auto [found, is_new] = place_of_class_.emplace(*graph.label, next);
  if (is_new) notes_.classes.push_back(*graph.label);
  notes_.labels.push_back(found->second);
  note_subjects(graph);
  notes_.due.add_graph(earlier, graph.expires);
  notes_.form.add(graph.graph);
  content_.add(graph);
  return ok_status();
}

void SurveyNoteTaker::note_subjects(const StreamedGraph& graph) {
  std::vector<std::uint64_t>& subjects = notes_.subjects;
  for (std::size_t i = 0; graph.graph.has_node_ids() && i < graph.graph.node_count(); ++i) {
    if (graph.graph.state(i) == NodeState::kTombstone) continue;
    // The same people come again and again, so there are fewer of them than nodes.  Grows only if that does not help.
    if (subjects.size() == subjects.capacity()) {
      drop_copies(subjects);
      if (2 * subjects.size() > subjects.capacity()) {
        subjects.reserve(std::max<std::size_t>(1024, 2 * subjects.capacity()));
      }
    }
    subjects.push_back(text_checksum(graph.graph.node_id(i)));
  }
  for (std::size_t i = 0; i < graph.node_expires.size(); ++i) {
    const bool is_there = graph.graph.state(i) != NodeState::kTombstone;
    if (graph.node_expires[i] && is_there) notes_.due.add_subject(graph.graph.node_id(i), *graph.node_expires[i]);
  }
}

SurveyNotes SurveyNoteTaker::finish() {
  drop_copies(notes_.subjects);
  if (notes_.graphs() > 0) notes_.content.push_back({notes_.graphs(), content_.finish()});
  return std::move(notes_);
}

}  // namespace unscatter
