#include "store/request_csv.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "unscatter/store/request_text.h"

namespace unscatter {
namespace {

std::vector<std::string> spelled(const RequestFile& file) {
  std::vector<std::string> texts;
  for (const RemovalRequest& request : file.requests) texts.push_back(request_text(request));
  return texts;
}

TEST(RequestCsv, EveryKindOfRequestIsRead) {
  const RequestFile file = parse_requests(
                               "forget,graph,node,from,to,id,reason\n"
                               "node,17,user-3,,,,asked by mail\n"
                               "Features,17,3,,,,\n"
                               "edge,group-1,,3,id:5,,\n"
                               "graph,id:17,,,,,\"has left, for good\"\n"
                               "subject,,,,,17,\n",
                               "x")
                               .value();
  EXPECT_EQ(spelled(file),
            (std::vector<std::string>{R"({"forget":"node","graph":17,"node":"user-3"})",
                                      R"({"forget":"features","graph":17,"node":3})",
                                      R"({"forget":"edge","from":3,"graph":"group-1","to":"5"})",
                                      R"({"forget":"graph","graph":"17"})", R"({"forget":"subject","id":"17"})"}));
  EXPECT_EQ(file.lines, (std::vector<std::size_t>{2, 3, 4, 5, 6}));
  EXPECT_TRUE(file.kept.empty());
}

TEST(RequestCsv, WithoutTheColumnForgetTheOthersSayWhatIsMeant) {
  EXPECT_EQ(spelled(parse_requests("subject\nuser-1\n007\n", "x").value()),
            (std::vector<std::string>{R"({"forget":"subject","id":"user-1"})", R"({"forget":"subject","id":"007"})"}));
  EXPECT_EQ(spelled(parse_requests("graph,node\n1,2", "x").value()).front(), R"({"forget":"node","graph":1,"node":2})");
  EXPECT_EQ(spelled(parse_requests("graph,edge_from,edge_to\n1,2,3", "x").value()).front(),
            R"({"forget":"edge","from":2,"graph":1,"to":3})");
  EXPECT_EQ(spelled(parse_requests("graph\n1", "x").value()).front(), R"({"forget":"graph","graph":1})");
  // An empty cell does not turn a node into its graph.
  const Result<RequestFile> empty = parse_requests("graph,node\n1,\n", "x");
  ASSERT_FALSE(empty.ok());
  EXPECT_EQ(empty.error().message,
            "x:2: it does not say what to forget; for a whole graph write graph into a column forget");
}

TEST(RequestCsv, QuotesLineEndsSeparatorsAndMarksAreThoseOfSpreadsheets) {
  const std::string expected = R"({"forget":"node","graph":"a, \"b\"\nc","node":2})";
  for (const std::string_view text :
       {"graph,node\r\n\"a, \"\"b\"\"\nc\",2\r\n", "\xef\xbb\xbfgraph;node\n\"a, \"\"b\"\"\nc\"; 2\n",
        "graph\tnode\n\"a, \"\"b\"\"\nc\"\t2", "\"graph\",\"node\"\n\"a, \"\"b\"\"\nc\" , \"2\""}) {
    EXPECT_EQ(spelled(parse_requests(text, "x").value()), std::vector<std::string>{expected}) << text;
  }
  const RequestFile file =
      scan_requests("graph,node,reason\n1,2,\"two\nlines\"\n\n,,\n1,x,\n1\n1,3,\n", "x", {}).value();
  EXPECT_EQ(file.lines, (std::vector<std::size_t>{2, 6, 8}));
  ASSERT_EQ(file.wrong.size(), 1u);
  EXPECT_EQ(file.wrong[0].line, 7u);
  EXPECT_EQ(file.wrong[0].error.message, "1 cells, but the header has 3");
}

TEST(RequestCsv, KeepsOnlyTheFieldsThatAreAskedFor) {
  const RequestFile file =
      parse_requests("id,reason,ticket\nuser-1,\"said \"\"no\"\"\",7\nuser-2,,\n", "x", {.keep = {"reason"}}).value();
  EXPECT_EQ(file.kept, (std::vector<std::string>{R"({"reason":"said \"no\""})", ""}));
}

struct WrongCsv {
  std::string text;
  std::string_view says;
};

TEST(RequestCsv, WrongListsAreRefusedWithTheirLine) {
  const std::vector<WrongCsv> table = {
      {"graph,nod\n1,2\n", "x:1: the header has an unknown field 'nod'; did you mean \"node\"?"},
      {"graph,node,node\n", "x:1: the header names 'node' twice"},
      {"id,subject\n", "x:1: the header names 'subject' twice"},
      {"graph,,node\n", "x:1: a column of the header has no name"},
      {"forget,node\nnode,2\n", "x:1: the header names nothing to forget"},
      {"graph,node\n1,2,3\n", "x:2: 3 cells, but the header has 2"},
      {"graph,node\n1,007\n", "x:2: node: '007' could be the number 7 or an id; write 7, or id:007"},
      {"graph,node\n1,18446744073709551616\n", "x:2: node: 18446744073709551616 is too large"},
      {"graph,node\n1,\"2\n", "x:2: a quote is opened in line 2 and never closed"},
      {"graph,node\n1,2\"3\n", "x:2: a quote within '2\"3'"},
      {"graph,node\n1,\"2\"3\n", "x:2: text after the closing quote of '2'"},
      {"forget,graph\neverything,2\n", "x:2: \"forget\": 'everything' is none of"},
      {"forget,graph,node\ngraph,2,3\n", "x:2: \"node\" has no place"},
      {"forget,graph,user\ngraph,2,me\n", "x:2: the field 'user' might name a part of the graph"},
      {std::string("graph,node\n1,a") + '\0' + "b\n", "x:1: this is no text"},
      {"graph,node\n\"" + std::string(5000, 'x') + "\",a" + '\0' + "b\n", "x:2: node: a zero byte"},
  };
  for (const WrongCsv& wrong : table) {
    const Result<RequestFile> file = parse_requests(wrong.text, "x");
    ASSERT_FALSE(file.ok()) << wrong.text;
    EXPECT_TRUE(file.error().message.starts_with(wrong.says)) << file.error().message;
  }
}

TEST(RequestCsv, IsRecognisedByItsHeaderItsNameOrTheCaller) {
  EXPECT_TRUE(is_csv_header("forget,graph"));
  EXPECT_TRUE(is_csv_header("Subject"));
  EXPECT_FALSE(is_csv_header("user-1,user-2"));
  EXPECT_TRUE(parse_requests("{\"forget\":\"graph\",\"graph\":1}", "x.csv").ok());
  EXPECT_NE(parse_requests("user-1\n", "x.csv").error().message.find("the header"), std::string::npos);
  EXPECT_NE(parse_requests("user-1\n", "x").error().message.find("JSON"), std::string::npos);
  EXPECT_NE(parse_requests("graph\n1\n", "x", {.format = ListFormat::kJsonLines}).error().message.find("JSON"),
            std::string::npos);
}

}  // namespace
}  // namespace unscatter
