// Attacks on constants (docs/constants.md).  The attacker has one model that was published after a removal, the
// workspace's file, and all of the remaining data.  Each attack succeeds where constants were fitted once, which is
// what unscatter 0.1 did.  It fails for constants that are built in and for those that are fitted again.
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/stored_model.h"
#include "support/random_graph.h"
#include "support/temporary_folder.h"
#include "unscatter/store/workspace.h"

namespace unscatter {
namespace {

constexpr std::int64_t kLoneLabel = 918273645;
constexpr const char* kLoneClass = "class-of-nobody-else";

// 24 graphs.  The last node of graph 5 has attributes and a label that no other node has.  Graph 23 is the only one of
// its class.
Dataset victims_data() {
  Dataset dataset;
  dataset.name = "victims";
  for (std::uint64_t g = 0; g < 24; ++g) {
    GraphParts parts =
        testing::random_graph_parts(g, {.nodes = 6, .edge_probability = 0.4, .attributes = 2, .label_values = 3});
    if (g == 5) {
      parts.labels.back() = kLoneLabel;
      parts.attributes[parts.attributes.size() - 2] = 12.34375;
      parts.attributes[parts.attributes.size() - 1] = -56.78125;
    }
    dataset.graphs.push_back(Graph::create(std::move(parts)).value());
    dataset.labels.push_back(g == 23 ? 1u : 2 * static_cast<std::uint32_t>(g % 2));
  }
  dataset.class_names = {"a", kLoneClass, "z"};
  return dataset;
}

// What the attacker gets.
struct Leftovers {
  std::string features;  // as published with the model
  std::vector<std::string> class_names;
  std::string file;       // all bytes
  std::string published;  // the model's document
  Dataset remaining;

  // Anywhere: as text or as eight bytes.
  [[nodiscard]] bool has(std::string_view text) const {
    return file.find(text) != std::string::npos || published.find(text) != std::string::npos ||
           features.find(text) != std::string::npos;
  }
  [[nodiscard]] bool has(std::int64_t number) const {
    std::string bytes(sizeof number, '\0');
    std::memcpy(bytes.data(), &number, sizeof number);
    return has(std::to_string(number)) || file.find(bytes) != std::string::npos;
  }
};

struct Setting {
  std::string features;
  FitSource fit;
  ConstantKind classes;
};
Setting once(const char* features) { return {features, FitSource::once(), ConstantKind::kFittedOnce}; }
Setting refitted(const char* features) { return {features, FitSource::private_refit(), ConstantKind::kPrivateFit}; }
Setting usual() { return {"auto", FitSource::none(), ConstantKind::kPrivateFit}; }

// Trains, publishes, forgets, publishes.  The file is read after it was closed.
Leftovers after(const Dataset& data, const Setting& setting, const std::vector<RemovalRequest>& requests) {
  const testing::TemporaryFolder folder(testing::memory_folder());
  const std::filesystem::path path = folder.path() / "w.unscatter";
  SecureRandom random;
  WorkspaceOptions how;
  how.key = std::make_shared<const SigningKey>(SigningKey::generate(random));
  Leftovers left;
  {
    WorkspaceSetup setup;
    setup.dataset = data;
    setup.features = setting.features;
    setup.fit = setting.fit;
    setup.options.classes = setting.classes;
    setup.transform.scales = 2;
    setup.transform.layers = 2;
    Workspace workspace = Workspace::create(path, std::move(setup), how).value();
    EXPECT_TRUE(workspace.release().ok());
    EXPECT_TRUE(requests.empty() || workspace.forget(requests).ok());
    const PublishedModel model = workspace.release().value();
    left.published = published_text(model);
    left.features = workspace.info().features;
    left.class_names = model.class_names;
    left.remaining = workspace.session().value()->remaining();
  }
  // Opening it again finds the same constants.
  Workspace again = Workspace::open(path, how).value();
  EXPECT_EQ(again.info().features, left.features);
  EXPECT_EQ(again.info().class_names, left.class_names);
  EXPECT_TRUE(again.session().ok());
  left.file = testing::read_whole_file(path);
  return left;
}

// The centres of "standard-attributes:M/S,M/S", if the text has any.
std::vector<double> centres(const std::string& features) {
  std::vector<double> found;
  std::size_t at = features.find("standard-attributes:");
  if (at == std::string::npos) return found;
  at += std::string_view("standard-attributes:").size();
  // Another block may follow.
  const std::size_t end = std::min(features.find('+', at), features.size());
  while (at < end) {
    double centre = 0;
    std::from_chars(features.data() + at, features.data() + end, centre);
    found.push_back(centre);
    at = std::min(features.find(',', at), end) + 1;
  }
  return found;
}

// Mean times count, minus the rest: what one missing node must have been.
std::vector<double> recovered_attributes(const Leftovers& left) {
  std::vector<double> attributes = centres(left.features);
  double count = 1;
  for (const Graph& graph : left.remaining.graphs) count += static_cast<double>(graph.node_count());
  for (double& value : attributes) value *= count;
  for (const Graph& graph : left.remaining.graphs) {
    for (std::size_t i = 0; i < graph.node_count(); ++i) {
      for (std::size_t k = 0; k < attributes.size(); ++k) attributes[k] -= graph.attributes(i)[k];
    }
  }
  return attributes;
}

bool recovers_the_victim(const Leftovers& left) {
  const std::vector<double> found = recovered_attributes(left);
  return found.size() == 2 && std::abs(found[0] - 12.34375) < 1e-6 && std::abs(found[1] + 56.78125) < 1e-6;
}

// What a world without the removed data has: a workspace that was made of the remaining data.
void expect_same_world(const Leftovers& left, const Setting& setting) {
  const Leftovers world = after(left.remaining, setting, {});
  EXPECT_EQ(left.features, world.features);
  EXPECT_EQ(left.class_names, world.class_names);
}

const std::vector<RemovalRequest> kForgetNode = {ForgetNode{std::size_t{5}, std::size_t{5}}};
const std::vector<RemovalRequest> kForgetGraph = {ForgetGraph{std::size_t{23}}};

TEST(ConstantsAttack, AttributesAreRecoveredFromMeansThatWereFittedOnce) {
  EXPECT_TRUE(recovers_the_victim(after(victims_data(), once("standard-attributes"), kForgetNode)));
}

TEST(ConstantsAttack, AttributesAreNotRecoveredOtherwise) {
  for (const Setting& setting : {usual(), refitted("standard-attributes"), refitted("standard-attributes+labels")}) {
    SCOPED_TRACE(setting.features);
    const Leftovers left = after(victims_data(), setting, kForgetNode);
    EXPECT_FALSE(recovers_the_victim(left));
    expect_same_world(left, setting);
  }
}

TEST(ConstantsAttack, ALoneLabelStaysInAVocabularyThatWasFittedOnce) {
  EXPECT_TRUE(after(victims_data(), once("labels"), kForgetNode).has(kLoneLabel));
}

TEST(ConstantsAttack, ALoneLabelLeavesOtherwise) {
  for (const Setting& setting : {usual(), refitted("labels"), refitted("labels+degree-onehot")}) {
    SCOPED_TRACE(setting.features);
    // The search finds the label while its node is there.
    EXPECT_TRUE(after(victims_data(), setting, {}).has(kLoneLabel));
    const Leftovers left = after(victims_data(), setting, kForgetNode);
    EXPECT_FALSE(left.has(kLoneLabel));
    expect_same_world(left, setting);
  }
}

TEST(ConstantsAttack, ALoneClassStaysInAListThatWasFittedOnce) {
  EXPECT_TRUE(after(victims_data(), once("soft-degree"), kForgetGraph).has(kLoneClass));
}

TEST(ConstantsAttack, ALoneClassLeavesOtherwise) {
  for (const Setting& setting : {usual(), refitted("labels")}) {
    SCOPED_TRACE(setting.features);
    EXPECT_TRUE(after(victims_data(), setting, {}).has(kLoneClass));
    const Leftovers left = after(victims_data(), setting, kForgetGraph);
    EXPECT_FALSE(left.has(kLoneClass));
    EXPECT_EQ(left.class_names, (std::vector<std::string>{"a", "z"}));
    expect_same_world(left, setting);
  }
}

// The form of the data follows too: the only graph with labels leaves, and nothing says that there ever were labels.
TEST(ConstantsAttack, TheFormOfAGraphLeavesWithIt) {
  Dataset data = victims_data();
  for (std::size_t g = 0; g < 23; ++g) data.graphs[g] = testing::random_graph(g, {.nodes = 6, .edge_probability = 0.4});
  const Leftovers before = after(data, usual(), {});
  EXPECT_TRUE(before.has("label-buckets"));
  const Leftovers left = after(data, usual(), kForgetGraph);
  EXPECT_FALSE(left.has("label-buckets"));
  EXPECT_FALSE(left.has("soft-attributes"));
  expect_same_world(left, usual());
}

}  // namespace
}  // namespace unscatter
