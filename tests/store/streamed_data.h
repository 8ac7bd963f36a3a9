// Data sets on disk for tests of streaming, and what it takes to compare two files.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/testing/seeded_random.h"
#include "store/sample_workspace.h"
#include "store/schema.h"
#include "unscatter/base/random.h"
#include "unscatter/graph/read.h"
#include "unscatter/store/workspace.h"

namespace unscatter::testing {

// What the graphs of a file have.
struct FileForm {
  bool ids = true;  // of graphs and nodes
  bool directed = false;
  bool weights = false;
  std::size_t attributes = 0;
  bool labels = false;
  bool dates = false;    // of some graphs and subjects; needs ids
  std::size_t late = 0;  // graphs from this number on have one attribute more and higher labels; 0: none has
};

// Two classes, and a third one that only the last graph has.
inline Dataset file_data(std::size_t graphs, const FileForm& form, std::uint64_t seed = 1) {
  Sequence random(seed);
  Dataset dataset;
  dataset.name = "data";
  dataset.class_names = {"2", "10", "rare"};
  for (std::size_t g = 0; g < graphs; ++g) {
    const bool late = form.late > 0 && g >= form.late;
    GraphParts parts;
    parts.node_count = 2 + random.below(5);
    parts.directed = form.directed && random.below(2) == 0;
    for (NodeIndex i = 1; i < parts.node_count; ++i) {
      parts.edges.push_back({static_cast<NodeIndex>(random.below(i)), i});
      if (form.weights) parts.weights.push_back(0.5 + static_cast<double>(random.below(7)));
    }
    parts.attribute_count = form.attributes + (late ? 1 : 0);
    for (std::size_t i = 0; i < parts.node_count; ++i) {
      for (std::size_t k = 0; k < parts.attribute_count; ++k) {
        parts.attributes.push_back(static_cast<double>(random.below(100)) / 7);
      }
      if (form.labels) parts.labels.push_back(static_cast<std::int64_t>(random.below(late ? 9 : 4)));
      // The same people in several graphs, and nobody twice in one.
      if (form.ids) parts.node_ids.push_back("u" + std::to_string((g / 7) * 10 + i));
    }
    // The first graphs have none, and some subjects have several.
    if (form.dates && g > 2) {
      const auto date = static_cast<std::int64_t>(1'900'000'000 + random.below(1000));
      if (g % 3 == 0) dataset.due.subjects.emplace(parts.node_ids[0], date);
      dataset.due.add_graph(g, g % 2 == 0 ? std::optional(date) : std::nullopt);
    }
    dataset.graphs.push_back(Graph::create(std::move(parts)).value());
    dataset.labels.push_back(g + 1 == graphs && graphs > 2 ? 2 : static_cast<std::uint32_t>(random.below(2)));
    if (form.ids) dataset.graph_ids.push_back("g" + std::to_string(g));
  }
  return dataset;
}

// The same salts, noise and time for every workspace, so that equal work gives equal files.
inline WorkspaceOptions same_chance(std::size_t threads = 2) {
  WorkspaceOptions how;
  how.key = sample_key();
  how.threads = threads;
  how.clock = [] { return std::int64_t{1700000000}; };
  how.random = [] { return std::make_unique<SeededRandom>(7); };
  return how;
}

// A quick embedding.
inline WorkspaceSetup quick_setup(std::string features, const SessionOptions& options = {}) {
  WorkspaceSetup setup;
  setup.features = std::move(features);
  setup.transform.scales = 2;
  setup.transform.moments = 1;
  setup.transform.layers = 2;
  setup.options = options;
  return setup;
}

// Every table with every value, one line per row.
inline std::string all_rows(const std::filesystem::path& path) {
  const Database database = open_database(path, std::chrono::seconds(1)).value();
  std::string rows;
  Statement tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
  while (tables.step().value()) {
    const std::string table = tables.text(0).value();
    const std::string columns =
        database
            .text("SELECT group_concat('quote(' || name || ')', '||'';''||') FROM pragma_table_info('" + table + "')")
            .value();
    Statement lines = database.prepare(fmt::format("SELECT {} AS line FROM {} ORDER BY 1", columns, table));
    while (lines.step().value()) rows += table + ": " + lines.text(0).value() + "\n";
  }
  return rows;
}

}  // namespace unscatter::testing
