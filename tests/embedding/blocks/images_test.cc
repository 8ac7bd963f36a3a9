// Parts of images, computed a second time from their formulas in docs/embeddings.md.
#include <gtest/gtest.h>

#include <functional>
#include <numbers>

#include "dense_graph.h"
#include "embedding/blocks/exp_minus.h"
#include "part_columns.h"

namespace unscatter::images_test {
namespace {

using Map = std::vector<double>;  // one number per node

struct Image {
  std::vector<std::array<double, 2>> p;
  std::vector<Map> x;  // by channel

  explicit Image(const Graph& graph) {
    if (!graph.has_positions() || graph.attribute_count() == 0) return;
    const auto cut = [](double value) { return std::min(std::max(value, 0.0), 1.0); };
    x.resize(graph.attribute_count() >= 3 ? 3 : 1);
    for (std::size_t i = 0; i < graph.node_count(); ++i) {
      if (!graph.has_features(i)) continue;
      p.push_back({cut(graph.position(i)[0]), cut(graph.position(i)[1])});
      if (x.size() == 1) {
        x[0].push_back(cut(graph.attributes(i)[0]));
        continue;
      }
      const double red = cut(graph.attributes(i)[0]);
      const double green = cut(graph.attributes(i)[1]);
      const double blue = cut(graph.attributes(i)[2]);
      x[0].push_back((red + green + blue) / 3);
      x[1].push_back(red - blue);
      x[2].push_back(green - (red + blue) / 2);
    }
  }

  // sum_j w_ij h(u_ij) (f_j - sum_k w_ik f_k), which is 0 where f is constant.
  [[nodiscard]] Map moment(const Map& f, double s, const std::function<double(double, double)>& h) const {
    Map result;
    for (const auto& at : p) {
      double weights = 0;
      double mean = 0;
      const auto weight = [&](std::size_t j) {
        return std::exp(-(std::pow(p[j][0] - at[0], 2) + std::pow(p[j][1] - at[1], 2)) / (2 * s * s));
      };
      for (std::size_t j = 0; j < p.size(); ++j) {
        weights += weight(j);
        mean += weight(j) * f[j];
      }
      mean /= weights;
      double sum = 0;
      for (std::size_t j = 0; j < p.size(); ++j) {
        sum += weight(j) / weights * h((p[j][0] - at[0]) / s, (p[j][1] - at[1]) / s) * (f[j] - mean);
      }
      result.push_back(sum);
    }
    return result;
  }

  [[nodiscard]] std::vector<Map> slopes(const Map& f, double s, int angles) const {
    const Map r = moment(f, s, [](double a, double) { return a; });
    const Map c = moment(f, s, [](double, double b) { return b; });
    std::vector<Map> maps;
    for (int k = 0; k < angles; ++k) {
      const double t = 2 * std::numbers::pi * k / angles;
      Map map;
      for (std::size_t i = 0; i < p.size(); ++i) {
        map.push_back(std::clamp(r[i] * std::cos(t) + c[i] * std::sin(t), 0.0, 1.0));
      }
      maps.push_back(std::move(map));
    }
    return maps;
  }

  [[nodiscard]] std::vector<Map> bends(const Map& f, double s) const {
    std::vector<Map> maps;
    for (int k = 0; k < 4; ++k) {
      const double t = std::numbers::pi * k / 4;
      const Map q = moment(f, s, [t](double a, double b) { return std::pow(a * std::cos(t) + b * std::sin(t), 2); });
      Map plus;
      Map minus;
      for (const double value : q) {
        plus.push_back(std::clamp(value, 0.0, 1.0));
        minus.push_back(std::clamp(-value, 0.0, 1.0));
      }
      maps.push_back(plus);
      maps.push_back(minus);
    }
    return maps;
  }

  [[nodiscard]] std::vector<double> pooled(const std::vector<Map>& maps, int side, double window = 0.5) const {
    std::vector<double> means;
    for (const Map& map : maps) {
      for (int a = 0; a < side; ++a) {
        for (int b = 0; b < side; ++b) {
          double sum = 0;
          double weights = 1e-6;
          for (std::size_t i = 0; i < p.size(); ++i) {
            const double width = window / side;
            const double k =
                std::exp(-(std::pow(p[i][0] - (a + 0.5) / side, 2) + std::pow(p[i][1] - (b + 0.5) / side, 2)) /
                         (2 * width * width));
            sum += k * map[i];
            weights += k;
          }
          means.push_back(sum / weights);
        }
      }
    }
    return means;
  }
};

std::vector<double> rooted(std::vector<double> v) {
  double divisor = 1e-3;
  for (const double value : v) divisor += std::abs(value);
  for (double& value : v) value = std::copysign(std::sqrt(std::abs(value) / divisor), value);
  return v;
}

void expect_image(std::string_view text, std::size_t attributes,
                  const std::function<std::vector<double>(const Image&)>& formula) {
  SCOPED_TRACE(text);
  GraphShape shape;
  std::size_t seen = 0;
  const DataForm form = {.positions = true, .attributes = attributes};
  for (const Graph& graph : testing::graphs_of_all_kinds(attributes)) {
    const Image image(graph);
    const std::vector<double> columns = testing::part_columns(text, graph, shape, &form);
    EXPECT_LE(testing::squared_norm(columns), 1 + 1e-12);
    if (image.p.empty()) {
      EXPECT_EQ(testing::squared_norm(columns), 0);
      continue;
    }
    const std::vector<double> expected = formula(image);
    ASSERT_EQ(columns.size(), expected.size());
    if (testing::squared_norm(columns) > 0) ++seen;
    // Under a root the last digits of a number near 0 are large; so the squares are compared.
    for (std::size_t k = 0; k < columns.size(); ++k) {
      ASSERT_NEAR(columns[k] * std::abs(columns[k]), expected[k] * std::abs(expected[k]), 1e-10) << k;
    }
  }
  EXPECT_GT(seen, 10u);  // a single node has no slope
}

std::vector<double> per_channel(const Image& image, int side, const std::function<std::vector<Map>(const Map&)>& maps,
                                double window = 0.5) {
  std::vector<Map> all;
  for (const Map& channel : image.x) {
    for (Map& map : maps(channel)) all.push_back(std::move(map));
  }
  return rooted(image.pooled(all, side, window));
}

TEST(Images, Pixels) {
  for (const std::size_t attributes : {1u, 3u}) {
    const auto itself = [](const Map& map) { return std::vector<Map>{map}; };
    expect_image("pixels", attributes, [&](const Image& image) { return per_channel(image, 8, itself); });
    expect_image("pixels:3", attributes, [&](const Image& image) { return per_channel(image, 3, itself); });
  }
}

TEST(Images, SlopesAndBends) {
  for (const std::size_t attributes : {1u, 3u}) {
    expect_image("slopes", attributes, [](const Image& image) {
      return per_channel(image, 5, [&](const Map& map) { return image.slopes(map, 0.07, 8); });
    });
    expect_image("slopes:0.3:2", attributes, [](const Image& image) {
      return per_channel(image, 2, [&](const Map& map) { return image.slopes(map, 0.3, 8); });
    });
    expect_image("wavelets:0.2:4", attributes, [](const Image& image) {
      const auto both = [&](const Map& map) {
        std::vector<Map> maps = image.slopes(map, 0.2, 8);
        for (Map& bend : image.bends(map, 0.2)) maps.push_back(std::move(bend));
        return maps;
      };
      return per_channel(image, 4, both, 0.6);
    });
    expect_image("bends:0.2:3", attributes, [](const Image& image) {
      return per_channel(image, 3, [&](const Map& map) { return image.bends(map, 0.2); });
    });
  }
}

TEST(Images, Texture) {
  for (const std::size_t attributes : {1u, 4u}) {
    expect_image("texture:0.2:0.4:2", attributes, [](const Image& image) {
      std::vector<Map> first = image.slopes(image.x[0], 0.2, 8);
      for (Map& map : image.bends(image.x[0], 0.2)) first.push_back(std::move(map));
      std::vector<Map> all;
      for (const Map& map : first) {
        const std::vector<Map> quarter = image.slopes(map, 0.4, 4);  // turns: g_r, g_c, -g_r, -g_c
        for (const std::size_t k : {0u, 2u, 1u, 3u}) all.push_back(quarter[k]);
      }
      return rooted(image.pooled(all, 2));
    });
  }
}

TEST(Images, Palette) {
  const auto share = [](double value, double low, double high, int centres, int k) {
    const double place = (std::clamp(value, low, high) - low) / (high - low) * (centres - 1);
    return std::max(0.0, 1 - std::abs(place - k));
  };
  for (const std::size_t attributes : {1u, 3u}) {
    expect_image("palette", attributes, [&](const Image& image) {
      std::vector<Map> bins;
      const int hues = image.x.size() == 3 ? 4 : 1;
      for (int a = 0; a < 5; ++a) {
        for (int b = 0; b < hues; ++b) {
          for (int c = 0; c < hues; ++c) {
            Map map;
            for (std::size_t i = 0; i < image.p.size(); ++i) {
              double value = share(image.x[0][i], 0, 1, 5, a);
              if (hues == 4) value *= share(image.x[1][i], -0.5, 0.5, 4, b) * share(image.x[2][i], -0.25, 0.25, 4, c);
              map.push_back(value);
            }
            bins.push_back(std::move(map));
          }
        }
      }
      return rooted(image.pooled(bins, 2));
    });
  }
}

// More scales than are kept: what is computed again is the same.
TEST(Images, ManyScalesOneAfterTheOther) {
  const Graph graph = testing::graphs_of_all_kinds(1)[5];
  GraphShape one;
  one.look_at(graph);
  for (const double scale : {0.1, 0.2, 0.3, 0.4, 0.5, 0.1, 0.5, 0.2}) {
    GraphShape fresh;
    fresh.look_at(graph);
    EXPECT_EQ(one.image().wavelets(scale).gradients, fresh.image().wavelets(scale).gradients) << scale;
    EXPECT_EQ(one.image().wavelets(scale).bends, fresh.image().wavelets(scale).bends) << scale;
  }
}

// A graph of another form than the data says has no image, instead of one in the wrong columns.
TEST(Images, AGraphOfAnotherFormHasNoImage) {
  const Graph grey = testing::graphs_of_all_kinds(1)[5];
  const DataForm colour = {.positions = true, .attributes = 3};
  GraphShape shape;
  for (const char* text : {"pixels", "slopes", "bends", "wavelets", "texture", "palette"}) {
    EXPECT_EQ(testing::squared_norm(testing::part_columns(text, grey, shape, &colour)), 0) << text;
  }
}

TEST(ExpMinus, IsTheExponentialToFifteenDigits) {
  for (double x = 0; x < 700; x += 0.0137) EXPECT_NEAR(exp_minus(x) / std::exp(-x), 1, 1e-15 * (1 + 1e-3 * x)) << x;
  std::vector<double> many = {0, 0.5, 3, 699, 701, 1e300};
  exp_minus(many.data(), many.size());
  EXPECT_EQ(many[0], 1);
  EXPECT_EQ(many[1], exp_minus(0.5));
  EXPECT_EQ(many[4], exp_minus(700));
  EXPECT_EQ(many[5], exp_minus(700));
}

}  // namespace
}  // namespace unscatter::images_test
