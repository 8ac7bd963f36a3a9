#include "service/gzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace unscatter::service {
namespace {

std::string unpacked(std::string packed) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string text(1 << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

TEST(Gzip, ReadsBack) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += std::to_string(i) + ",";
  const auto packed = gzipped(text);
  ASSERT_TRUE(packed.has_value());
  EXPECT_LT(packed->size(), text.size());
  EXPECT_EQ(unpacked(*packed), text);
  EXPECT_FALSE(gzipped("abc").has_value()) << "it would get longer";
}

TEST(Gzip, IsAskedForByName) {
  EXPECT_TRUE(accepts_gzip("gzip"));
  EXPECT_TRUE(accepts_gzip("br;q=1.0, GZIP ;q=0.5"));
  EXPECT_FALSE(accepts_gzip(""));
  EXPECT_FALSE(accepts_gzip("deflate, br"));
  EXPECT_FALSE(accepts_gzip("gzip;q=0"));
  EXPECT_FALSE(accepts_gzip("gzip; q=0.000"));
  EXPECT_FALSE(accepts_gzip("gzipped"));
}

}  // namespace
}  // namespace unscatter::service
