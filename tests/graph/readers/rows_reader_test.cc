#include "graph/readers/rows_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "support/make_archive.h"
#include "support/temporary_folder.h"

namespace unscatter::readers {
namespace {

using testing::bytes_of;
using testing::make_npy;

// The content of the files, by their use; empty: there is none.
struct RowTexts {
  std::string rows;
  std::string labels = "a\nb\na\n";
  std::string row_ids = {};
  std::string subjects = {};
};

Result<Dataset> read_texts(const RowTexts& texts, const ReadOptions& options = {}) {
  const auto input = [](const char* name, const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(Input::memory(name, text));
  };
  return read_rows({Input::memory("z.npy", texts.rows), input("y.txt", texts.labels), input("ids.txt", texts.row_ids),
                    input("who.txt", texts.subjects)},
                   options);
}

// Three rows of two numbers.
const std::vector<double> kValues = {1, -2, 3, 0, 5, 6};

std::string good_rows() { return make_npy("<f8", "(3, 2)", bytes_of(kValues)); }

std::vector<double> values_of(const Dataset& dataset) {
  std::vector<double> all;
  for (const Graph& graph : dataset.graphs) {
    for (const double value : graph.attributes(0)) all.push_back(value);
  }
  return all;
}

template <typename Number>
std::string rows_of_type(std::string_view type) {
  return make_npy(type, "(3, 2)", bytes_of(std::vector<Number>(kValues.begin(), kValues.end())));
}

TEST(ReadRows, EveryTypeGivesTheSameNumbers) {
  for (const std::string& rows :
       {good_rows(), rows_of_type<float>("<f4"), rows_of_type<std::int8_t>("|i1"), rows_of_type<std::int16_t>("<i2"),
        rows_of_type<std::int32_t>("<i4"), rows_of_type<std::int64_t>("<i8"),
        make_npy("<f2", "(3, 2)", bytes_of(std::vector<std::uint16_t>{0x3c00, 0xc000, 0x4200, 0, 0x4500, 0x4600}))}) {
    EXPECT_EQ(values_of(read_texts({rows}).value()), kValues);
  }
  const std::vector<double> counts = {1, 0, 250, 4, 5, 6};
  EXPECT_EQ(
      values_of(
          read_texts({make_npy("|u1", "(3, 2)", bytes_of(std::vector<std::uint8_t>{1, 0, 250, 4, 5, 6}))}).value()),
      counts);
  EXPECT_EQ(
      values_of(read_texts({make_npy("|b1", "(3, 2)", bytes_of(std::vector<std::uint8_t>{1, 0, 0, 1, 1, 0}))}).value()),
      (std::vector<double>{1, 0, 0, 1, 1, 0}));
}

// Column after column in the file, and the same rows.
TEST(ReadRows, FortranOrderGivesTheSameRows) {
  std::string rows = make_npy("<f8", "(3, 2)", bytes_of(std::vector<double>{1, 3, 5, -2, 0, 6}));
  rows.replace(rows.find("False"), 5, "True ");
  EXPECT_EQ(values_of(read_texts({rows}).value()), kValues);
}

TEST(ReadRows, LabelsIdsAndSubjectsComeFromTextOrFromArrays) {
  const Dataset text =
      read_texts({good_rows(), "spam\r\n\"ham, \"\"raw\"\"\"\nspam\n\n", "r1\nr2\nr3", "ann\nbob\nann\n"}).value();
  EXPECT_EQ(text.name, "z");
  EXPECT_EQ(text.class_names, (std::vector<std::string>{"ham, \"raw\"", "spam"}));
  EXPECT_EQ(text.labels, (std::vector<std::uint32_t>{1, 0, 1}));
  EXPECT_EQ(text.graph_ids, (std::vector<std::string>{"r1", "r2", "r3"}));
  EXPECT_EQ(text.graphs[2].node_id(0), "ann");

  const Dataset arrays =
      read_texts({good_rows(), make_npy("<i8", "(3,)", bytes_of(std::vector<std::int64_t>{10, -1, 10})),
                  make_npy("<u8", "(3, 1)", bytes_of(std::vector<std::uint64_t>{7, 8, ~std::uint64_t{0}}))})
          .value();
  EXPECT_EQ(arrays.class_names, (std::vector<std::string>{"-1", "10"}));
  EXPECT_EQ(arrays.graph_ids, (std::vector<std::string>{"7", "8", "18446744073709551615"}));
}

struct RefusedRows {
  RowTexts texts;
  const char* message = nullptr;
};

void expect_refused(const RefusedRows& wrong, const ReadOptions& options = {},
                    ErrorCode code = ErrorCode::kMalformedInput) {
  SCOPED_TRACE(wrong.message);
  const Result<Dataset> dataset = read_texts(wrong.texts, options);
  ASSERT_FALSE(dataset.ok());
  EXPECT_EQ(dataset.error().code, code);
  EXPECT_NE(dataset.error().message.find(wrong.message), std::string::npos) << dataset.error().message;
}

TEST(ReadRows, ArraysThatAreNoRowsAreRefused) {
  const std::string numbers = bytes_of(kValues);
  const auto with = [&](std::size_t place, double value) {
    std::vector<double> values = kValues;
    values[place] = value;
    return make_npy("<f8", "(3, 2)", bytes_of(values));
  };
  expect_refused({{"1,2\n3,4\n"}, "z.npy: not a NumPy array"});
  expect_refused({{make_npy(">f8", "(3, 2)", numbers)}, "z.npy: an array of type '>f8', big-endian"});
  expect_refused({{make_npy("|O", "(3, 2)", numbers)}, "z.npy: an array of Python objects; these are never unpacked"});
  expect_refused({{make_npy("<U2", "(3, 2)", numbers)}, "z.npy: an array of type '<U2'; rows are float64"});
  expect_refused({{make_npy("<c16", "(3, 1)", numbers)}, "z.npy: an array of type '<c16'"});
  expect_refused({{make_npy("<f8", "(6,)", numbers)}, "z.npy: an array with the number of dimensions 1; rows have"});
  expect_refused({{make_npy("<f8", "(3, 1, 2)", numbers)}, "z.npy: an array with the number of dimensions 3"});
  expect_refused({{make_npy("<f8", "(0, 2)", "")}, "z.npy: an array of 0 rows and 2 columns"});
  expect_refused({{make_npy("<f8", "(3, 0)", "")}, "z.npy: an array of 3 rows and 0 columns"});
  expect_refused({{make_npy("<f8", "(3, 3)", numbers)}, "z.npy: ends after 48 of the 72 bytes it claims"});
  expect_refused({{make_npy("<f8", "(2, 2)", numbers)}, "z.npy: goes on after the 32 bytes it claims"});
  expect_refused({{with(3, std::nan(""))}, "z.npy: row 1, column 1: a number that is not finite"});
  expect_refused({{with(4, std::numeric_limits<double>::infinity())}, "z.npy: row 2, column 0: a number"});
  expect_refused(
      {{make_npy("<i8", "(3, 2)", bytes_of(std::vector<std::int64_t>{1, 2, (std::int64_t{1} << 53) + 2, 4, 5, 6}))},
       "z.npy: row 1, column 0: a whole number beyond 2^53"});
}

TEST(ReadRows, ListsThatDoNotFitTheRowsAreRefused) {
  const std::string rows = good_rows();
  expect_refused({{rows, "a\nb\n"}, "y.txt: 2 labels for the 3 rows of z.npy"});
  expect_refused(
      {{rows, "label\na\nb\na\n"}, "y.txt: 4 labels for the 3 rows of z.npy; a heading line is not expected"});
  expect_refused({{rows, "a\nb\na\nb\na\nb\n"}, "y.txt, line 5: more labels than the 3 rows of z.npy"});
  expect_refused({{rows, "a\n\nb\na\n"}, "y.txt, line 2"});
  expect_refused({{rows, "a,1\nb,2\na,3\n"}, "y.txt, line 1: 'a,1': one of the labels per line"});
  expect_refused({{rows, "\"a\nb\na\n"}, "y.txt, line 1"});
  expect_refused({{rows, "a\n\"\"\na\n"}, "y.txt, line 2"});
  expect_refused({{rows, "a\n\xff\na\n"}, "y.txt, line 2: this is no UTF-8 text"});
  expect_refused({{rows, "a\n\xc0\xaf\na\n"}, "y.txt, line 2: this is no UTF-8 text"});
  expect_refused({{rows, "a\n\xed\xa0\x80\na\n"}, "y.txt, line 2: this is no UTF-8 text"});
  expect_refused({{rows, make_npy("<f8", "(3,)", bytes_of(std::vector<double>{0, 1, 0}))},
                  "y.txt: an array of type '<f8'; labels are whole numbers"});
  expect_refused({{rows, make_npy("|O", "(3,)", "x")}, "y.txt: an array of Python objects"});
  expect_refused({{rows, make_npy("<i4", "(2,)", bytes_of(std::vector<std::int32_t>{0, 1}))},
                  "y.txt: 2 labels for the 3 rows of z.npy"});
  expect_refused({{rows, make_npy("<i4", "(1, 3)", bytes_of(std::vector<std::int32_t>{0, 1, 2}))},
                  "y.txt: an array of 2 dimensions; labels are a list"});
  expect_refused({{rows, "a\nb\na\n", "x\nx\ny\n"}, "the row id 'x' occurs twice"});
  expect_refused({{rows, "a\nb\na\n", "x\ny\n"}, "ids.txt: 2 row ids for the 3 rows of z.npy"});
  expect_refused({{rows, "a\nb\na\n", "", "x\ny\n"}, "who.txt: 2 subjects for the 3 rows of z.npy"});
}

// The sizes that a header claims meet the limits before memory is asked for.
TEST(ReadRows, LimitsComeBeforeMemory) {
  const ReadOptions few{.limits = {.max_bytes = 1 << 20, .max_graphs = 2}};
  expect_refused({{good_rows()}, "z.npy: 3 rows, more than the 2 that the limits allow"}, few,
                 ErrorCode::kLimitExceeded);
  const ReadOptions small{.limits = {.max_bytes = 1000}};
  // One byte per number in the file, eight in memory.
  expect_refused({{make_npy("|u1", "(1, 200)", std::string(200, 'x')), "a\n"}, "200 columns in each of 1 rows"}, small,
                 ErrorCode::kLimitExceeded);
  expect_refused({{make_npy("<f8", "(4611686018427387904, 4)", "")}, "4611686018427387904 rows"}, {},
                 ErrorCode::kLimitExceeded);
  expect_refused({{make_npy("<f8", "(4, 4611686018427387904)", "")}, "columns in each of 4 rows"}, {},
                 ErrorCode::kLimitExceeded);
}

TEST(ReadRows, FilesAreReadAndStreamed) {
  const testing::TemporaryFolder folder;
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(folder.path() / name, std::ios::binary) << text;
    return folder.path() / name;
  };
  const RowFiles files{write("z.npy", good_rows()), write("y.txt", "a\nb\na\n"), write("ids.txt", "r\ns\nt\n")};
  EXPECT_EQ(values_of(unscatter::read_rows(files).value()), kValues);
  EXPECT_EQ(unscatter::read_rows({files.rows}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(unscatter::read_rows({folder.path() / "none.npy", files.labels}).error().code, ErrorCode::kNotFound);

  GraphStream labelled = GraphStream::open_rows(files).value();
  const std::optional<StreamedGraph> first = labelled.next().value();
  EXPECT_EQ(first->label, "a");
  EXPECT_EQ(first->id, "r");
  GraphStream bare = GraphStream::open_rows({files.rows}).value();
  std::size_t count = 0;
  for (;;) {
    const std::optional<StreamedGraph> next = bare.next().value();
    if (!next) break;
    EXPECT_FALSE(next->label.has_value());
    EXPECT_FALSE(next->id.has_value());
    EXPECT_EQ(next->graph.attributes(0)[0], kValues[2 * count]);
    ++count;
  }
  EXPECT_EQ(count, 3u);
  // Alone it is no data set, and the message says what is missing.
  EXPECT_NE(read_dataset(files.rows).error().message.find("--rows FILE and --labels FILE"), std::string::npos);
}

}  // namespace
}  // namespace unscatter::readers
