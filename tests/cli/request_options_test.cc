#include "request_options.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <variant>

namespace unscatter::cli {
namespace {

TEST(RequestKey, DigitsAreANumberAndAnythingElseIsAnId) {
  EXPECT_EQ(parse_key("17").value(), NodeKey(std::size_t{17}));
  EXPECT_EQ(parse_key("0").value(), NodeKey(std::size_t{0}));
  EXPECT_EQ(parse_key("id:17").value(), NodeKey(std::string("17")));
  EXPECT_EQ(parse_key("id:id:17").value(), NodeKey(std::string("id:17")));
  for (const char* id : {"user-17", "-17", "+17", "1.5", "0x11", "17 ", "id"}) {
    EXPECT_EQ(parse_key(id).value(), NodeKey(std::string(id))) << id;
  }
  EXPECT_EQ(parse_key("18446744073709551615").value(), NodeKey(std::size_t{18446744073709551615u}));
  for (const char* wrong : {"", "id:", "18446744073709551616"}) EXPECT_FALSE(parse_key(wrong).ok()) << wrong;
}

TEST(RequestArguments, ASubjectIsAlwaysAnId) {
  RequestArguments arguments;
  arguments.subject = "id:17";
  const RemovalRequest request = arguments.request().value();
  EXPECT_EQ(std::get<ForgetSubject>(request).id, "id:17");
}

}  // namespace
}  // namespace unscatter::cli
