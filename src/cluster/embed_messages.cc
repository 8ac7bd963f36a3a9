#include "cluster/embed_messages.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "cluster/bytes.h"
#include "embedding/embedding_version.h"
#include "store/constants.h"
#include "store/graph_blob.h"
#include "unscatter/base/invariant.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/embedding/transform_spec.h"

namespace unscatter::cluster {
namespace {

using Json = nlohmann::json;

std::string features_of(const Embedder& embedder) { return embedder.blocks().front().features.describe(); }

}  // namespace

std::optional<std::string> embedder_text(const Embedder& embedder) {
  if (embedder.spec() == nullptr || embedder.blocks().size() != 1) return std::nullopt;
  try {
    std::string text = Json{{"transform", transform_to_json(*embedder.spec(), kConstantsVersion)},
                            {"features", features_of(embedder)},
                            {"embedding_version", kEmbeddingVersion}}
                           .dump();
    // Whether the text says everything is not believed but tried.
    const Result<std::shared_ptr<const Embedder>> again = read_embedder(text);
    if (!again.ok() || (*again)->width() != embedder.width() || features_of(**again) != features_of(embedder) ||
        (*again)->describe() != embedder.describe()) {
      return std::nullopt;
    }
    return text;
  } catch (const Json::exception&) {
    return std::nullopt;  // a name that is not UTF-8
  }
}

Result<std::shared_ptr<const Embedder>> read_embedder(std::string_view text) {
  const auto malformed = [](const char* what) { return Error{ErrorCode::kMalformedInput, what}; };
  try {
    const Json json = Json::parse(text);
    if (json.at("embedding_version").get<std::uint32_t>() != kEmbeddingVersion) {
      return malformed("another rank computes other embeddings: the ranks run different versions of the program");
    }
    TransformSpec spec;
    UNSCATTER_CHECK_OK(read_transform(json.at("transform"), kConstantsVersion, spec));
    UNSCATTER_TRY(features, FeatureMap::parse(json.at("features").get<std::string>()));
    return make_embedder(std::move(features), spec);
  } catch (const Json::exception&) {
    return malformed("the text of an embedder is not what another rank writes");
  }
}

std::vector<std::byte> pack_graphs(std::span<const Graph* const> graphs) {
  ByteWriter writer;
  writer.number(graphs.size());
  for (const Graph* graph : graphs) {
    std::vector<std::byte> blob;
    if (graph != nullptr) blob = to_blob(*graph);
    writer.numbers(std::span<const std::byte>(blob));
    wipe(blob);
  }
  return std::move(writer.bytes());
}

Result<std::vector<std::optional<Graph>>> unpack_graphs(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  std::vector<std::optional<Graph>> graphs(reader.number());
  for (std::optional<Graph>& graph : graphs) {
    const std::span<const std::byte> blob = reader.part();
    if (blob.empty()) continue;
    UNSCATTER_TRY(read, graph_from_blob(blob));
    graph = std::move(read);
  }
  return graphs;
}

std::size_t row_bytes(const BlockRow& row) {
  return 2 * sizeof(std::uint64_t) + row.segments.size() * sizeof(Segment) + row.values.size() * sizeof(double);
}

void write_row(ByteWriter& writer, const BlockRow& row) {
  writer.numbers(std::span<const Segment>(row.segments));
  writer.numbers(std::span<const double>(row.values));
}

BlockRow read_row(ByteReader& reader) {
  BlockRow row;
  row.segments = reader.numbers<Segment>();
  row.values = reader.numbers<double>();
  return row;
}

std::vector<std::byte> pack_rows(const Result<SparseBlockRows>& rows) {
  ByteWriter writer;
  std::size_t size = sizeof(std::uint64_t);
  for (std::size_t i = 0; rows.ok() && i < rows->rows(); ++i) size += row_bytes(rows->row(i));
  writer.reserve(size);
  writer.number(rows.ok() ? 1 : 0);
  for (std::size_t i = 0; rows.ok() && i < rows->rows(); ++i) {
    write_row(writer, rows->row(i));
  }
  return std::move(writer.bytes());
}

bool unpack_rows(std::span<const std::byte> bytes, std::size_t first, std::size_t count, SparseBlockRows& Z) {
  ByteReader reader(bytes);
  if (reader.number() == 0) return false;
  for (std::size_t i = 0; i < count; ++i) Z.set_row(first + i, read_row(reader));
  return true;
}

}  // namespace unscatter::cluster
