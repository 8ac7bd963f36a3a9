// Data to remove from, and requests that fit it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "unscatter/unscatter.h"

namespace replay {

// Numbers that look random and are the same everywhere (splitmix64).  The recorder has its own generator, so that it
// does not depend on the library's.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}

  [[nodiscard]] std::uint64_t next();
  [[nodiscard]] std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }
  [[nodiscard]] double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

// A source that gives the same bytes in every run.  It protects nobody.
class SeededSource final : public unscatter::RandomSource {
 public:
  explicit SeededSource(std::uint64_t seed) : draw_(seed) {}
  void fill(std::span<std::byte> bytes) override;

 private:
  Draw draw_;
};

// Everything that decides about embeddings.  The shape says how the number of graphs compares with the number of
// coordinates, since the form of the Hessian and the rungs that are possible depend on it:
//
//   many     several graphs per coordinate: primal form, fast rung
//   as-many  a little more than one graph per coordinate: dual form, fast rung
//   few      fewer graphs than coordinates: dual form, no fast rung
//   real     a part of a public data set
struct Material {
  std::string name;
  std::string shape;
  unscatter::Dataset dataset;
  std::string features;
  unscatter::TransformSpec transform;
};

// Two classes, structure only: generated interest groups.
[[nodiscard]] std::vector<Material> interest_groups();
// The same kind of data, enough of it for many removals.
[[nodiscard]] std::vector<Material> many_interest_groups();
// Four classes; attributes, labels, positions and ids on every node; ids and numbers with gaps for the graphs.
[[nodiscard]] std::vector<Material> rich_graphs();
// Parts of IMDB-BINARY, PROTEINS and MNIST, as far as they are in `folder`.
[[nodiscard]] std::vector<Material> real_data(const std::filesystem::path& folder);

enum class RequestKind { kFeatures, kNode, kEdge, kGraph, kSubject };
inline constexpr std::size_t kRequestKinds = 5;

// Requests that can be honoured one after the other; they depend on `session` only through the graphs it has left.
// Throws std::runtime_error where the data is used up.
class Requests {
 public:
  Requests(unscatter::Dataset original, std::uint64_t seed) : original_(std::move(original)), draw_(seed) {}

  // Of this kind, or of another one where the data does not allow it.
  [[nodiscard]] unscatter::RemovalRequest next(const unscatter::Session& session, RequestKind kind);
  // Of all kinds but subjects, each about another graph.
  [[nodiscard]] std::vector<unscatter::RemovalRequest> batch(const unscatter::Session& session, std::size_t size);

 private:
  [[nodiscard]] unscatter::GraphKey graph_key(std::size_t slot);
  [[nodiscard]] unscatter::NodeKey node_key(const unscatter::Graph& graph, std::size_t slot, std::size_t node);
  // Nothing if this draw does not lead to a request of the kind.
  [[nodiscard]] std::optional<unscatter::RemovalRequest> attempt(const unscatter::Session& session, std::size_t slot,
                                                                 RequestKind kind);

  unscatter::Dataset original_;
  Draw draw_;
};

}  // namespace replay
