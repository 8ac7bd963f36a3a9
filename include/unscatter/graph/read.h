// From files to a Dataset.  Every reader treats its input as hostile.  It gives one clear error that names file, line
// and value.  Its memory is bounded by ReadOptions, whatever a header claims.  It never returns a partial result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "unscatter/base/progress.h"
#include "unscatter/base/result.h"
#include "unscatter/graph/dataset.h"

namespace unscatter {

// Limits on what one data set may hold.  The defaults are several times what the largest data set in common use needs.
struct ReadLimits {
  std::uint64_t max_bytes = std::uint64_t{4} << 30;  // of text or arrays, after decompression
  std::uint64_t max_nodes = std::uint64_t{1} << 28;
  std::uint64_t max_edges = std::uint64_t{1} << 29;  // rows of an edge list, before duplicates are dropped
  std::uint64_t max_graphs = std::uint64_t{1} << 26;
  friend bool operator==(const ReadLimits&, const ReadLimits&) = default;
};

struct ReadOptions {
  ReadLimits limits{};
  bool symmetrise = false;  // turn directed graphs into undirected ones while reading
  std::size_t threads = 0;  // 0: all
  Progress* progress = nullptr;
};

enum class DataFormat { kTuFolder, kTuZip, kGinText, kGinZip, kSuperpixelNpz, kJsonl };
[[nodiscard]] std::string_view data_format_name(DataFormat format) noexcept;

// Looks at names and first bytes.  Errors: kNotFound, kMalformedInput when nothing fits.
[[nodiscard]] Result<DataFormat> detect_format(const std::filesystem::path& path);

// Reads whatever `path` is.
[[nodiscard]] Result<Dataset> read_dataset(const std::filesystem::path& path, const ReadOptions& options = {});

// The path of what a user names as a data set: a path that exists, or the name of one that is on this machine
// (NAME/NAME.zip or NAME/*.npz in $UNSCATTER_DATA, then in the cache of `unscatter datasets fetch`).  Errors:
// kNotFound.
[[nodiscard]] Result<std::filesystem::path> find_dataset(const std::string& path_or_name);

// The TU format: NAME_A.txt, NAME_graph_indicator.txt, NAME_graph_labels.txt, and where present NAME_node_labels.txt
// and NAME_node_attributes.txt.  The files lie in a folder or in a zip (stored, deflate or LZMA members, with or
// without a folder inside).
[[nodiscard]] Result<Dataset> read_tu(const std::filesystem::path& path, const ReadOptions& options = {});

// The GIN text form: the number of graphs; per graph "n l", then n lines "tag m v1 ... vm".  It is plain text or the
// only member of a zip.  Tags become node labels unless all are equal.
[[nodiscard]] Result<Dataset> read_gin(const std::filesystem::path& path, const ReadOptions& options = {});

// Superpixel graphs in one .npz (docs/data-formats.md): intensities as attributes, positions, directed edges node ->
// neighbour.
[[nodiscard]] Result<Dataset> read_superpixels(const std::filesystem::path& path, const ReadOptions& options = {});

// The project's own form, one JSON object per line (docs/data-formats.md).
[[nodiscard]] Result<Dataset> read_jsonl(const std::filesystem::path& path, const ReadOptions& options = {});

// Rows that are no graphs, in files (docs/rows.md).  The rows are one NumPy array (.npy) of two dimensions: float64,
// float32, float16, integers or booleans, little-endian, C or Fortran order.  Each other file has one entry per row: a
// NumPy array of integers or booleans, or text (UTF-8) with one entry per line.  An entry in quotes is read as CSV
// spells it.
struct RowFiles {
  std::filesystem::path rows;
  std::filesystem::path labels = {};    // the class of each row
  std::filesystem::path row_ids = {};   // may be empty: rows have numbers only
  std::filesystem::path subjects = {};  // may be empty: nobody is named
};
// The data set that dataset_from_rows() makes of them.  Errors: kNotFound, kIo, kLimitExceeded; kMalformedInput for
// shapes and types that do not fit, numbers that are not finite or that a double cannot hold, counts that differ, and
// what dataset_from_rows() refuses.  Arrays of Python objects are never unpacked.
[[nodiscard]] Result<Dataset> read_rows(const RowFiles& files, const ReadOptions& options = {});

// A graph that came out of a GraphStream.
struct StreamedGraph {
  Graph graph;
  std::optional<std::string> label;  // as the file spells it; empty: the file does not say
  std::optional<std::string> id;     // the external id, where there is one
  std::size_t number = 0;            // 0, 1, 2, ... in the order of the file
  std::string place;                 // for messages: "new.jsonl, line 3"
  // Due dates, as in Dataset: of the graph, and of its nodes, as subjects (empty, or one per node).
  std::optional<std::int64_t> expires = {};
  std::vector<std::optional<std::int64_t>> node_expires = {};
};

// One graph after the other, with or without a label: for programs that look at each graph once, such as predictions.
// JSONL needs the memory of one graph, however long the file is.  Other formats are read as a whole first.  Graph ids
// are not compared with one another, since that would need all of them.
class GraphStream {
 public:
  // `path` is a data set in any format, a pipe that gives JSONL, or "-": JSONL on standard input.  In JSONL,
  // ReadLimits holds for each line, not for the whole.  Errors: those of read_dataset().
  [[nodiscard]] static Result<GraphStream> open(const std::filesystem::path& path, const ReadOptions& options = {});
  // Rows, as graphs of one node.  `labels` may be empty: the files do not say.  Errors: those of read_rows().
  [[nodiscard]] static Result<GraphStream> open_rows(const RowFiles& files, const ReadOptions& options = {});
  GraphStream(GraphStream&& other) noexcept;
  GraphStream& operator=(GraphStream&& other) noexcept;
  ~GraphStream();

  // The next graph; nothing at the end.  After an error there is no next graph.
  [[nodiscard]] Result<std::optional<StreamedGraph>> next();
  // The next ones: enough to keep threads busy, and no more than about a hundred megabytes.  Empty at the end.
  [[nodiscard]] Result<std::vector<StreamedGraph>> next_some();
  // About how much of the data the graphs so far are, from 0 to 1.  Nothing: nobody knows, as with a pipe.
  [[nodiscard]] std::optional<double> share_read() const;
  // Lines of an ordinary file, which others can read by themselves as this stream does.  Nothing: it is something else.
  struct Lines {
    std::filesystem::path file;
    bool symmetrise = false;
  };
  [[nodiscard]] std::optional<Lines> lines() const;

 private:
  class Source;
  explicit GraphStream(std::unique_ptr<Source> source);
  std::unique_ptr<Source> source_;
};

struct WriteOptions {
  bool owner_only = false;  // nobody else may read the file; default: as the umask says
};
// Writes `dataset` so that read_jsonl gives it back, content digest included.  Replaces `path` only when everything is
// written.
[[nodiscard]] Status write_jsonl(const Dataset& dataset, const std::filesystem::path& path,
                                 const WriteOptions& options = {});

}  // namespace unscatter
