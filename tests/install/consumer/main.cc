// A user's first program: embed a graph, forget a node, embed again.
#include <unscatter/unscatter.h>
#include <cstdio>
#include <optional>
#include <utility>

namespace {

using unscatter::Result;

// The norm of the embedding of `graph` under one signal, its degrees.
Result<double> embedding_norm(const unscatter::Graph& graph, const unscatter::Transform& transform) {
  unscatter::NodeSignals signals{.nodes = graph.node_count(), .channels = {0}, .values = {}};
  for (std::size_t i = 0; i < graph.node_count(); ++i) signals.values.push_back(static_cast<double>(graph.degree(i)));

  unscatter::BlockRow row;
  UNSCATTER_CHECK_OK(transform.embed(graph, signals, 1, *transform.make_scratch(), row));
  unscatter::SparseBlockRows embeddings(0, transform.width(1));
  embeddings.append_row(std::move(row));
  return embeddings.row_norm(0);
}

unscatter::Status run() {
  unscatter::GraphParts parts;
  parts.node_count = 5;
  parts.edges = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {3, 4}};
  UNSCATTER_TRY(graph, unscatter::Graph::create(std::move(parts)));

  UNSCATTER_TRY(bank, unscatter::make_walk_bank(unscatter::WalkOperator::kRow, 3));
  UNSCATTER_TRY(transform, unscatter::make_scattering(bank, {.layers = 2, .moments = 2}));

  UNSCATTER_TRY(before, embedding_norm(graph, *transform));
  UNSCATTER_TRY(edited, unscatter::apply(graph, unscatter::RemoveNode{4}));
  UNSCATTER_TRY(after, embedding_norm(edited.value(), *transform));
  std::printf("before: %.6f after: %.6f\n", before, after);
  return unscatter::ok_status();
}

}  // namespace

int main() {
  const unscatter::Status status = run();
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.error().message.c_str());
  return 1;
}
