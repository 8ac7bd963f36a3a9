// Notes that several processes take of neighbouring parts are those of one that takes all.
#include "store/survey_notes.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "store/streamed_data.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

using testing::file_data;

std::vector<StreamedGraph> streamed(const Dataset& data) {
  std::vector<StreamedGraph> graphs;
  for (std::size_t g = 0; g < data.size(); ++g) {
    StreamedGraph graph{
        .graph = data.graphs[g], .label = data.class_names[data.labels[g]], .id = {}, .number = g, .place = "line"};
    if (!data.graph_ids.empty()) graph.id = data.graph_ids[g];
    if (!data.due.graphs.empty()) graph.expires = data.due.graphs[g];
    const bool dated = data.graphs[g].has_node_ids() && data.due.subjects.contains(data.graphs[g].node_id(0));
    if (dated) {
      graph.node_expires.resize(graph.graph.node_count());
      graph.node_expires[0] = data.due.subjects.at(data.graphs[g].node_id(0));
    }
    graphs.push_back(std::move(graph));
  }
  return graphs;
}

SurveyNotes notes_of(const std::vector<StreamedGraph>& graphs, std::size_t begin, std::size_t end) {
  SurveyNoteTaker taker;
  for (std::size_t i = begin; i < end; ++i) EXPECT_TRUE(taker.add(graphs[i]).ok());
  return taker.finish();
}

TEST(SurveyNotes, OfPartsAreThoseOfTheWhole) {
  for (const bool ids : {true, false}) {
    const std::vector<StreamedGraph> graphs = streamed(file_data(60, {.ids = ids, .dates = ids}));
    const SurveyNotes whole = notes_of(graphs, 0, graphs.size());
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      SCOPED_TRACE(seed);
      Sequence random(seed);
      SurveyNotes joined;
      std::vector<StreamedData::Part> parts;
      for (std::size_t begin = 0; begin < graphs.size();) {
        // Some parts are empty.
        const std::size_t end = std::min(graphs.size(), begin + random.below(20));
        SurveyNotes part = notes_of(graphs, begin, end);
        EXPECT_EQ(part.graphs(), end - begin);
        parts.insert(parts.end(), part.content.begin(), part.content.end());
        ASSERT_TRUE(joined.append(std::move(part)));
        begin = end;
      }
      EXPECT_EQ(joined.classes, whole.classes);
      EXPECT_EQ(joined.labels, whole.labels);
      EXPECT_EQ(joined.ids, whole.ids);
      EXPECT_EQ(joined.subjects, whole.subjects);
      EXPECT_EQ(joined.due.graphs, whole.due.graphs);
      EXPECT_EQ(joined.due.subjects, whole.due.subjects);
      EXPECT_EQ(joined.form, whole.form);
      // The digests are those of the parts, and whoever sees all graphs again can tell.
      EXPECT_EQ(joined.content, parts);
      StreamComparison same(joined.content);
      for (const StreamedGraph& graph : graphs) same.add(graph);
      EXPECT_TRUE(same.same());
    }
  }
}

TEST(SurveyNotes, IdsOfSomePartsOnlyAreRefused) {
  const std::vector<StreamedGraph> with = streamed(file_data(5, {}));
  const std::vector<StreamedGraph> without = streamed(file_data(5, {.ids = false}));
  SurveyNotes notes = notes_of(with, 0, 5);
  EXPECT_FALSE(notes.append(notes_of(without, 0, 5)));
  SurveyNotes others = notes_of(without, 0, 5);
  EXPECT_FALSE(others.append(notes_of(with, 0, 5)));
}

// Another graph, one less, one more, and the same in another order.
TEST(SurveyNotes, AnotherContentIsNoticedInEveryPart) {
  const std::vector<StreamedGraph> graphs = streamed(file_data(12, {}));
  SurveyNotes notes = notes_of(graphs, 0, 4);
  ASSERT_TRUE(notes.append(notes_of(graphs, 4, 5)));
  ASSERT_TRUE(notes.append(notes_of(graphs, 5, 12)));
  const auto same_as = [&](const std::vector<const StreamedGraph*>& seen) {
    StreamComparison comparison(notes.content);
    for (const StreamedGraph* graph : seen) comparison.add(*graph);
    return comparison.same();
  };
  std::vector<const StreamedGraph*> all;
  for (const StreamedGraph& graph : graphs) all.push_back(&graph);
  EXPECT_TRUE(same_as(all));
  StreamedGraph relabelled = graphs[4];
  relabelled.label = "another";
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(i);
    std::vector<const StreamedGraph*> changed = all;
    changed[i] = i == 4 ? &relabelled : all[(i + 1) % all.size()];
    EXPECT_FALSE(same_as(changed));
    changed = all;
    changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_FALSE(same_as(changed));
    changed = all;
    changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(i), all[i]);
    EXPECT_FALSE(same_as(changed));
  }
}

}  // namespace
}  // namespace unscatter
