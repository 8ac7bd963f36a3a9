#include "unscatter/unlearn/request.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace unscatter {
namespace {

TEST(Request, DescriptionsTellKindsNumbersAndIdsApart) {
  EXPECT_EQ(describe(ForgetNode{17u, 3u}), "node 3 of graph 17");
  EXPECT_EQ(describe(ForgetNode{"club", "ann"}), "node 'ann' of graph 'club'");
  EXPECT_EQ(describe(ForgetFeatures{0u, "ann"}), "features of node 'ann' of graph 0");
  EXPECT_EQ(describe(ForgetEdge{2u, 5u, "bob"}), "edge 5, 'bob' of graph 2");
  EXPECT_EQ(describe(ForgetGraph{"7"}), "graph '7'");
  EXPECT_EQ(describe(ForgetSubject{"ann"}), "subject 'ann'");

  // The id "3" is not the number 3.
  const std::vector<RemovalRequest> alike = {ForgetNode{1u, 3u},     ForgetNode{1u, "3"},    ForgetNode{"1", 3u},
                                             ForgetFeatures{1u, 3u}, ForgetGraph{1u},        ForgetGraph{"1"},
                                             ForgetEdge{1u, 3u, 4u}, ForgetEdge{1u, 4u, 3u}, ForgetSubject{"3"}};
  std::set<std::string> texts;
  for (const RemovalRequest& request : alike) texts.insert(describe(request));
  EXPECT_EQ(texts.size(), alike.size());
}

TEST(RequestCounts, TotalCountsEveryKindOnce) {
  EXPECT_EQ(RequestCounts{}.total(), 0u);
  EXPECT_EQ((RequestCounts{.features = 1, .nodes = 10, .edges = 100, .graphs = 1000, .subjects = 10000}.total()),
            11111u);
}

}  // namespace
}  // namespace unscatter
