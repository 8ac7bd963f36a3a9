#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "certificate_words.h"
#include "commands.h"
#include "files.h"
#include "key_options.h"
#include "workspace_options.h"

namespace unscatter::cli {
namespace {

struct ReleaseArguments {
  WorkspaceArguments workspace;
  KeyArguments key;
  std::string out;
  bool force = false;
  bool fresh = false;
};

Json transform_json(const TransformSpec& spec) {
  return {{"family", spec.family},          {"operator", walk_operator_name(spec.op)},
          {"scales", spec.scales},          {"moments", spec.moments},
          {"layers", spec.layers},          {"linear", spec.linear},
          {"kernel", spec.kernel},          {"method", spectral_method_name(spec.spectral.method)},
          {"degree", spec.spectral.degree}, {"damping", spec.pagerank_damping}};
}

// Everything somebody needs to use the model, and nothing that was computed from data without noise.
Json model_header(const PublishedModel& model, const WorkspaceInfo& info) {
  Json header = {{"format", "unscatter-model-1"},
                 {"workspace", info.id},
                 {"classes", model.class_names},
                 {"features", info.features},
                 {"transform", transform_json(info.transform)},
                 {"mechanism", nullptr},
                 {"epsilon", nullptr},
                 {"delta", nullptr},
                 {"noise_stddev", nullptr},
                 {"shift_limit", nullptr},
                 {"release_number", model.release_number},
                 {"releases", nullptr},
                 {"assumptions", nullptr}};
  fill_in_promise(header, model.promise, kPublishedPromise);
  return header;
}

// One line per class.
std::string model_text(const PublishedModel& model, const WorkspaceInfo& info) {
  const Eigen::Index width = model.weights.rows() - (model.bias ? 1 : 0);
  Json bias = model.bias ? Json::array() : Json(nullptr);
  std::string rows;
  for (Eigen::Index k = 0; k < model.weights.cols(); ++k) {
    const Vector weights = model.weights.col(k);
    rows += fmt::format("{}\n    {}", k == 0 ? "" : ",",
                        Json(std::vector<double>(weights.begin(), weights.begin() + width)).dump());
    if (model.bias) bias.push_back(weights(width));
  }
  std::string text = model_header(model, info).dump(2);
  text.resize(text.size() - 2);  // the closing brace and its line
  return text + fmt::format(",\n  \"bias\": {},\n  \"weights\": [{}\n  ]\n}}\n", bias.dump(), rows);
}

Result<Report> release_model(const ReleaseArguments& arguments, Context& context) {
  UNSCATTER_CHECK_OK(check_free(arguments.out, arguments.force, "--force replaces it"));
  UNSCATTER_TRY(key, arguments.key.load());
  UNSCATTER_TRY(workspace, arguments.workspace.open(context, std::move(key)));
  const std::size_t published_before = workspace.info().published;
  UNSCATTER_TRY(model, workspace.release(arguments.fresh));
  const bool is_new = workspace.info().published > published_before;
  UNSCATTER_CHECK_OK(replace_file(arguments.out, model_text(model, workspace.info())));

  const Promise& promise = model.promise;
  Report report;
  report.json = {{"workspace", arguments.workspace.path},
                 {"out", arguments.out},
                 {"new", is_new},
                 {"release_number", model.release_number},
                 {"releases", promise.releases},
                 {"classes", model.class_names},
                 {"coordinates", model.weights.rows()},
                 {"mechanism", name(promise.mechanism)},
                 {"epsilon", promise.guarantee.epsilon},
                 {"delta", promise.guarantee.delta},
                 {"noise_stddev", promise.noise_stddev}};
  Table table({{""}, {""}});
  table.add_row({"published", fmt::format("model {}{}", grouped(model.release_number),
                                          is_new ? "" : ", the same as before: nothing was removed since")});
  table.add_row({"promise", guarantee_words(promise)});
  if (promise.mechanism == Mechanism::kRelease) {
    table.add_row({"together", fmt::format("the promise covers {} models; {} are left", grouped(promise.releases),
                                           grouped(promise.releases - workspace.info().published))});
  }
  table.add_row({"written", arguments.out});
  report.text = table.str();
  return report;
}

}  // namespace

void add_release_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("release", "Publish a model: the weights that may leave the house");
  const auto arguments = std::make_shared<ReleaseArguments>();
  arguments->workspace.add_to(command);
  arguments->key.add_to(command);
  command.add_option("--out", arguments->out, "Where the model goes, a JSON file")->required();
  command.add_flag("--force", arguments->force, "Replace --out if it exists");
  command.add_flag("--fresh", arguments->fresh, "Another model, with noise of its own; counts against the guarantee");
  command.footer(R"(
Examples:
  unscatter release --workspace w.unscatter --out model.json
  unscatter release --workspace w.unscatter --out model.json --force
  unscatter release --workspace w.unscatter --out second.json --fresh

Until the next removal it is the same model every time: seeing it again tells nobody anything new.)");
  context.add_action(command, [arguments, &context] { return release_model(*arguments, context); });
}

}  // namespace unscatter::cli
