// Rows of numbers as a data set.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "unscatter/graph/dataset.h"
#include "unscatter/graph/graph_edit.h"

namespace unscatter {
namespace {

// Three rows of two columns.
struct RowsCase {
  std::vector<double> values{1, 2, -0.5, 0, 3e300, 1e-300};
  std::vector<std::string> labels{"spam", "7", "spam"};
  std::vector<std::string> ids{"a", "b", "c"};
  std::vector<std::string> subjects{"ann", "bob", "ann"};

  [[nodiscard]] RowTable table() const { return {values, 2, labels, ids, subjects}; }
};

TEST(DatasetFromRows, ARowIsAGraphOfOneNode) {
  const RowsCase rows;
  const Dataset dataset = dataset_from_rows("mail", rows.table()).value();
  ASSERT_EQ(dataset.size(), 3u);
  EXPECT_EQ(dataset.name, "mail");
  EXPECT_EQ(dataset.class_names, (std::vector<std::string>{"7", "spam"}));
  EXPECT_EQ(dataset.labels, (std::vector<std::uint32_t>{1, 0, 1}));
  EXPECT_EQ(dataset.graph_ids, rows.ids);
  for (std::size_t i = 0; i < 3; ++i) {
    const Graph& graph = dataset.graphs[i];
    EXPECT_EQ(graph.node_count(), 1u);
    EXPECT_EQ(graph.entry_count(), 0u);
    EXPECT_EQ(graph.attributes(0)[0], rows.values[2 * i]);
    EXPECT_EQ(graph.attributes(0)[1], rows.values[2 * i + 1]);
    EXPECT_EQ(graph.node_id(0), rows.subjects[i]);
  }
  EXPECT_EQ(summarise(dataset).distinct_node_ids, 2u);
}

TEST(DatasetFromRows, IdsAreOptional) {
  const RowsCase rows;
  const Dataset dataset = dataset_from_rows("mail", {rows.values, 2, rows.labels}).value();
  EXPECT_TRUE(dataset.graph_ids.empty());
  EXPECT_FALSE(dataset.graphs[0].has_node_ids());
}

// Who removes the only node removes the row.
TEST(DatasetFromRows, TheRowGoesWithItsNodeAndIsZeroWithoutItsFeatures) {
  const Dataset dataset = dataset_from_rows("mail", RowsCase().table()).value();
  EXPECT_FALSE(apply(dataset.graphs[0], RemoveNode{0}).value().has_value());
  const std::optional<Graph> empty = apply(dataset.graphs[0], RemoveFeatures{0}).value();
  ASSERT_TRUE(empty.has_value());
  EXPECT_FALSE(empty->has_features(0));
  EXPECT_EQ(empty->attributes(0)[0], 0);
  EXPECT_EQ(empty->attributes(0)[1], 0);
}

TEST(DatasetFromRows, WrongTablesAreRefusedWithAReason) {
  const auto refused = [](const RowTable& table, ErrorCode code, std::string_view words) {
    const Result<Dataset> result = dataset_from_rows("x", table);
    ASSERT_FALSE(result.ok()) << words;
    EXPECT_EQ(result.error().code, code) << result.error().message;
    EXPECT_NE(result.error().message.find(words), std::string::npos) << result.error().message;
  };
  RowsCase rows;
  const std::vector<std::string> two{"x", "y"};
  refused({rows.values, 0, rows.labels}, ErrorCode::kInvalidArgument, "without columns");
  refused({rows.values, 4, rows.labels}, ErrorCode::kInvalidArgument, "6 numbers are no rows of 4 columns");
  refused({{}, 2, {}}, ErrorCode::kInvalidArgument, "no row");
  refused({rows.values, 2, two}, ErrorCode::kInvalidArgument, "2 labels for 3 rows");
  refused({rows.values, 2, rows.labels, two}, ErrorCode::kInvalidArgument, "2 row ids for 3 rows");
  refused({rows.values, 2, rows.labels, {}, two}, ErrorCode::kInvalidArgument, "2 subjects for 3 rows");
  rows.ids[2] = "a";
  refused(rows.table(), ErrorCode::kInvalidArgument, "'a' occurs twice");
  rows.ids[2] = "";
  refused(rows.table(), ErrorCode::kInvalidArgument, "row 2 has an empty id");
  rows.ids[2] = "c";
  rows.subjects[1] = "";
  refused(rows.table(), ErrorCode::kInvalidArgument, "row 1 has an empty subject");
  rows.subjects[1] = "bob";
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    rows.values[3] = bad;
    refused(rows.table(), ErrorCode::kMalformedInput, "row 1, column 1");
  }
}

}  // namespace
}  // namespace unscatter
