#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "graph/readers/byte_source.h"
#include "graph/readers/entry_points.h"
#include "graph/readers/graph_builder.h"
#include "graph/readers/jsonl_line.h"
#include "graph/readers/rows_reader.h"
#include "graph/readers/text_scanner.h"
#include "unscatter/graph/read.h"

namespace unscatter {

// Where the graphs come from.
class GraphStream::Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;
  virtual Result<std::optional<StreamedGraph>> next() = 0;
  [[nodiscard]] virtual std::optional<double> share_read() const = 0;
  [[nodiscard]] virtual std::optional<Lines> lines() const { return std::nullopt; }
};

namespace {

// Lines, each read when it is asked for.
template <typename Base>
class LineStream final : public Base {
 public:
  // `file` may be empty: it is none.
  LineStream(const ReadOptions& options, std::filesystem::path file)
      : options_(options), file_(std::move(file)), budget_(options.limits.max_bytes) {}

  Status open(const readers::Input& input) {
    UNSCATTER_TRY(source, readers::open_plain(input, budget_));
    bytes_ = source->claimed_size();
    if (options_.progress != nullptr) options_.progress->begin("reading " + input.stem(), bytes_);
    scanner_ = std::make_unique<readers::TextScanner>(std::move(source), options_.progress);
    return ok_status();
  }

  Result<std::optional<StreamedGraph>> next() override {
    return readers::without_exceptions(scanner_->name(), [this] { return read_next(); });
  }

  [[nodiscard]] std::optional<double> share_read() const override {
    if (bytes_ == 0) return std::nullopt;
    return std::min(1.0, static_cast<double>(scanner_->bytes_passed()) / static_cast<double>(bytes_));
  }

  // Others know the usual limits only.
  [[nodiscard]] std::optional<GraphStream::Lines> lines() const override {
    if (file_.empty() || options_.limits != ReadLimits()) return std::nullopt;
    return GraphStream::Lines{file_, options_.symmetrise};
  }

 private:
  Result<std::optional<StreamedGraph>> read_next() {
    // A stream may be longer than any limit.  One line may not: it has to fit memory.
    budget_.renew();
    std::string_view line;
    if (!scanner_->next_line(line)) {
      UNSCATTER_CHECK_OK(scanner_->status());
      if (number_ == 0) return scanner_->file_error("there is no graph in it; write one JSON object per line");
      if (options_.progress != nullptr) options_.progress->end();
      return std::optional<StreamedGraph>();
    }
    Result<readers::JsonlGraph> parsed = readers::parse_jsonl_line(line);
    if (!parsed.ok()) return scanner_->error(parsed.error().message, parsed.error().code);
    if (parsed->parts.node_count > options_.limits.max_nodes) return over_limit("nodes", options_.limits.max_nodes);
    if (parsed->parts.edges.size() > options_.limits.max_edges) return over_limit("edges", options_.limits.max_edges);
    readers::Dropped dropped;
    Result<Graph> graph = readers::build_graph(std::move(parsed->parts), dropped);
    if (!graph.ok()) return scanner_->error(graph.error().message, graph.error().code);
    return std::optional<StreamedGraph>(
        StreamedGraph{.graph = options_.symmetrise ? symmetrised(*graph) : std::move(graph).value(),
                      .label = std::move(parsed->label),
                      .id = std::move(parsed->id),
                      .number = number_++,
                      .place = fmt::format("{}, line {}", scanner_->name(), scanner_->line_number()),
                      .expires = parsed->expires,
                      .node_expires = std::move(parsed->node_expires)});
  }

  [[nodiscard]] Error over_limit(const char* what, std::uint64_t limit) const {
    return scanner_->error(fmt::format("more than the {} {} that the limits allow", limit, what),
                           ErrorCode::kLimitExceeded);
  }

  ReadOptions options_;
  std::filesystem::path file_;
  readers::ByteBudget budget_;
  std::unique_ptr<readers::TextScanner> scanner_;
  std::uint64_t bytes_ = 0;  // in all; 0: unknown
  std::size_t number_ = 0;
};

// Formats that can only be read as a whole.
template <typename Base>
class WholeStream final : public Base {
 public:
  WholeStream(Dataset dataset, std::string name, bool labelled = true)
      : dataset_(std::move(dataset)), name_(std::move(name)), labelled_(labelled) {}

  Result<std::optional<StreamedGraph>> next() override {
    if (next_ == dataset_.size()) return std::optional<StreamedGraph>();
    const std::size_t i = next_++;
    return std::optional<StreamedGraph>(StreamedGraph{
        .graph = std::move(dataset_.graphs[i]),
        .label = labelled_ ? std::optional(dataset_.class_names[dataset_.labels[i]]) : std::nullopt,
        .id = dataset_.graph_ids.empty() ? std::optional<std::string>() : std::move(dataset_.graph_ids[i]),
        .number = i,
        .place = fmt::format("{}, graph {}", name_, i)});
  }

  [[nodiscard]] std::optional<double> share_read() const override {
    if (dataset_.size() == 0) return std::nullopt;
    return static_cast<double>(next_) / static_cast<double>(dataset_.size());
  }

 private:
  Dataset dataset_;
  std::string name_;
  bool labelled_;
  std::size_t next_ = 0;
};

// Can be read once only, so nobody may look at its first bytes before the reader does.
bool is_pipe(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  return !error && std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

}  // namespace

GraphStream::GraphStream(std::unique_ptr<Source> source) : source_(std::move(source)) {}
GraphStream::GraphStream(GraphStream&& other) noexcept = default;
GraphStream& GraphStream::operator=(GraphStream&& other) noexcept = default;
GraphStream::~GraphStream() = default;

Result<GraphStream> GraphStream::open(const std::filesystem::path& path, const ReadOptions& options) {
  const bool standard_input = path == "-";
  const bool can_be_read_once = standard_input || is_pipe(path);
  bool lines = can_be_read_once;
  if (!lines) {
    UNSCATTER_TRY(format, detect_format(path));
    lines = format == DataFormat::kJsonl;
  }
  if (!lines) {
    UNSCATTER_TRY(dataset, read_dataset(path, options));
    return GraphStream(std::make_unique<WholeStream<Source>>(std::move(dataset), path.string()));
  }
  auto source = std::make_unique<LineStream<Source>>(options, can_be_read_once ? std::filesystem::path() : path);
  UNSCATTER_CHECK_OK(source->open(standard_input ? readers::Input{"standard input", std::filesystem::path("/dev/stdin")}
                                                 : readers::Input::file(path)));
  return GraphStream(std::move(source));
}

Result<GraphStream> GraphStream::open_rows(const RowFiles& files, const ReadOptions& options) {
  UNSCATTER_TRY(dataset, readers::read_rows(readers::RowInputs::of(files), options));
  return GraphStream(
      std::make_unique<WholeStream<Source>>(std::move(dataset), files.rows.string(), !files.labels.empty()));
}

Result<std::optional<StreamedGraph>> GraphStream::next() { return source_->next(); }

Result<std::vector<StreamedGraph>> GraphStream::next_some() {
  constexpr std::size_t kMostGraphs = 1024;
  constexpr std::size_t kMostEntries = std::size_t{1} << 19;  // nodes and neighbours
  std::vector<StreamedGraph> graphs;
  std::size_t entries = 0;
  while (graphs.size() < kMostGraphs && entries < kMostEntries) {
    UNSCATTER_TRY(graph, next());
    if (!graph) break;
    const std::size_t per_node = 1 + graph->graph.attribute_count();
    entries += graph->graph.node_count() * per_node + graph->graph.entry_count();
    graphs.push_back(*std::move(graph));
  }
  return graphs;
}

std::optional<double> GraphStream::share_read() const { return source_->share_read(); }
std::optional<GraphStream::Lines> GraphStream::lines() const { return source_->lines(); }

}  // namespace unscatter
