#include "unscatter/store/subject_text.h"

#include <gtest/gtest.h>

namespace unscatter {
namespace {

HeldSubject held_by_two_graphs() {
  HeldNode node;
  node.number = 3;
  node.label = 7;
  node.attributes = {0.5};
  node.edges.push_back({4, "other", HeldEdge::Direction::kFromSubject, 2.0});
  HeldNode bare;
  bare.has_features = false;
  HeldSubject held;
  held.due = 1'800'000'000;
  held.graphs.push_back({0, "g", "yes", std::nullopt, {node}});
  held.graphs.push_back({1, "", "no", 0, {bare}});
  return held;
}

TEST(SubjectText, SaysAllThatIsHeldInOneOrder) {
  EXPECT_EQ(subject_text("a", held_by_two_graphs(), false),
            R"({"subject":"a","held":true,"due":"2027-01-15T08:00:00Z","graphs":[{"number":0,"id":"g","class":"yes",)"
            R"("due":null,"nodes":[{"number":3,"features_removed":false,"label":7,"attributes":[0.5],"edges":[)"
            R"({"node":4,"id":"other","direction":"from","weight":2.0}]}]},{"number":1,"id":null,"class":"no",)"
            R"("due":"1970-01-01T00:00:00Z","nodes":[{"number":0,"features_removed":true,"edges":[]}]}]})");
}

TEST(SubjectText, NeighboursCanBeHidden) {
  const std::string text = subject_text("a", held_by_two_graphs(), true);
  EXPECT_EQ(text.find("other"), std::string::npos);
  EXPECT_NE(text.find(R"({"node":4,"direction":"from","weight":2.0})"), std::string::npos);
}

TEST(SubjectText, NothingIsAnAnswer) {
  EXPECT_EQ(subject_text("\"x\"", {}, false), R"({"subject":"\"x\"","held":false,"due":null,"graphs":[]})");
  EXPECT_EQ(subject_list_text({}), "[]");
  SubjectList list;
  list.entries.push_back({"a", 3, std::nullopt});
  EXPECT_EQ(subject_list_text(list), R"([{"id":"a","graphs":3,"due":null}])");
}

// An id is bytes from a file.  It is told in the spelling of requests, and never ends the program.
TEST(SubjectText, AnIdThatIsNotUtf8IsGivenByItsBytes) {
  EXPECT_EQ(subject_text("\xff\xfe", {}, false), R"({"subject":{"bytes":"fffe"},"held":false,"due":null,"graphs":[]})");
  HeldSubject held = held_by_two_graphs();
  held.graphs[0].id = "\xff";
  held.graphs[0].class_name = "\xff";
  held.graphs[0].nodes[0].edges[0].id = "\xc3(";
  const std::string text = subject_text("a", held, false);
  EXPECT_NE(text.find("\"id\":{\"bytes\":\"ff\"},\"class\":\"\xef\xbf\xbd\""), std::string::npos) << text;
  EXPECT_NE(text.find(R"("id":{"bytes":"c328"})"), std::string::npos) << text;
  SubjectList list;
  list.entries.push_back({"\xff", 3, std::nullopt});
  EXPECT_EQ(subject_list_text(list), R"([{"id":{"bytes":"ff"},"graphs":3,"due":null}])");
}

}  // namespace
}  // namespace unscatter
