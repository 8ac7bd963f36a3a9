#include "graph/readers/text_scanner.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace unscatter::readers {
namespace {

struct Scanned {
  std::vector<std::string> lines;
  Status status = ok_status();
};

Scanned scan(std::string_view text, std::uint64_t max_bytes = 1 << 30) {
  ByteBudget budget(max_bytes);
  TextScanner scanner(open_plain(Input::memory("t.txt", text), budget).value());
  Scanned result;
  std::string_view line;
  while (scanner.next_line(line)) result.lines.emplace_back(line);
  result.status = scanner.status();
  return result;
}

TEST(TextScanner, AllLineEndsGiveTheSameLines) {
  const std::vector<std::string> expected = {"1, 2", "3"};
  for (const char* text : {"1, 2\n3\n", "1, 2\n3", "1, 2\r\n3\r\n", "1, 2 \n3\n\n \r\n\n"}) {
    const Scanned scanned = scan(text);
    EXPECT_TRUE(scanned.status.ok()) << text;
    EXPECT_EQ(scanned.lines, expected) << text;
  }
  EXPECT_TRUE(scan("").lines.empty());
  EXPECT_TRUE(scan("\n\n").lines.empty());
}

TEST(TextScanner, BlankLineInsideIsRefusedByNumber) {
  const Scanned scanned = scan("1\n\n\n2\n");
  ASSERT_FALSE(scanned.status.ok());
  EXPECT_EQ(scanned.status.error().message, "t.txt, line 2: the line is empty, but others follow");
}

TEST(TextScanner, LinesLongerThanABlockAndManyBlankOnes) {
  const std::string longest(3'000'000, '7');
  EXPECT_EQ(scan("1\n" + longest + "\n2").lines, (std::vector<std::string>{"1", longest, "2"}));
  EXPECT_EQ(scan("1" + std::string(3'000'000, '\n')).lines, (std::vector<std::string>{"1"}));
}

TEST(TextScanner, StopsAtTheBudget) {
  const Scanned scanned = scan("1\n2\n3\n", 5);
  ASSERT_FALSE(scanned.status.ok());
  EXPECT_EQ(scanned.status.error().code, ErrorCode::kLimitExceeded);
}

TEST(Fields, CommasAndBlanksSeparate) {
  Fields fields("1, 2,3\t4 ,5");
  for (int expected = 1; expected <= 5; ++expected) {
    int value = 0;
    ASSERT_TRUE(fields.next(value));
    EXPECT_EQ(value, expected);
  }
  EXPECT_TRUE(fields.done());
}

TEST(Fields, RefusesWhatIsNoNumberAndKeepsItForTheMessage) {
  for (const auto& [line, token] :
       std::vector<std::pair<std::string, std::string>>{{"1,,2", ","},
                                                        {"1, x7", "x7"},
                                                        {"1, 2x", "2x"},
                                                        {"1,", ","},
                                                        {"1, 99999999999999999999", "99999999999999999999"}}) {
    Fields fields(line);
    int value = 0;
    ASSERT_TRUE(fields.next(value)) << line;
    EXPECT_FALSE(fields.done()) << line;
    EXPECT_FALSE(fields.next(value)) << line;
    EXPECT_EQ(fields.token(), token) << line;
  }
}

TEST(Excerpt, IsShortAndPrintable) {
  EXPECT_EQ(excerpt("a\x01 \xff"), "'a? ?'");
  EXPECT_EQ(excerpt(std::string(100, 'x')), "'" + std::string(40, 'x') + "...'");
}

}  // namespace
}  // namespace unscatter::readers
