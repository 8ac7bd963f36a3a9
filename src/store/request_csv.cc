#include "store/request_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "store/request_fields.h"
#include "store/request_json.h"

namespace unscatter {
namespace {

constexpr std::size_t kLongestRecord = std::size_t{1} << 20;
constexpr std::size_t kMostColumns = 1000;

struct Record {
  std::size_t line = 0;  // where it begins
  std::vector<std::string> cells;
  std::string wrong;  // why it cannot be read; empty: it can

  [[nodiscard]] bool blank() const {
    return std::all_of(cells.begin(), cells.end(), [](const std::string& cell) { return cell.empty(); });
  }
};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Records as RFC 4180 has them, with LF or CR LF.  A cell in quotes may hold separators, line ends and doubled quotes.
// Spaces around a cell that has no quotes do not count.
class RecordReader {
 public:
  RecordReader(std::string_view text, char separator) : text_(text), separator_(separator) {}

  [[nodiscard]] bool done() const { return at_ >= text_.size(); }

  [[nodiscard]] Record next() {
    Record record;
    record.line = line_;
    const std::size_t begin = at_;
    for (;;) {
      const bool more = cell(record);
      if (record.wrong.empty() && at_ - begin > kLongestRecord)
        record.wrong = fmt::format("more than {} bytes in one line", kLongestRecord);
      if (record.wrong.empty() && record.cells.size() > kMostColumns)
        record.wrong = fmt::format("more than {} cells", kMostColumns);
      if (!record.wrong.empty()) {
        skip_line();
        return record;
      }
      if (!more) return record;
    }
  }

 private:
  // Reads one cell and what ends it.  True if it was a separator, so that another cell follows.
  bool cell(Record& record) {
    while (at_ < text_.size() && (text_[at_] == ' ' || (text_[at_] == '\t' && separator_ != '\t'))) ++at_;
    return at_ < text_.size() && text_[at_] == '"' ? quoted_cell(record) : plain_cell(record);
  }

  bool plain_cell(Record& record) {
    const std::size_t end = std::min(text_.find_first_of(std::string{separator_, '\n'}, at_), text_.size());
    std::string_view cell = text_.substr(at_, end - at_);
    at_ = end;
    if (cell.ends_with('\r')) cell.remove_suffix(1);
    cell = trimmed(cell);
    if (cell.find('"') != std::string_view::npos) {
      record.wrong = fmt::format("a quote within {}; put the whole cell in quotes and double the quotes within",
                                 quoted_excerpt(cell));
    }
    record.cells.emplace_back(cell);
    return end_of_cell();
  }

  bool quoted_cell(Record& record) {
    std::string cell;
    const std::size_t first_line = line_;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') break;
        ++at_;
      }
      if (text_[at_] == '\n') ++line_;
      cell += text_[at_];
    }
    if (at_ >= text_.size()) {
      record.wrong = fmt::format("a quote is opened in line {} and never closed", first_line);
      return false;
    }
    ++at_;
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\r')) ++at_;
    if (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n') {
      record.wrong = fmt::format("text after the closing quote of {}", quoted_excerpt(cell));
    }
    record.cells.push_back(std::move(cell));
    return end_of_cell();
  }

  bool end_of_cell() {
    if (at_ >= text_.size()) return false;
    if (text_[at_] == separator_) {
      ++at_;
      return true;
    }
    if (text_[at_] == '\n') {
      ++at_;
      ++line_;
    }
    return false;
  }

  // After a record that cannot be read: the next line may be a record again.
  void skip_line() {
    if (at_ > 0 && at_ <= text_.size() && text_[at_ - 1] == '\n') return;
    at_ = std::min(text_.find('\n', at_), text_.size());
    if (at_ < text_.size()) {
      ++at_;
      ++line_;
    }
  }

  std::string_view text_;
  char separator_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

// The header says it: some spreadsheets write semicolons or tabs.
char separator_of(std::string_view header) {
  for (const char separator : {',', ';', '\t'}) {
    if (header.find(separator) != std::string_view::npos) return separator;
  }
  return ',';
}

std::string lower_case(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// The field of this column.  -1: a column of the user's own.
int field_of_column(std::string_view title) {
  std::string name = lower_case(title);
  // A table has no objects within objects, so people name the ends of an edge and a person like this.
  if (name == "subject") name = "id";
  if (name == "edge_from") name = "from";
  if (name == "edge_to") name = "to";
  const auto* const found = std::find(kRequestFields.begin(), kRequestFields.end(), name);
  return found == kRequestFields.end() ? -1 : static_cast<int>(found - kRequestFields.begin());
}

constexpr std::size_t place(RequestField field) { return static_cast<std::size_t>(field); }

class CsvList {
 public:
  explicit CsvList(const ListReading& how) : how_(how) {}

  Status read_header(const Record& header) {
    const auto wrong = [](std::string message) { return Error{ErrorCode::kMalformedInput, std::move(message)}; };
    if (!header.wrong.empty()) return wrong(header.wrong);
    for (const std::string& title : header.cells) {
      const int field = field_of_column(title);
      if (title.empty()) return wrong("a column of the header has no name");
      for (std::size_t i = 0; i < titles_.size(); ++i) {
        if (titles_[i] == title || (field >= 0 && fields_[i] == field)) {
          return wrong(fmt::format("the header names {} twice", quoted_excerpt(title)));
        }
      }
      if (field < 0) {
        const std::string_view meant = slip_of_field(title);
        if (!meant.empty()) return wrong("the header has an " + slip_words(title, meant));
        if (part_.empty() && names_a_part(title)) part_ = title;
      }
      titles_.push_back(title);
      fields_.push_back(field);
    }
    if (!has(RequestField::kGraph) && !has(RequestField::kId)) {
      return wrong(
          "the header names nothing to forget; a list has a column graph or id, for instance forget,graph,node,id");
    }
    return ok_status();
  }

  Result<ListedRequest> read(const Record& record) const {
    const auto wrong = [](std::string message) { return Error{ErrorCode::kMalformedInput, std::move(message)}; };
    if (!record.wrong.empty()) return wrong(record.wrong);
    if (record.cells.size() != titles_.size()) {
      return wrong(fmt::format("{} cells, but the header has {}", record.cells.size(), titles_.size()));
    }
    RequestValues values;
    std::string kept;
    for (std::size_t i = 0; i < titles_.size(); ++i) {
      const std::string& cell = record.cells[i];
      if (cell.find('\0') != std::string::npos) return wrong(fmt::format("{}: a zero byte", titles_[i]));
      if (fields_[i] < 0) {
        const bool asked = std::find(how_.keep.begin(), how_.keep.end(), titles_[i]) != how_.keep.end();
        if (asked && !cell.empty())
          kept += fmt::format("{}{}:{}", kept.empty() ? "" : ",", id_json(titles_[i]), id_json(cell));
        continue;
      }
      if (cell.empty()) continue;
      UNSCATTER_TRY(value, value_of(static_cast<RequestField>(fields_[i]), cell));
      values[static_cast<std::size_t>(fields_[i])] = std::move(value);
    }
    if (!values[place(RequestField::kForget)]) {
      UNSCATTER_TRY(kind, kind_of(values));
      values[place(RequestField::kForget)] = std::string(kind);
    }
    UNSCATTER_TRY(request, make_request(std::move(values)));
    if (!part_.empty() && std::holds_alternative<ForgetGraph>(request)) return wrong(part_words(part_));
    return ListedRequest{std::move(request), kept.empty() ? std::string() : fmt::format("{{{}}}", kept)};
  }

 private:
  [[nodiscard]] bool has(RequestField field) const {
    return std::find(fields_.begin(), fields_.end(), static_cast<int>(field)) != fields_.end();
  }

  static Result<RequestValue> value_of(RequestField field, const std::string& cell) {
    if (field == RequestField::kForget) return RequestValue(lower_case(cell));
    if (field == RequestField::kId) return RequestValue(cell);
    Result<NodeKey> key = parse_key(cell);
    if (key.ok()) return RequestValue(*std::move(key));
    return Error{ErrorCode::kMalformedInput,
                 fmt::format("{}: {}", kRequestFields[static_cast<std::size_t>(field)], key.error().message)};
  }

  // What a line asks for that does not say it.
  [[nodiscard]] Result<std::string_view> kind_of(const RequestValues& values) const {
    if (values[place(RequestField::kId)]) return std::string_view("subject");
    if (values[place(RequestField::kFrom)] || values[place(RequestField::kTo)]) return std::string_view("edge");
    if (values[place(RequestField::kNode)]) return std::string_view("node");
    // A cell that somebody left empty must not turn a node into its whole graph.
    const bool only_graphs = !has(RequestField::kNode) && !has(RequestField::kFrom) && !has(RequestField::kTo);
    if (values[place(RequestField::kGraph)] && only_graphs) return std::string_view("graph");
    return Error{ErrorCode::kMalformedInput,
                 "it does not say what to forget; for a whole graph write graph into a column forget"};
  }

  const ListReading& how_;
  std::vector<std::string> titles_;
  std::vector<int> fields_;  // of each column
  std::string part_;         // the first column that might name a part of a graph
};

}  // namespace

bool is_csv_header(std::string_view line) {
  RecordReader reader(line, separator_of(line));
  const Record header = reader.next();
  return std::any_of(header.cells.begin(), header.cells.end(),
                     [](const std::string& title) { return field_of_column(title) >= 0; });
}

Status scan_csv(std::string_view text, const ListReading& how, std::size_t most_wrong, RequestFile& file) {
  RecordReader reader(text, separator_of(text.substr(0, text.find('\n'))));
  CsvList list(how);
  bool has_header = false;
  while (!reader.done() && file.wrong.size() <= most_wrong) {
    const Record record = reader.next();
    if (record.wrong.empty() && record.blank()) continue;
    if (!has_header) {
      UNSCATTER_CHECK_OK(list.read_header(record));
      has_header = true;
      continue;
    }
    Result<ListedRequest> listed = list.read(record);
    if (!listed.ok()) {
      file.wrong.push_back({record.line, std::move(listed).error()});
      continue;
    }
    file.requests.push_back(std::move(listed->request));
    file.lines.push_back(record.line);
    if (!how.keep.empty()) file.kept.push_back(std::move(listed->kept));
  }
  return ok_status();
}

}  // namespace unscatter
