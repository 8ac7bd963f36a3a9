// A training, as `train` and `retrain` run it: from options to a workspace and a report.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "constant_options.h"
#include "context.h"
#include "expiry_options.h"
#include "guarantee_options.h"
#include "key_options.h"
#include "learning_options.h"
#include "retraining.h"
#include "row_options.h"
#include "shard_options.h"
#include "transform_options.h"
#include "unscatter/graph/split.h"
#include "workspace_options.h"

namespace unscatter::cli {

struct TrainArguments {
  std::string data;
  RowArguments rows;  // in place of `data`
  // The differential privacy with which the function that made the rows was trained.
  std::optional<double> embedding_epsilon = {};
  std::optional<double> embedding_delta = {};
  bool force = false;
  double train_share = 1;
  bool compare_levels = false;
  bool stream = false;
  std::string out;  // of a retraining; of a training it is the workspace itself
  std::uint64_t seed = 1;
  WorkspaceArguments workspace;
  KeyArguments key;
  TransformArguments transform;
  ConstantArguments constants;
  LearningArguments learning;
  GuaranteeArguments guarantee;
  ShardArguments shards;
  ExpiryArguments expiry;  // of a training; a retraining keeps the dates that are there

  // What a model is learned by: features, transform, constants, learning, guarantee.
  void add_choices_to(CLI::App& command);
  // `base`: what a retraining starts from.  Its lambda stays; a training takes the one that belongs to the transform.
  [[nodiscard]] Result<SessionOptions> session_options(const TransformSpec& spec, const SessionOptions* base) const;
};

// Which graphs are learned from (train), public (validation) and held out (test).  Numbers ascend.  `tune` asks the
// same, so that it sees the graphs that will be public and no others.
[[nodiscard]] Result<Split> split_for_training(std::size_t graphs, double train_share, double public_share,
                                               std::uint64_t seed);

// Trains on the data set of the arguments, or on what is left of `before`.  `command` tells which options were given.
[[nodiscard]] Result<Report> train_workspace(const TrainArguments& arguments, const CLI::App& command, Context& context,
                                             std::optional<Before> before = std::nullopt);

}  // namespace unscatter::cli
