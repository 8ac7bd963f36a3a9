// What a hostile file could do: claim a shape that nobody can hold, hide a pickle behind the type of Python objects,
// give numbers that are none, or entries of another count than the rows.  Shape and type are checked against the limits
// before an array is read.
#include "graph/readers/rows_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/readers/entry_points.h"
#include "graph/readers/npy.h"
#include "graph/readers/text_scanner.h"

namespace unscatter::readers {
namespace {

Error bad_rows(std::string message) { return {ErrorCode::kMalformedInput, std::move(message)}; }

// One item of an array, from its bytes, which need not be aligned.
template <typename Number>
Number item_at(const char* bytes) {
  Number value{};
  std::memcpy(&value, bytes, sizeof value);
  return value;
}
template <typename Number>
double as_double(const char* bytes) {
  return static_cast<double>(item_at<Number>(bytes));
}
double half_as_double(const char* bytes) { return half_to_double(item_at<std::uint16_t>(bytes)); }
// A double holds whole numbers up to 2^53, and beyond that only some.  NaN says that this is none of them, as it is for
// every other number that cannot be used.
template <typename Number>
double long_as_double(const char* bytes) {
  const Number value = item_at<Number>(bytes);
  const auto nearest = static_cast<double>(value);
  const bool fits = std::abs(nearest) <= 0x1p53;
  return fits ? nearest : std::numeric_limits<double>::quiet_NaN();
}
template <typename Number>
std::string as_text(const char* bytes) {
  return std::to_string(item_at<Number>(bytes));
}

// The types that are read, as NumPy spells them.  Types without `text` are no entries of a list.
struct ItemType {
  std::string_view name;
  std::size_t bytes;
  double (*number)(const char*);
  std::string (*text)(const char*);
};
constexpr std::array kItemTypes = {
    ItemType{"<f8", 8, as_double<double>, nullptr},
    ItemType{"<f4", 4, as_double<float>, nullptr},
    ItemType{"<f2", 2, half_as_double, nullptr},
    ItemType{"|b1", 1, as_double<std::uint8_t>, as_text<std::uint8_t>},
    ItemType{"|i1", 1, as_double<std::int8_t>, as_text<std::int8_t>},
    ItemType{"|u1", 1, as_double<std::uint8_t>, as_text<std::uint8_t>},
    ItemType{"<i2", 2, as_double<std::int16_t>, as_text<std::int16_t>},
    ItemType{"<u2", 2, as_double<std::uint16_t>, as_text<std::uint16_t>},
    ItemType{"<i4", 4, as_double<std::int32_t>, as_text<std::int32_t>},
    ItemType{"<u4", 4, as_double<std::uint32_t>, as_text<std::uint32_t>},
    ItemType{"<i8", 8, long_as_double<std::int64_t>, as_text<std::int64_t>},
    ItemType{"<u8", 8, long_as_double<std::uint64_t>, as_text<std::uint64_t>},
};

Result<const ItemType*> item_type(const NpyHeader& header) {
  for (const ItemType& type : kItemTypes) {
    if (type.name == header.type) return &type;
  }
  if (header.type.starts_with("|O")) {
    return bad_rows("an array of Python objects; these are never unpacked, because that would run code of the file");
  }
  if (header.type.starts_with(">")) {
    return bad_rows(fmt::format("an array of type {}, big-endian; save it as little-endian, with .astype('<f8')",
                                excerpt(header.type)));
  }
  return bad_rows(fmt::format("an array of type {}; rows are float64, float32, float16, integers or booleans",
                              excerpt(header.type)));
}

Error beyond(std::uint64_t count, std::string_view what, std::uint64_t limit) {
  return {ErrorCode::kLimitExceeded, fmt::format("{} {}, more than the {} that the limits allow", count, what, limit)};
}

struct ReadMatrix {
  std::size_t columns = 0;
  std::vector<double> values;  // row after row
};

class RowsReader {
 public:
  RowsReader(const RowInputs& inputs, const ReadOptions& options)
      : inputs_(inputs), options_(options), budget_(options.limits.max_bytes) {}

  Result<Dataset> read() {
    UNSCATTER_TRY(matrix, read_matrix());
    const std::size_t rows = matrix.values.size() / matrix.columns;
    std::vector<std::string> labels(inputs_.labels ? 0 : rows);
    if (inputs_.labels) {
      UNSCATTER_TRY(read, read_entries(*inputs_.labels, "labels", rows));
      labels = std::move(read);
    }
    std::vector<std::string> row_ids;
    if (inputs_.row_ids) {
      UNSCATTER_TRY(read, read_entries(*inputs_.row_ids, "row ids", rows));
      row_ids = std::move(read);
    }
    std::vector<std::string> subjects;
    if (inputs_.subjects) {
      UNSCATTER_TRY(read, read_entries(*inputs_.subjects, "subjects", rows));
      subjects = std::move(read);
    }
    Result<Dataset> dataset =
        dataset_from_rows(inputs_.rows.stem(), {matrix.values, matrix.columns, labels, row_ids, subjects});
    if (dataset.ok()) return dataset;
    // What is left to be wrong is the content of a file.
    return bad_rows(fmt::format("{}: {}", inputs_.rows.name, dataset.error().message));
  }

 private:
  Result<ReadMatrix> read_matrix() {
    UNSCATTER_TRY(source, open_plain(inputs_.rows, budget_));
    if (options_.progress != nullptr) {
      options_.progress->begin("reading " + inputs_.rows.stem(), source->claimed_size());
    }
    const ItemType* type = nullptr;
    const auto check = [&](const NpyHeader& header) -> Result<std::size_t> {
      UNSCATTER_TRY(known, item_type(header));
      type = known;
      UNSCATTER_CHECK_OK(check_shape(header.shape));
      return type->bytes;
    };
    Result<NpyNumbers> array = read_npy_numbers(*source, check, options_.progress);
    if (options_.progress != nullptr) options_.progress->end();
    if (!array.ok()) return std::move(array).error();
    return numbers_of(*std::move(array), *type);
  }

  // Before memory is taken.  Numbers of one byte become numbers of eight.
  [[nodiscard]] Status check_shape(const std::vector<std::uint64_t>& shape) const {
    if (shape.size() != 2) {
      return bad_rows(
          fmt::format("an array with the number of dimensions {}; rows have two, (rows, columns)", shape.size()));
    }
    if (shape[0] == 0 || shape[1] == 0) {
      return bad_rows(fmt::format("an array of {} rows and {} columns", shape[0], shape[1]));
    }
    const std::uint64_t most_rows = std::min(options_.limits.max_graphs, options_.limits.max_nodes);
    if (shape[0] > most_rows) return beyond(shape[0], "rows", most_rows);
    const std::uint64_t most_columns = options_.limits.max_bytes / sizeof(double) / shape[0];
    if (shape[1] > most_columns) {
      return beyond(shape[1], fmt::format("columns in each of {} rows", shape[0]), most_columns);
    }
    return ok_status();
  }

  [[nodiscard]] Result<ReadMatrix> numbers_of(NpyNumbers array, const ItemType& type) const {
    const auto rows = static_cast<std::size_t>(array.header.shape[0]);
    ReadMatrix matrix{static_cast<std::size_t>(array.header.shape[1]), {}};
    matrix.values.resize(rows * matrix.columns);
    // Fortran order has column after column.
    const std::size_t row_step = array.header.fortran_order ? 1 : matrix.columns;
    const std::size_t column_step = array.header.fortran_order ? rows : 1;
    double* next = matrix.values.data();
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t k = 0; k < matrix.columns; ++k) {
        const std::size_t place = i * row_step + k * column_step;
        *next = type.number(array.bytes.data() + place * type.bytes);
        if (!std::isfinite(*next)) {
          return bad_rows(fmt::format("{}: row {}, column {}: {}", inputs_.rows.name, i, k,
                                      type.text != nullptr ? "a whole number beyond 2^53, which a double cannot hold"
                                                           : "a number that is not finite"));
        }
        ++next;
      }
    }
    return matrix;
  }

  // One text per row, from an array of whole numbers or from lines.
  Result<std::vector<std::string>> read_entries(const Input& input, std::string_view what, std::size_t rows) {
    UNSCATTER_TRY(is_array, starts_as_array(input));
    UNSCATTER_TRY(entries, is_array ? array_entries(input, what) : line_entries(input, what, rows));
    if (entries.size() == rows) return entries;
    return bad_rows(fmt::format("{}: {} {} for the {} rows of {}{}", input.name, entries.size(), what, rows,
                                inputs_.rows.name,
                                entries.size() == rows + 1 && !is_array ? "; a heading line is not expected" : ""));
  }

  static Result<bool> starts_as_array(const Input& input) {
    std::array<char, 6> start{};
    ByteBudget few(start.size());
    UNSCATTER_TRY(source, open_plain(input, few));
    UNSCATTER_TRY(count, source->read(start));
    return std::string_view(start.data(), count) == "\x93NUMPY";
  }

  Result<std::vector<std::string>> array_entries(const Input& input, std::string_view what) {
    UNSCATTER_TRY(source, open_plain(input, budget_));
    const ItemType* type = nullptr;
    const auto check = [&](const NpyHeader& header) -> Result<std::size_t> {
      UNSCATTER_TRY(known, item_type(header));
      if (known->text == nullptr) {
        return bad_rows(fmt::format("an array of type {}; {} are whole numbers, or text with one per line",
                                    excerpt(header.type), what));
      }
      type = known;
      const std::vector<std::uint64_t>& shape = header.shape;
      if (shape.empty() || shape.size() > 2 || (shape.size() == 2 && shape[1] != 1)) {
        return bad_rows(fmt::format("an array of {} dimensions; {} are a list", shape.size(), what));
      }
      if (shape[0] > options_.limits.max_graphs) return beyond(shape[0], what, options_.limits.max_graphs);
      return type->bytes;
    };
    UNSCATTER_TRY(array, read_npy_numbers(*source, check, nullptr));
    std::vector<std::string> entries;
    entries.reserve(array.bytes.size() / type->bytes);
    for (std::size_t at = 0; at < array.bytes.size(); at += type->bytes) {
      entries.push_back(type->text(array.bytes.data() + at));
    }
    return entries;
  }

  Result<std::vector<std::string>> line_entries(const Input& input, std::string_view what, std::size_t rows) {
    UNSCATTER_TRY(source, open_plain(input, budget_));
    TextScanner scanner(std::move(source));
    std::vector<std::string> entries;
    std::string_view line;
    while (scanner.next_line(line)) {
      if (!is_utf8(line)) return scanner.error("this is no UTF-8 text");
      std::optional<std::string> entry = entry_of(line);
      if (!entry) {
        return scanner.error(
            fmt::format("{}: one of the {} per line; with a comma or a quote in it, in quotes", excerpt(line), what));
      }
      entries.push_back(*std::move(entry));
      // One more than there are rows is enough to know, and to tell a heading.
      if (entries.size() > rows + 1) {
        return scanner.error(fmt::format("more {} than the {} rows of {}", what, rows, inputs_.rows.name));
      }
    }
    UNSCATTER_CHECK_OK(scanner.status());
    return entries;
  }

  // A line as CSV of one column.  Nothing if it is none: two columns would silently make other classes.
  static std::optional<std::string> entry_of(std::string_view line) {
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    if (!line.starts_with('"')) {
      if (line.find_first_of(",\"") != std::string_view::npos) return std::nullopt;
      return std::string(line);
    }
    std::string entry;
    for (std::size_t i = 1; i < line.size(); ++i) {
      if (line[i] != '"') {
        entry += line[i];
      } else if (i + 1 == line.size()) {
        return entry.empty() ? std::nullopt : std::optional(entry);
      } else if (line[i + 1] == '"') {
        entry += line[i++];
      } else {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  // Names stand in JSON, which is UTF-8: no bytes that continue nothing, no long forms, no halves of pairs.
  static bool is_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
      const auto lead = static_cast<unsigned char>(text[i++]);
      if (lead == 0) return false;
      if (lead < 0x80) continue;
      const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
      if (lead < 0xc2 || lead > 0xf4) return false;
      std::uint32_t point = lead & (0x3fu >> more);
      for (int k = 0; k < more; ++k, ++i) {
        if (i == text.size() || (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return false;
        point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3fu);
      }
      constexpr std::array<std::uint32_t, 4> kLeast = {0, 0x80, 0x800, 0x10000};
      if (point < kLeast[static_cast<std::size_t>(more)] || point > 0x10ffff) return false;
      if (point >= 0xd800 && point < 0xe000) return false;
    }
    return true;
  }

  const RowInputs& inputs_;
  const ReadOptions& options_;
  ByteBudget budget_;
};

std::optional<Input> input_of(const std::filesystem::path& path) {
  if (path.empty()) return std::nullopt;
  return Input::file(path);
}

}  // namespace

RowInputs RowInputs::of(const RowFiles& files) {
  return {Input::file(files.rows), input_of(files.labels), input_of(files.row_ids), input_of(files.subjects)};
}

Result<Dataset> read_rows(const RowInputs& inputs, const ReadOptions& options) {
  return without_exceptions(inputs.rows.name, [&] { return RowsReader(inputs, options).read(); });
}

}  // namespace unscatter::readers

namespace unscatter {

Result<Dataset> read_rows(const RowFiles& files, const ReadOptions& options) {
  if (files.labels.empty()) {
    return Error{ErrorCode::kInvalidArgument, files.rows.string() + ": rows to learn from need labels"};
  }
  return readers::read_rows(readers::RowInputs::of(files), options);
}

}  // namespace unscatter
