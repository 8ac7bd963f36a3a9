#include "base/utc_time.h"

#include <gtest/gtest.h>

#include <string>

namespace unscatter {
namespace {

TEST(UtcTime, ReadsDatesAndTimes) {
  EXPECT_EQ(parse_utc("1970-01-01").value(), 0);
  EXPECT_EQ(parse_utc("2027-03-01").value(), 1803859200);
  EXPECT_EQ(parse_utc("2027-03-01T00:00:00Z").value(), 1803859200);
  EXPECT_EQ(parse_utc("2028-02-29T23:59:59Z").value(), 1835481599);
  // Cut off and not rounded: what is due must not become due later.
  EXPECT_EQ(parse_utc("2027-03-01T00:00:00.999Z").value(), 1803859200);
  EXPECT_EQ(parse_utc("9999-12-31T23:59:59Z").value(), 253402300799);
}

TEST(UtcTime, RefusesEveryOtherForm) {
  for (const char* text : {"",
                           "2027",
                           "2027-3-1",
                           "2027-02-29",
                           "2027-13-01",
                           "2027-00-10",
                           "1969-12-31",
                           "01.03.2027",
                           "2027/03/01",
                           "2027-03-01 ",
                           " 2027-03-01",
                           "2027-03-01T",
                           "2027-03-01Z",
                           "2027-03-01T12:00Z",
                           "2027-03-01T12:00:00",
                           "2027-03-01 12:00:00Z",
                           "2027-03-01T24:00:00Z",
                           "2027-03-01T12:60:00Z",
                           "2027-03-01T12:00:60Z",
                           "2027-03-01T12:00:00+01:00",
                           "2027-03-01T12:00:00.Z",
                           "2027-03-01T12:00:00.5",
                           "2027-03-01T12:00:00.5xZ",
                           "2027-03-01T12:00:00ZZ",
                           "2027-03-01t12:00:00z",
                           "+027-03-01",
                           "tomorrow",
                           "1803859200"}) {
    const auto parsed = parse_utc(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(parsed.error().message.find("'" + std::string(text)), std::string::npos) << parsed.error().message;
    EXPECT_NE(parsed.error().message.find("2027-03-01T12:00:00Z"), std::string::npos);
  }
}

TEST(UtcTime, WritesWhatItReads) {
  for (std::int64_t seconds = 0; seconds < 253402300800; seconds += 86399 * 977 + 1) {
    EXPECT_EQ(parse_utc(utc_text(seconds)).value(), seconds);
    EXPECT_EQ(parse_utc(short_utc_text(seconds)).value(), seconds);
  }
  EXPECT_EQ(utc_text(1803859200), "2027-03-01T00:00:00Z");
  EXPECT_EQ(short_utc_text(1803859200), "2027-03-01");
  EXPECT_EQ(short_utc_text(1803859201), "2027-03-01T00:00:01Z");
}

TEST(UtcTime, ReadsSpansOfHoursDaysAndWeeks) {
  EXPECT_EQ(parse_span("1h").value(), 3600);
  EXPECT_EQ(parse_span("90d").value(), 90 * 86400);
  EXPECT_EQ(parse_span("12w").value(), 12 * 7 * 86400);
  EXPECT_EQ(parse_span("365250d").value(), 365250LL * 86400);
  for (const char* text : {"", "d", "0d", "-1d", "90", "90 d", "1.5d", "3m", "1y", "90D", "365251d", "9999999999999h",
                           "99999999999999999999d"}) {
    EXPECT_FALSE(parse_span(text).ok()) << text;
  }
}

}  // namespace
}  // namespace unscatter
