// Every part is computed a second time, from its formula in docs/embeddings.md, by plain dense code.
#include "embedding/blocks/part.h"
#include "embedding/blocks/public_hash.h"

#include <gtest/gtest.h>

#include <functional>

#include "embedding/features/wide_scale.h"
#include "part_formulas.h"
#include "unscatter/base/random.h"

namespace unscatter::parts_test {
namespace {

using testing::add;
using testing::append;
using testing::DenseGraph;
using testing::expect_formula;
using testing::hash_of;
using testing::hel;
using testing::joint;
using testing::label_of;
using testing::mix;
using testing::soft;
using testing::softened;

std::vector<double> size_by_formula(const Graph& graph) {
  const DenseGraph dense(graph);
  const auto n = static_cast<double>(dense.n());
  std::vector<double> expected;
  for (const double t : {0.25, 0.5, 1.0, 2.0}) {
    for (const double x : {n, dense.edges(), 2 * dense.edges() / n}) {
      expected.push_back(std::cos(t * std::log(1 + x)) / std::sqrt(12.0));
      expected.push_back(std::sin(t * std::log(1 + x)) / std::sqrt(12.0));
    }
  }
  return expected;
}

TEST(Parts, Size) { expect_formula("size", size_by_formula); }

TEST(Parts, ShapesAndClustering) {
  const auto shapes = [](std::size_t b, std::size_t closed_centres, bool clustering) {
    return [=](const Graph& graph) {
      const DenseGraph dense(graph);
      Vector near(dense.n());
      for (Eigen::Index i = 0; i < dense.n(); ++i) {
        near(i) = std::log(1 + dense.mean_over_neighbours(i, dense.degrees()));
      }
      std::vector<double> h;
      for (Eigen::Index i = 0; i < dense.n(); ++i) {
        const double d = dense.degree(i);
        const double cc = dense.triangles(i) / std::max(d * (d - 1) / 2, 1.0);
        const std::vector<double> last =
            clustering ? soft(cc, 0, 1, closed_centres) : soft(dense.mean_over_neighbours(i, near), 0, 8.4, b);
        add(h, joint({soft(std::log(1 + d), 0, 8.4, b), soft(near(i), 0, 8.4, b), last}));
      }
      return hel(h);
    };
  };
  // A histogram is under a root, which makes much of the last digits of an empty cell.
  expect_formula("shapes", shapes(9, 0, false), 1e-6);
  expect_formula("shapes:4", shapes(4, 0, false), 1e-6);
  expect_formula("clustering", shapes(9, 6, true), 1e-6);
  expect_formula("clustering:5:3", shapes(5, 3, true), 1e-6);
  expect_formula(
      "closure:7:4",
      [](const Graph& graph) {
        const DenseGraph dense(graph);
        std::vector<double> h;
        for (Eigen::Index i = 0; i < dense.n(); ++i) {
          const double d = dense.degree(i);
          const double cc = dense.triangles(i) / std::max(d * (d - 1) / 2, 1.0);
          add(h, joint({soft(std::log(1 + d), 0, 8.4, 7), soft(cc, 0, 1, 4)}));
        }
        return hel(h);
      },
      1e-6);
}

TEST(Parts, Overlaps) {
  const auto overlaps = [](std::size_t b, std::size_t shared_centres) {
    return [=](const Graph& graph) {
      const DenseGraph dense(graph);
      const Matrix common = dense.A * dense.A;
      std::vector<double> h(b * b * shared_centres, 0.0);
      for (Eigen::Index i = 0; i < dense.n(); ++i) {
        for (Eigen::Index j = 0; j < i; ++j) {
          if (dense.A(i, j) == 0) continue;
          const double less = std::min(dense.degree(i), dense.degree(j));
          const double more = std::max(dense.degree(i), dense.degree(j));
          add(h, joint({soft(std::log(1 + less), 0, 8.4, b), soft(std::log(1 + more), 0, 8.4, b),
                        soft(common(i, j) / std::max(less - 1, 1.0), 0, 1, shared_centres)}));
        }
      }
      return hel(h);
    };
  };
  expect_formula("overlaps", overlaps(9, 6), 1e-6);
  expect_formula("overlaps:5:3", overlaps(5, 3), 1e-6);
}

TEST(Parts, Kinds) {
  for (const std::size_t buckets : {1024u, 17u}) {
    expect_formula("kinds:" + std::to_string(buckets), [&](const Graph& graph) {
      const DenseGraph dense(graph);
      std::vector<double> h(buckets, 0.0);
      for (Eigen::Index i = 0; i < dense.n(); ++i) {
        const auto degree = static_cast<std::uint64_t>(dense.degree(i));
        const auto triangles = static_cast<std::uint64_t>(dense.triangles(i));
        h[hash_of({degree, triangles, dense.core(i)}) % buckets] += 1;
      }
      return hel(h);
    });
  }
}

TEST(Parts, AllKinds) {
  const auto hash_from = [](std::uint64_t h, std::initializer_list<std::uint64_t> numbers) {
    for (const std::uint64_t c : numbers) h = mix(h * 0x165667B19E3779F9u + mix(c));
    return h;
  };
  expect_formula("all-kinds:97", [&](const Graph& graph) {
    const DenseGraph dense(graph);
    std::vector<double> h(97, 0.0);
    std::vector<std::uint64_t> c(static_cast<std::size_t>(dense.n()));
    for (Eigen::Index i = 0; i < dense.n(); ++i) {
      const std::size_t node = dense.original[static_cast<std::size_t>(i)];
      const auto degree = static_cast<std::uint64_t>(dense.degree(i));
      h[hash_from(0, {degree, static_cast<std::uint64_t>(dense.triangles(i)), dense.core(i)}) % 97] += 1;
      std::uint64_t in = 0;
      std::uint64_t out = 0;
      std::uint64_t mutual = 0;
      for (std::size_t j = 0; j < graph.node_count(); ++j) {
        in += graph.has_edge(j, node) ? 1u : 0u;
        out += graph.has_edge(node, j) ? 1u : 0u;
        mutual += graph.has_edge(j, node) && graph.has_edge(node, j) ? 1u : 0u;
      }
      if (graph.directed()) h[hash_from(1, {in, out, mutual}) % 97] += 1;
      if (!graph.has_labels()) continue;
      c[static_cast<std::size_t>(i)] =
          graph.has_features(node) ? hash_from(1, {static_cast<std::uint64_t>(graph.label(node))}) : mix(2);
    }
    for (std::uint64_t r = 2; graph.has_labels() && r <= 3; ++r) {
      std::vector<std::uint64_t> next = c;
      for (std::size_t i = 0; i < c.size(); ++i) {
        std::uint64_t sum = 0;
        for (std::size_t j = 0; j < c.size(); ++j) {
          if (dense.A(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) > 0) sum += hash_from(r, {c[j]});
        }
        next[i] = hash_from(c[i], {sum});
        h[hash_from(r, {next[i]}) % 97] += 1;
      }
      c = next;
    }
    return softened(h, 60);
  });
}

TEST(Parts, LabelCounts) {
  for (const std::size_t buckets : {64u, 3u}) {
    expect_formula("label-counts:" + std::to_string(buckets), [&](const Graph& graph) {
      std::vector<double> expected;
      std::vector<double> counts(buckets, 0.0);
      for (std::size_t i = 0; graph.has_labels() && i < graph.node_count(); ++i) {
        if (graph.has_features(i)) counts[static_cast<std::size_t>(graph.label(i)) % buckets] += 1;
      }
      for (const double count : counts) {
        for (const double t : {0.25, 0.5, 1.0}) {
          const double scale = graph.has_labels() ? 1 / std::sqrt(3.0 * static_cast<double>(buckets)) : 0;
          expected.push_back(scale * std::cos(t * std::log(1 + count)));
          expected.push_back(scale * std::sin(t * std::log(1 + count)));
        }
      }
      return expected;
    });
  }
}

TEST(Parts, Returns) {
  for (const std::size_t centres : {25u, 6u}) {
    expect_formula(
        "returns:" + std::to_string(centres),
        [&](const Graph& graph) {
          const DenseGraph dense(graph);
          const Eigen::Index n = dense.n();
          Matrix S = Matrix::Zero(n, n);
          for (Eigen::Index i = 0; i < n; ++i) {
            for (Eigen::Index j = 0; j < n; ++j) {
              if (dense.A(i, j) > 0) S(i, j) = 1 / std::sqrt(dense.degree(i) * dense.degree(j));
            }
          }
          std::vector<double> expected;
          Matrix power = S;
          for (int s = 2; s <= 8; ++s) {
            power = power * S;
            if (s == 7) continue;
            std::vector<double> h;
            for (Eigen::Index i = 0; i < n; ++i) add(h, soft(-std::log(std::max(power(i, i), 1e-9)), 0, 8, centres));
            append(expected, hel(h), 1 / std::sqrt(6.0));
          }
          return expected;
        },
        1e-6);
  }
}

TEST(Parts, Colours) {
  for (const auto& [text, rounds, longest] :
       {std::tuple("colours:0", 0, 8u), std::tuple("colours:1", 1, 8u), std::tuple("colours", 2, 8u),
        std::tuple("colours:3:1024:3", 3, 3u), std::tuple("colours:2:1024:0", 2, 0u)}) {
    const int all_rounds = rounds;
    const std::uint64_t longest_cycle = longest;
    expect_formula(text, [all_rounds, longest_cycle](const Graph& graph) {
      constexpr std::uint64_t kP = 0x165667B19E3779F9u;
      const DenseGraph dense(graph);
      const auto n = static_cast<std::size_t>(dense.n());
      std::vector<std::uint64_t> c(n);
      for (std::size_t i = 0; i < n; ++i) c[i] = mix(static_cast<std::uint64_t>(label_of(graph, dense.original[i])));
      for (int round = 0; round < all_rounds; ++round) {
        std::vector<std::uint64_t> next(n);
        for (std::size_t i = 0; i < n; ++i) {
          std::uint64_t sum = 0;
          for (std::size_t j = 0; j < n; ++j) {
            const auto a = static_cast<Eigen::Index>(i);
            const auto b = static_cast<Eigen::Index>(j);
            if (dense.A(a, b) == 0) continue;
            const std::uint64_t r = dense.cycle(a, b);
            sum += mix(mix(c[j]) * kP + mix(r <= longest_cycle ? r : 0));
          }
          next[i] = mix(c[i] * kP + mix(sum));
        }
        c = next;
      }
      std::vector<double> h(1024, 0.0);
      for (const std::uint64_t colour : c) h[colour % 1024] += 1;
      return softened(h, 20);
    });
  }
}

TEST(Parts, Paths) {
  for (const auto& [text, longest, buckets] :
       {std::tuple("paths", 10, 1024), std::tuple("paths:2:31", 2, 31), std::tuple("paths:1:1", 1, 1)}) {
    const int furthest = longest;
    const auto count = static_cast<std::size_t>(buckets);
    expect_formula(text, [furthest, count](const Graph& graph) {
      const DenseGraph dense(graph);
      std::vector<double> h(count, 0.0);
      for (Eigen::Index i = 0; i < dense.n(); ++i) {
        for (Eigen::Index j = 0; j < i; ++j) {
          if (dense.distance(i, j) > furthest) continue;
          const std::int64_t a = label_of(graph, dense.original[static_cast<std::size_t>(i)]);
          const std::int64_t b = label_of(graph, dense.original[static_cast<std::size_t>(j)]);
          h[hash_of({static_cast<std::uint64_t>(std::min(a, b)), static_cast<std::uint64_t>(std::max(a, b)),
                     static_cast<std::uint64_t>(dense.distance(i, j))}) %
            count] += 1;
        }
      }
      return hel(h);
    });
  }
}

TEST(Parts, Directions) {
  expect_formula(
      "directions:5",
      [](const Graph& graph) {
        std::vector<double> nodes(25, 0.0);
        std::vector<double> edges(25, 0.0);
        const auto degrees = [&](std::size_t i) {
          double in = 0;
          double out = 0;
          for (std::size_t j = 0; j < graph.node_count(); ++j) {
            in += graph.has_edge(j, i) ? 1 : 0;
            out += graph.has_edge(i, j) ? 1 : 0;
          }
          return std::pair(soft(std::log(1 + in), 0, 8.4, 5), soft(std::log(1 + out), 0, 8.4, 5));
        };
        for (std::size_t i = 0; graph.directed() && i < graph.node_count(); ++i) {
          if (graph.state(i) == NodeState::kTombstone) continue;
          const auto [in, out] = degrees(i);
          add(nodes, joint({in, out}));
          for (std::size_t j = 0; j < graph.node_count(); ++j) {
            if (graph.has_edge(j, i)) add(edges, joint({degrees(j).second, in}));
          }
        }
        std::vector<double> expected;
        append(expected, hel(nodes), std::sqrt(0.5));
        append(expected, hel(edges), std::sqrt(0.5));
        return expected;
      },
      1e-6);
}

std::vector<double> on_scale(double value) {
  std::vector<double> shares(kWideChannels, 0.0);
  on_wide_scale(value, [&](std::size_t channel, double share) { shares[channel] += share; });
  return shares;
}

TEST(Parts, Weights) {
  expect_formula(
      "weights",
      [](const Graph& graph) {
        std::vector<std::vector<double>> h(3, std::vector<double>(kWideChannels, 0.0));
        std::vector<double> out(graph.node_count(), 0.0);
        for (std::size_t i = 0; graph.has_weights() && i < graph.node_count(); ++i) {
          double in = 0;
          for (std::size_t k = 0; k < graph.degree(i); ++k) {
            add(h[0], on_scale(graph.weights(i)[k]));
            in += graph.weights(i)[k];
            out[graph.neighbours(i)[k]] += graph.weights(i)[k];
          }
          if (graph.state(i) != NodeState::kTombstone) add(h[1], on_scale(in));
        }
        for (std::size_t i = 0; graph.has_weights() && graph.directed() && i < graph.node_count(); ++i) {
          if (graph.state(i) != NodeState::kTombstone) add(h[2], on_scale(out[i]));
        }
        std::vector<double> all;
        for (const std::vector<double>& one : h) append(all, one);
        return hel(all);
      },
      1e-6);
}

// Sums of channels over nodes, each node as often as `weight` says.
std::vector<double> attribute_sums(const Graph& graph, std::size_t count,
                                   const std::function<double(std::size_t)>& weight) {
  std::vector<double> h(count * kWideChannels, 0.0);
  for (std::size_t i = 0; i < graph.node_count(); ++i) {
    if (!graph.has_features(i)) continue;
    for (std::size_t k = 0; k < std::min(count, graph.attribute_count()); ++k) {
      const std::vector<double> shares = on_scale(graph.attributes(i)[k]);
      for (std::size_t c = 0; c < kWideChannels; ++c) h[k * kWideChannels + c] += weight(i) * shares[c];
    }
  }
  return h;
}

TEST(Parts, Attributes) {
  const auto once = [](std::size_t) { return 1.0; };
  const auto in_degree = [](const Graph& graph) {
    return [&graph](std::size_t i) { return static_cast<double>(graph.degree(i)); };
  };
  for (const std::size_t count : {1u, 2u, 3u}) {
    const std::string behind = ":" + std::to_string(count);
    expect_formula(
        "attributes" + behind, [&](const Graph& graph) { return hel(attribute_sums(graph, count, once)); }, 1e-6);
    expect_formula("attribute-counts" + behind,
                   [&](const Graph& graph) { return softened(attribute_sums(graph, count, once), 60); });
    expect_formula(
        "attribute-ends" + behind,
        [&](const Graph& graph) {
          const auto out_degree = [&graph](std::size_t i) {
            double out = 0;
            for (std::size_t j = 0; j < graph.node_count(); ++j) out += graph.has_edge(i, j) ? 1 : 0;
            return graph.directed() ? out : 0;
          };
          std::vector<double> expected;
          const double share = graph.directed() ? std::sqrt(0.5) : 1;
          append(expected, hel(attribute_sums(graph, count, in_degree(graph))), share);
          append(expected, hel(attribute_sums(graph, count, out_degree)), share);
          return expected;
        },
        1e-6);
  }
}

TEST(Parts, LabelShapes) {
  expect_formula(
      "label-shapes:3:5",
      [](const Graph& graph) {
        const DenseGraph dense(graph);
        std::vector<double> h(75, 0.0);
        for (Eigen::Index i = 0; i < dense.n(); ++i) {
          const std::size_t node = dense.original[static_cast<std::size_t>(i)];
          if (!graph.has_labels() || !graph.has_features(node)) continue;
          std::vector<double> label(3, 0.0);
          label[static_cast<std::size_t>(graph.label(node)) % 3] = 1;
          const double near = dense.mean_over_neighbours(i, dense.degrees());
          add(h, joint({label, soft(std::log(1 + dense.degree(i)), 0, 3.5, 5), soft(std::log(1 + near), 0, 3.5, 5)}));
        }
        return hel(h);
      },
      1e-6);
}

// By the definition: closed neighbourhoods that are cliques, each once.
TEST(Parts, Cliques) {
  expect_formula("cliques:7:4", [](const Graph& graph) {
    const DenseGraph dense(graph);
    std::vector<std::vector<Eigen::Index>> cliques;
    std::vector<double> simple_nodes;
    for (Eigen::Index i = 0; i < dense.n(); ++i) {
      std::vector<Eigen::Index> closed;
      for (Eigen::Index j = 0; j < dense.n(); ++j) {
        if (j == i || dense.A(i, j) > 0) closed.push_back(j);
      }
      bool clique = closed.size() >= 3;
      for (const Eigen::Index a : closed) {
        for (const Eigen::Index b : closed) clique = clique && (a == b || dense.A(a, b) > 0);
      }
      if (!clique) continue;
      const auto known = std::find(cliques.begin(), cliques.end(), closed);
      if (known != cliques.end()) {
        simple_nodes[static_cast<std::size_t>(known - cliques.begin())] += 1;
        continue;
      }
      cliques.push_back(closed);
      simple_nodes.push_back(1);
    }
    std::vector<double> h(28, 0.0);
    for (std::size_t k = 0; k < cliques.size(); ++k) {
      add(h, joint({soft(std::log(1 + static_cast<double>(cliques[k].size())), 0, 5, 7),
                    soft(std::log(1 + simple_nodes[k]), 0, 5, 4)}));
    }
    if (cliques.empty()) h[0] = 1;
    return softened(h, 1);
  });
}

double signed_log_of(double x) { return x < 0 ? -std::log(1 - x) : std::log(1 + x); }

std::vector<double> waves(const std::vector<double>& q, std::initializer_list<double> scales, double count) {
  std::vector<double> expected;
  for (const double value : q) {
    for (const double t : scales) {
      expected.push_back(std::cos(t * value) / std::sqrt(count));
      expected.push_back(std::sin(t * value) / std::sqrt(count));
    }
  }
  return expected;
}

TEST(Parts, SumsOfAttributes) {
  // Of two attributes; graphs that have none have 0.
  const auto sums = [](const Graph& graph, std::size_t k) {
    double sum = 0;
    for (std::size_t i = 0; i < graph.node_count(); ++i) sum += graph.has_features(i) ? graph.attributes(i)[k] : 0;
    return sum;
  };
  expect_formula("attribute-sums:2", [&](const Graph& graph) {
    if (graph.attribute_count() == 0) return std::vector<double>(12, 0.0);
    return waves({signed_log_of(sums(graph, 0)), signed_log_of(sums(graph, 1))}, {0.25, 0.5, 1.0}, 6);
  });
  expect_formula(
      "attribute-levels:2",
      [](const Graph& graph) {
        std::vector<double> expected;
        for (const std::size_t k : {0u, 1u}) {
          std::vector<double> h(33, 0.0);
          for (std::size_t i = 0; graph.attribute_count() > 0 && i < graph.node_count(); ++i) {
            if (graph.has_features(i)) add(h, soft(signed_log_of(graph.attributes(i)[k]), -2, 6, 33));
          }
          append(expected, hel(h), std::sqrt(0.5));
        }
        return expected;
      },
      1e-6);
  expect_formula("label-sums:2:3", [](const Graph& graph) {
    if (graph.attribute_count() == 0) return std::vector<double>(36, 0.0);
    std::vector<double> q;
    for (const std::size_t label : {0u, 1u, 2u}) {
      for (const std::size_t k : {0u, 1u}) {
        double sum = 0;
        for (std::size_t i = 0; i < graph.node_count(); ++i) {
          if (!graph.has_features(i) || static_cast<std::size_t>(graph.label(i)) % 3 != label) continue;
          sum += graph.attributes(i)[k];
        }
        q.push_back(signed_log_of(sum));
      }
    }
    return waves(q, {0.25, 0.5, 1.0}, 18);
  });
}

// Without a number the data say how many there are.
TEST(Parts, TheFormSaysHowManyAttributesThereAre) {
  const Graph graph = testing::graphs_of_all_kinds(3).front();
  GraphShape shape;
  EXPECT_EQ(testing::part_columns("attributes", graph, shape), testing::part_columns("attributes:3", graph, shape));
  const DataForm none;
  EXPECT_TRUE(testing::part_columns("attributes", graph, shape, &none).empty());
}

// A wrong formula would show: every part that can differ between two graphs does.
TEST(Parts, GraphsThatDifferHaveOtherColumns) {
  const std::vector<Graph> graphs = testing::graphs_of_all_kinds(3);
  for (const PartKind& kind : part_kinds()) {
    SCOPED_TRACE(kind.name);
    GraphShape shape;
    std::vector<std::vector<double>> different;
    const DataForm form = {.labels = true, .positions = true, .attributes = 3};
    for (const Graph& graph : graphs) {
      std::vector<double> columns = testing::part_columns(kind.name, graph, shape, &form);
      EXPECT_LE(testing::squared_norm(columns), 1 + 1e-12);
      if (std::find(different.begin(), different.end(), columns) == different.end()) {
        different.push_back(std::move(columns));
      }
    }
    EXPECT_GE(different.size(), 6u);
  }
}

}  // namespace
}  // namespace unscatter::parts_test
