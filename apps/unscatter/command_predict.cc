#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "files.h"
#include "key_options.h"
#include "linalg/row_products.h"
#include "locations.h"
#include "unscatter/graph/read.h"
#include "unscatter/learn/bias.h"
#include "unscatter/learn/predict.h"
#include "workspace_options.h"

namespace unscatter::cli {
namespace {

// A screen of them.
constexpr std::size_t kShownRows = 20;

struct PredictArguments {
  std::string data;
  std::string out;
  bool force = false;
  // An option that has to be asked for: predictions that leave the house come from the published model.
  bool kept = false;
  bool symmetrise = false;
  WorkspaceArguments workspace;
  KeyArguments key;
};

struct Predictions {
  Dataset data;
  std::vector<std::string> class_names;  // of the model
  std::vector<std::uint32_t> classes;    // predicted, one per graph
  Matrix scores;                         // graphs x classes
  std::size_t release_number = 0;        // 0: kept weights

  [[nodiscard]] const std::string& label(std::size_t graph) const { return data.class_names[data.labels[graph]]; }
  [[nodiscard]] const std::string& predicted(std::size_t graph) const { return class_names[classes[graph]]; }
  [[nodiscard]] std::string id(std::size_t graph) const { return data.graph_ids.empty() ? "" : data.graph_ids[graph]; }

  // Share of graphs whose class is the one in the file.  Nothing if the file has classes that the model does not know.
  [[nodiscard]] std::optional<double> accuracy() const {
    const bool comparable =
        std::all_of(data.class_names.begin(), data.class_names.end(), [this](const std::string& name) {
          return std::find(class_names.begin(), class_names.end(), name) != class_names.end();
        });
    if (!comparable || data.size() == 0) return std::nullopt;
    std::size_t right = 0;
    for (std::size_t i = 0; i < data.size(); ++i) right += static_cast<std::size_t>(label(i) == predicted(i));
    return static_cast<double>(right) / static_cast<double>(data.size());
  }
};

struct ChosenWeights {
  Matrix weights;
  std::size_t release_number = 0;
};

Result<ChosenWeights> choose_weights(const PredictArguments& arguments, Workspace& workspace, bool has_key,
                                     Context& context) {
  if (arguments.kept) {
    // Predictions are functions of the weights.  Those of the kept weights could give away what was removed, one
    // prediction after the other.
    context.note(
        "these predictions come from the kept weights, which no noise protects; they must not leave the house");
    UNSCATTER_TRY(session, workspace.session());
    return ChosenWeights{session->weights(), 0};
  }
  auto model = workspace.release();
  if (!model.ok()) {
    // Only a model that is published now has to be signed for.  One that is published already needs no key, so a
    // missing key is an error only here.
    if (!has_key) UNSCATTER_CHECK_OK(arguments.key.load());
    return std::move(model).error();
  }
  return ChosenWeights{std::move(model->weights), model->release_number};
}

// A cell as RFC 4180 has it.
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string predictions_csv(const Predictions& p) {
  const bool ids = !p.data.graph_ids.empty();
  std::string text = ids ? "number,id,label,predicted" : "number,label,predicted";
  for (const std::string& name : p.class_names) text += ',' + csv_cell("score " + name);
  text += '\n';
  for (std::size_t i = 0; i < p.data.size(); ++i) {
    text += fmt::format("{}", i);
    if (ids) text += ',' + csv_cell(p.id(i));
    text += ',' + csv_cell(p.label(i)) + ',' + csv_cell(p.predicted(i));
    for (Eigen::Index k = 0; k < p.scores.cols(); ++k)
      text += fmt::format(",{}", p.scores(static_cast<Eigen::Index>(i), k));
    text += '\n';
  }
  return text;
}

std::string predictions_table(const Predictions& p) {
  Table table({{"number", Table::Align::kRight}, {"id"}, {"label"}, {"predicted"}, {"score", Table::Align::kRight}});
  const std::size_t shown = std::min(p.data.size(), kShownRows);
  for (std::size_t i = 0; i < shown; ++i) {
    table.add_row(
        {grouped(i), p.id(i), p.label(i), p.predicted(i),
         fmt::format("{:.4f}", p.scores(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(p.classes[i])))});
  }
  std::string text = table.str();
  if (shown < p.data.size()) text += fmt::format("... and {} more; --out writes all\n", grouped(p.data.size() - shown));
  return text;
}

Report report_predictions(const PredictArguments& arguments, const Predictions& p) {
  const std::optional<double> accuracy = p.accuracy();
  Report report;
  report.json = {{"workspace", arguments.workspace.path},
                 {"data", arguments.data},
                 {"graphs", p.data.size()},
                 {"classes", p.class_names},
                 {"model", arguments.kept ? "kept" : "published"},
                 {"release_number", arguments.kept ? Json(nullptr) : Json(p.release_number)},
                 {"accuracy", accuracy ? Json(*accuracy) : Json(nullptr)}};
  if (arguments.out.empty()) {
    Json predicted = Json::array();
    for (std::size_t i = 0; i < p.data.size(); ++i) predicted.push_back(p.predicted(i));
    report.json["predicted"] = std::move(predicted);
  } else {
    report.json["out"] = arguments.out;
  }
  report.text = arguments.out.empty() ? predictions_table(p)
                                      : fmt::format("{}: {} predictions\n", arguments.out, grouped(p.data.size()));
  report.text += arguments.kept ? "model: kept weights, NOT protected\n"
                                : fmt::format("model: published, number {}\n", p.release_number);
  if (accuracy)
    report.text += fmt::format("accuracy: {:.1f} % of {} graphs\n", 100 * *accuracy, grouped(p.data.size()));
  return report;
}

Result<Report> predict_classes(const PredictArguments& arguments, Context& context) {
  if (!arguments.out.empty()) UNSCATTER_CHECK_OK(check_free(arguments.out, arguments.force, "--force replaces it"));
  UNSCATTER_TRY(catalogue, load_catalogue());
  UNSCATTER_TRY(path, resolve_dataset(arguments.data, catalogue));
  // A model that is published already can be used by those who have no key.
  UNSCATTER_TRY(key, arguments.key.load_if_there());
  const bool has_key = key != nullptr;
  UNSCATTER_TRY(workspace, arguments.kept
                               ? arguments.workspace.open_to_read(context, arguments.key.record())
                               : arguments.workspace.open_for_model(context, arguments.key.record(), std::move(key)));
  const std::size_t threads = arguments.workspace.threads;
  Predictions p;
  UNSCATTER_TRY(data, read_dataset(path, {.limits = {},
                                          .symmetrise = arguments.symmetrise,
                                          .threads = threads,
                                          .progress = &context.progress()}));
  p.data = std::move(data);
  UNSCATTER_TRY(rows, workspace.embedder().embed(p.data, {.threads = threads, .progress = &context.progress()}));
  const SparseBlockRows Z = workspace.info().options.bias ? with_bias(rows) : std::move(rows);
  // After the data was embedded: a file that cannot be read must not use up a release.
  UNSCATTER_TRY(chosen, choose_weights(arguments, workspace, has_key, context));
  p.class_names = workspace.info().class_names;
  p.release_number = chosen.release_number;
  p.classes = predict(Z, chosen.weights);
  p.scores = product(Z, chosen.weights, threads);
  if (!arguments.out.empty()) UNSCATTER_CHECK_OK(replace_file(arguments.out, predictions_csv(p)));
  return report_predictions(arguments, p);
}

}  // namespace

void add_predict_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("predict", "Classify the graphs of a data set with the published model");
  const auto arguments = std::make_shared<PredictArguments>();
  arguments->workspace.add_to(command);
  command.add_option("--data", arguments->data, "A data set, or the name of one that is here")->required();
  command.add_option("--out", arguments->out,
                     "Where the predictions go, a CSV file: number, id, label, predicted, scores");
  command.add_flag("--force", arguments->force, "Replace --out if it exists");
  command.add_flag("--kept", arguments->kept,
                   "Use the kept weights, which are not protected: for evaluation inside the house");
  command.add_flag("--symmetrise", arguments->symmetrise, "Make directed graphs undirected first");
  arguments->key.add_to(command);
  command.footer(R"(
Examples:
  unscatter predict --workspace w.unscatter --data new-groups.jsonl
  unscatter predict --workspace w.unscatter --data new-groups.jsonl --out predictions.csv
  unscatter predict --workspace w.unscatter --data held-out.jsonl --kept --json

Predictions come from the model that is published now; if there is none since the last removal, one is published,
signed for and counted against the guarantee.  Predictions of the kept weights could give away what was removed.)");
  context.add_action(command, [arguments, &context] { return predict_classes(*arguments, context); });
}

}  // namespace unscatter::cli
