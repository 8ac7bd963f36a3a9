#include "request_options.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace unscatter::cli {
namespace {

TEST(RequestArguments, ASubjectIsAlwaysAnId) {
  RequestArguments arguments;
  arguments.subject = "id:17";
  const RemovalRequest request = arguments.request().value();
  EXPECT_EQ(std::get<ForgetSubject>(request).id, "id:17");
}

struct WrongForm {
  RequestArguments arguments;
  const char* says;
};

TEST(RequestArguments, ExactlyOneFormIsTaken) {
  const std::vector<WrongForm> wrong = {
      {{}, "nothing to forget is named"},
      {{.node = "3"}, "--node needs --graph"},
      {{.edge = "3,5"}, "--edge needs --graph"},
      {{.graph = "5", .features_only = true}, "--features-only goes with --node"},
      {{.graph = "5", .node = "3", .edge = "3,5"}, "two requests"},
      {{.graph = "5", .subject = "user-00001"}, "exclude one another"},
      {{.graph = "5", .requests = "r.jsonl"}, "exclude one another"},
      {{.subject = "user-00001", .requests = "r.jsonl"}, "exclude one another"},
      {{.node = "3", .subject = "user-00001"}, "--node needs --graph"},
      {{.graph = "5", .edge = "3"}, "one comma"},
      {{.graph = "5", .edge = "3,4,5"}, "one comma"},
      {{.graph = "5", .edge = "3,"}, "neither a number nor an id"},
      {{.graph = "99999999999999999999999"}, "too large"},
  };
  for (const WrongForm& form : wrong) {
    const Status status = form.arguments.check();
    ASSERT_FALSE(status.ok()) << form.says;
    EXPECT_NE(status.error().message.find(form.says), std::string::npos) << status.error().message;
  }
  for (const RequestArguments& right :
       {RequestArguments{.graph = "5"}, RequestArguments{.graph = "5", .node = "3", .features_only = true},
        RequestArguments{.graph = "5", .edge = "id:3,4"}, RequestArguments{.subject = "x"},
        RequestArguments{.requests = "r.jsonl"}}) {
    EXPECT_TRUE(right.check().ok());
  }
}

}  // namespace
}  // namespace unscatter::cli
