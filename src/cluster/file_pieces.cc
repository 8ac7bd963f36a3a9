#include "cluster/file_pieces.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/wipe.h"
#include "cluster/bytes.h"
#include "cluster/embed_messages.h"
#include "graph/readers/byte_source.h"
#include "graph/readers/graph_builder.h"
#include "graph/readers/jsonl_line.h"
#include "graph/readers/text_scanner.h"
#include "unscatter/graph/read.h"

namespace unscatter::cluster {
namespace {

class OpenFile {
 public:
  explicit OpenFile(const std::filesystem::path& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  [[nodiscard]] bool has_size(std::uint64_t bytes) const {
    struct stat about {};
    return descriptor_ >= 0 && fstat(descriptor_, &about) == 0 && S_ISREG(about.st_mode) &&
           static_cast<std::uint64_t>(about.st_size) == bytes;
  }
  // Appends [begin, end) to `text`.  False: the file does not give it.
  [[nodiscard]] bool read(std::uint64_t begin, std::uint64_t end, std::string& text) const {
    while (begin < end) {
      const std::size_t room = std::min<std::uint64_t>(end - begin, 1U << 20);
      const std::size_t before = text.size();
      text.resize(before + room);
      const ssize_t came = pread(descriptor_, text.data() + before, room, static_cast<off_t>(begin));
      if (came <= 0) return false;
      text.resize(before + static_cast<std::size_t>(came));
      begin += static_cast<std::uint64_t>(came);
    }
    return true;
  }

 private:
  int descriptor_;
};

// The lines that begin in the piece, whole.
std::optional<std::string> lines_of(const OpenFile& file, const FileCut& cut, std::uint64_t piece) {
  const std::uint64_t begin = piece * cut.piece_bytes;
  const std::uint64_t end = std::min(begin + cut.piece_bytes, cut.file_bytes);
  std::string text;
  // With the byte before: a line begins here if that is a line end.
  if (!file.read(begin == 0 ? 0 : begin - 1, end, text)) return std::nullopt;
  if (begin > 0) {
    const std::size_t line_end = text.find('\n');
    if (line_end == std::string::npos) return std::string();  // all of it belongs to a line of an earlier piece
    text.erase(0, line_end + 1);
    if (text.empty() && end == cut.file_bytes) return text;
  }
  // The last line may go on.
  std::uint64_t there = end;
  while (!text.empty() && text.back() != '\n' && there < cut.file_bytes) {
    const std::size_t before = text.size();
    const std::uint64_t next = std::min(there + (1U << 16), cut.file_bytes);
    if (!file.read(there, next, text)) return std::nullopt;
    there = next;
    if (const std::size_t line_end = text.find('\n', before); line_end != std::string::npos) text.resize(line_end + 1);
  }
  return text;
}

// As GraphStream reads lines, with its limits.
std::optional<std::vector<StreamedGraph>> read_graphs(std::string_view text, bool symmetrise, bool last_piece) {
  const ReadLimits limits;
  std::vector<StreamedGraph> read;
  readers::ByteBudget budget(limits.max_bytes);
  auto source = readers::open_plain(readers::Input::memory("piece", text), budget);
  if (!source.ok()) return std::nullopt;
  readers::TextScanner scanner(std::move(source).value());
  std::string_view line;
  while (scanner.next_line(line)) {
    Result<readers::JsonlGraph> parsed = readers::parse_jsonl_line(line);
    if (!parsed.ok() || parsed->parts.node_count > limits.max_nodes || parsed->parts.edges.size() > limits.max_edges) {
      return std::nullopt;
    }
    readers::Dropped dropped;
    Result<Graph> graph = readers::build_graph(std::move(parsed->parts), dropped);
    if (!graph.ok()) return std::nullopt;
    read.push_back({.graph = symmetrise ? symmetrised(*graph) : std::move(graph).value(),
                    .label = std::move(parsed->label),
                    .id = std::move(parsed->id),
                    .number = read.size(),
                    .place = {},
                    .expires = parsed->expires,
                    .node_expires = std::move(parsed->node_expires)});
  }
  if (!scanner.status().ok()) return std::nullopt;
  // Empty lines are good at the end of a file only, and a piece does not see whether something follows.
  auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  if (!text.empty() && text.back() != '\n') ++lines;
  if (!last_piece && lines != read.size()) return std::nullopt;
  return read;
}

}  // namespace

std::optional<FileMark> mark_of(const std::filesystem::path& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return std::nullopt;
  constexpr std::int64_t kSecond = 1'000'000'000;
  return FileMark{static_cast<std::uint64_t>(about.st_size), about.st_mtim.tv_sec * kSecond + about.st_mtim.tv_nsec};
}

std::vector<std::byte> pack_file(const std::filesystem::path& path, const FileMark& mark) {
  ByteWriter writer;
  writer.text(std::filesystem::absolute(path).string());
  writer.number(mark.bytes);
  writer.number(static_cast<std::uint64_t>(mark.written));
  return std::move(writer.bytes());
}

void unpack_mark(std::span<const std::byte> bytes, std::filesystem::path& path, FileMark& mark) {
  ByteReader reader(bytes);
  path = reader.text();
  mark.bytes = reader.number();
  mark.written = static_cast<std::int64_t>(reader.number());
}

bool unpack_file(std::span<const std::byte> bytes, std::filesystem::path& path) {
  FileMark mark;
  unpack_mark(bytes, path, mark);
  return mark_of(path) == mark;
}

FileCut cut_file(std::uint64_t file_bytes, std::size_t ranks) {
  constexpr std::uint64_t kShortest = std::uint64_t{1} << 16;
  constexpr std::uint64_t kLongest = std::uint64_t{1} << 22;
  return {file_bytes, std::clamp(file_bytes / (4 * ranks) + 1, kShortest, kLongest)};
}

std::optional<std::vector<StreamedGraph>> read_piece(const std::filesystem::path& path, const FileCut& cut,
                                                     std::uint64_t piece, bool symmetrise) {
  const OpenFile file(path);
  if (!file.has_size(cut.file_bytes)) return std::nullopt;
  std::optional<std::string> text = lines_of(file, cut, piece);
  if (!text) return std::nullopt;
  // A byte order mark is one at the start of a file only.
  const bool strange_mark = piece > 0 && !text->empty() && static_cast<unsigned char>(text->front()) >= 0x80;
  std::optional<std::vector<StreamedGraph>> read;
  if (!strange_mark) {
    try {
      read = read_graphs(*text, symmetrise, piece + 1 == cut.pieces());
    } catch (const std::bad_alloc&) {  // whoever reads it as one process says so
    }
  }
  wipe(*text);
  return read;
}

std::optional<EmbeddedPiece> embed_piece(const std::filesystem::path& path, const FileCut& cut, std::uint64_t piece,
                                         const Embedder& embedder, const FileWork& work, std::size_t threads) {
  std::optional<std::vector<StreamedGraph>> read = read_piece(path, cut, piece, work.symmetrise);
  if (!read) return std::nullopt;
  std::vector<const Graph*> pointers;
  for (const StreamedGraph& graph : *read) pointers.push_back(&graph.graph);
  Result<SparseBlockRows> rows = embedder.embed(pointers, {.threads = threads});
  EmbeddedPiece made;
  if (work.fitted_by != nullptr) {
    FitSample sample(work.fitted_by->features, {work.fitted_by->fit, nullptr}, work.fitted_by->symmetrise);
    for (const StreamedGraph& graph : *read) sample.show(graph.graph);
    made.sample = sample.take();
  }
  for (StreamedGraph& graph : *read) {
    graph.graph.wipe();
    made.subjects.push_back({std::move(graph.id), std::move(graph.label)});
  }
  if (!rows.ok()) return std::nullopt;
  if (work.scored_by == nullptr) {
    made.rows = std::move(rows).value();
    return made;
  }
  const std::size_t classes = work.scored_by->classes();
  made.scores.resize(made.subjects.size() * classes);
  for (std::size_t i = 0; i < made.subjects.size(); ++i) {
    work.scored_by->of(rows->row(i), std::span(made.scores).subspan(i * classes, classes));
  }
  return made;
}

std::vector<std::byte> pack_piece(const std::optional<EmbeddedPiece>& piece) {
  ByteWriter writer;
  writer.number(piece ? piece->subjects.size() + 1 : 0);
  if (!piece) return std::move(writer.bytes());
  const auto optional_text = [&writer](const std::optional<std::string>& text) {
    writer.number(text ? 1 : 0);
    if (text) writer.text(*text);
  };
  for (std::size_t i = 0; i < piece->subjects.size(); ++i) {
    optional_text(piece->subjects[i].id);
    optional_text(piece->subjects[i].label);
    if (piece->scores.empty()) write_row(writer, piece->rows.row(i));
  }
  if (!piece->scores.empty()) writer.numbers(std::span<const double>(piece->scores));
  if (!piece->sample.empty()) {
    std::vector<const Graph*> sample;
    for (const Graph& graph : piece->sample) sample.push_back(&graph);
    std::vector<std::byte> graphs = pack_graphs(sample);
    writer.numbers(std::span<const std::byte>(graphs));
    wipe(graphs);
  }
  return std::move(writer.bytes());
}

std::optional<EmbeddedPiece> unpack_piece(std::span<const std::byte> bytes, std::size_t columns, std::size_t classes) {
  ByteReader reader(bytes);
  const std::uint64_t count = reader.number();
  if (count == 0) return std::nullopt;
  EmbeddedPiece piece;
  piece.rows = SparseBlockRows(classes == 0 ? count - 1 : 0, columns);
  const auto optional_text = [&reader]() -> std::optional<std::string> {
    if (reader.number() == 0) return std::nullopt;
    return reader.text();
  };
  for (std::size_t i = 0; i + 1 < count; ++i) {
    EmbeddedPiece::Subject subject;
    subject.id = optional_text();
    subject.label = optional_text();
    piece.subjects.push_back(std::move(subject));
    if (classes == 0) piece.rows.set_row(i, read_row(reader));
  }
  if (classes > 0 && count > 1) {
    piece.scores = reader.numbers<double>();
    invariant(piece.scores.size() == piece.subjects.size() * classes, "a score per graph and class");
  }
  if (reader.at_end()) return piece;
  Result<std::vector<std::optional<Graph>>> sample = unpack_graphs(reader.part());
  if (!sample.ok()) return std::nullopt;
  for (std::optional<Graph>& graph : *sample) piece.sample.push_back(*std::move(graph));
  return piece;
}

std::vector<std::byte> pack_rule(const FitRule& rule) {
  ByteWriter writer;
  writer.text(rule.features);
  writer.number(static_cast<std::uint64_t>(rule.fit));
  writer.number(rule.symmetrise ? 1 : 0);
  return std::move(writer.bytes());
}

FitRule unpack_rule(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  FitRule rule;
  rule.features = reader.text();
  rule.fit = static_cast<ConstantKind>(reader.number());
  rule.symmetrise = reader.number() == 1;
  return rule;
}

std::vector<std::byte> pack_scores(const FixedScores& scores) {
  ByteWriter writer;
  writer.numbers(std::span<const double>(scores.weights()));
  writer.numbers(std::span<const double>(scores.bias()));
  return std::move(writer.bytes());
}

FixedScores unpack_scores(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  std::vector<double> weights = reader.numbers<double>();
  return {std::move(weights), reader.numbers<double>()};
}

}  // namespace unscatter::cluster
