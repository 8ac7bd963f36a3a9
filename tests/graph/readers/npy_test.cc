#include "graph/readers/npy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/make_archive.h"

namespace unscatter::readers {
namespace {

using testing::make_npy;

Result<NpyArray> read(const std::string& bytes) {
  ByteBudget budget(1 << 20);
  const auto source = open_plain(Input::memory("a.npy", bytes), budget).value();
  return read_npy(*source, "<i4", 4, 2, nullptr);
}

TEST(ParseNpyHeader, KeysInAnyOrder) {
  const NpyHeader header = parse_npy_header("{'shape': (3,), 'fortran_order': True, 'descr': '<f8'}").value();
  EXPECT_EQ(header.type, "<f8");
  EXPECT_TRUE(header.fortran_order);
  EXPECT_EQ(header.shape, (std::vector<std::uint64_t>{3}));
  for (const char* bad : {"", "{", "{}", "{'descr': '<f8'}", "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}",
                          "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': ()}", "{'descr': '<f8",
                          "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': ()}",
                          "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}"}) {
    EXPECT_FALSE(parse_npy_header(bad).ok()) << bad;
  }
}

TEST(ReadNpy, GivesShapeAndBytes) {
  const std::vector<std::int32_t> values = {1, -2, 3, 4, 5, 6};
  const NpyArray array = read(make_npy("<i4", "(3, 2)", testing::bytes_of(values))).value();
  EXPECT_EQ(array.shape, (std::vector<std::uint64_t>{3, 2}));
  EXPECT_EQ(std::string(array.bytes.begin(), array.bytes.end()), testing::bytes_of(values));
}

TEST(ReadNpy, MalformedInputIsNamed) {
  const std::string content(24, '\0');
  const std::string good = make_npy("<i4", "(3, 2)", content);
  struct Case {
    std::string bytes;
    const char* message;
  };
  std::string version = good;
  version[6] = 9;
  std::string fortran = good;
  fortran.replace(fortran.find("False"), 5, "True ");
  for (const Case& c : std::vector<Case>{
           {"", "a.npy: not a NumPy array"},
           {"PK and so on", "a.npy: not a NumPy array"},
           {version, "a.npy: NumPy format version 9"},
           {good.substr(0, 60), "a.npy: ends inside the NumPy header"},
           {make_npy("<f4", "(3, 2)", content), "a.npy: an array of type '<f4' where <i4 is expected"},
           {fortran, "a.npy: an array in Fortran order"},
           {make_npy("<i4", "(6,)", content), "a.npy: an array of 1 dimensions where 2 are expected"},
           {make_npy("<i4", "(4, 2)", content), "a.npy: ends after 24 of the 32 bytes it claims"},
           {make_npy("<i4", "(2, 2)", content), "a.npy: goes on after the 16 bytes it claims"},
           {make_npy("<i4", "(1250000000, 2)", content), "a.npy: ends after 24 of the 10000000000 bytes it claims"},
           {make_npy("<i4", "(4000000000, 4000000000)", content),
            "a.npy: the array's header claims more than 2^63 bytes"},
       }) {
    const Result<NpyArray> array = read(c.bytes);
    ASSERT_FALSE(array.ok()) << c.message;
    EXPECT_EQ(array.error().message, c.message);
  }
}

TEST(HalfToDouble, ExactOnEveryBitPattern) {
  EXPECT_EQ(half_to_double(0x3c00), 1.0);
  EXPECT_EQ(half_to_double(0xc000), -2.0);
  EXPECT_EQ(half_to_double(0x7bff), 65504.0);
  EXPECT_EQ(half_to_double(0x0001), 0x1.0p-24);
  EXPECT_EQ(half_to_double(0x03ff), 1023 * 0x1.0p-24);
  EXPECT_EQ(half_to_double(0x0400), 0x1.0p-14);
  EXPECT_EQ(half_to_double(0x2e66), 0.0999755859375);
  EXPECT_TRUE(std::signbit(half_to_double(0x8000)));
  EXPECT_TRUE(std::isinf(half_to_double(0x7c00)));
  EXPECT_TRUE(std::isnan(half_to_double(0x7e00)));
  for (std::uint16_t bits = 0; bits < 0x7bff; ++bits) {
    EXPECT_LT(half_to_double(bits), half_to_double(static_cast<std::uint16_t>(bits + 1)));
  }
}

}  // namespace
}  // namespace unscatter::readers
