#include "store/request_fields.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "unscatter/store/request_text.h"

namespace unscatter {
namespace {

TEST(RequestFields, ASlipOfAKnownFieldIsNoFieldOfTheUser) {
  for (const std::string_view slip : {"nod", "Node", "nodes", "node_id", "nodeId", "ndoe", "vertex", "mode"}) {
    EXPECT_EQ(slip_of_field(slip), "node") << slip;
  }
  for (const std::string_view slip : {"grpah", "graphs", "graph_name", "Graph"})
    EXPECT_EQ(slip_of_field(slip), "graph");
  for (const std::string_view slip : {"form", "fom", "edge", "edge_from"}) EXPECT_EQ(slip_of_field(slip), "from");
  for (const std::string_view slip : {"ids", "ID", "subject"}) EXPECT_EQ(slip_of_field(slip), "id") << slip;
  for (const std::string_view slip : {"forgt", "forgot", "Forget", "features"})
    EXPECT_EQ(slip_of_field(slip), "forget") << slip;
  for (const std::string_view own : {"reason", "ticket", "ticket_id", "note", "notes", "date", "requested_by", "case",
                                     "comment", "user", "source", "", "7", "Begründung"}) {
    EXPECT_EQ(slip_of_field(own), "") << own;
  }
}

TEST(RequestFields, SomeNamesMightBeAPartOfAGraph) {
  for (const std::string_view part : {"user", "userId", "user_id", "Member", "source"}) EXPECT_TRUE(names_a_part(part));
  for (const std::string_view own : {"reason", "ticket", "users", "note"}) EXPECT_FALSE(names_a_part(own)) << own;
}

TEST(RequestFields, MakeARequestOnlyIfAllAreThere) {
  RequestValues values;
  EXPECT_EQ(make_request(values).error().message, "\"forget\" is missing");
  values[0] = std::string("node");
  EXPECT_EQ(make_request(values).error().message, "\"graph\" is missing from a request to forget: node");
  values[1] = std::size_t{17};
  values[2] = std::string("user-3");
  EXPECT_EQ(request_text(make_request(values).value()), R"({"forget":"node","graph":17,"node":"user-3"})");
  values[0] = std::string("graph");
  EXPECT_EQ(make_request(values).error().message, "\"node\" has no place in a request to forget: graph");
}

}  // namespace
}  // namespace unscatter
