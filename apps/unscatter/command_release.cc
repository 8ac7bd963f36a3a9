#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <optional>
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

// Everything but the numbers, and a number with its comma.
constexpr std::size_t kDocumentRoom = 65536;
constexpr std::size_t kRoomPerNumber = 26;

struct ReleaseArguments {
  WorkspaceArguments workspace;
  KeyArguments key;
  std::string out;
  std::string receipt;
  bool force = false;
  bool fresh = false;
};

Result<Report> release_model(const ReleaseArguments& arguments, Context& context) {
  // Before anything is published: a release that cannot be written would be counted and lost.
  UNSCATTER_CHECK_OK(check_free(arguments.out, arguments.force, "--force replaces it"));
  if (!arguments.receipt.empty())
    UNSCATTER_CHECK_OK(check_free(arguments.receipt, arguments.force, "--force replaces it"));
  UNSCATTER_TRY(key, arguments.key.load());
  UNSCATTER_TRY(workspace, arguments.workspace.open(context, arguments.key.record(), std::move(key)));
  // Opened before anything is published, with room for what is to come: a model that cannot be written should not be
  // counted.
  const WorkspaceInfo& info = workspace.info();
  const std::size_t numbers = info.class_names.size() * (workspace.embedder().width() + 1);
  UNSCATTER_TRY(out, OutputFile::open(arguments.out, kDocumentRoom + kRoomPerNumber * numbers));
  std::optional<OutputFile> receipt_file;
  if (!arguments.receipt.empty()) {
    UNSCATTER_TRY(opened, OutputFile::open(arguments.receipt, kDocumentRoom));
    receipt_file.emplace(std::move(opened));
  }
  // Only the count tells whether this call published a model or gave the present one again.
  const std::size_t published_before = workspace.info().published;
  UNSCATTER_TRY(model, workspace.release(arguments.fresh));
  const bool is_new = workspace.info().published > published_before;
  // After the ledger has it.  A model that somebody holds is never uncounted.
  UNSCATTER_TRY(document, workspace.published_document());
  Status written = out.write(published_model_text(document));
  if (written.ok() && receipt_file) {
    UNSCATTER_TRY(receipt, workspace.receipt(document.sequence));
    written = receipt_file->write(receipt_text(receipt));
  }

  const Promise& promise = model.promise;
  Report report;
  report.json = {{"workspace", arguments.workspace.path},
                 {"out", arguments.out},
                 {"new", is_new},
                 {"release_number", model.release_number},
                 {"entry", document.sequence},
                 {"hash", document.entry.hex()},
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
                                           grouped(promise.releases - workspace.info().published_in_count))});
    add_earlier_rows(table, promise);
  }
  add_embedding_rows(table, promise);
  if (written.ok()) table.add_row({"written", arguments.out});
  report.text = table.str();
  report.stands = fmt::format("model {} is published, as ledger entry {}", model.release_number, document.sequence);
  if (!written.ok()) {
    report.refusal = Error{
        written.error().code,
        fmt::format("{}, but {}; 'unscatter release --workspace {} --out FILE' writes the same model and uses no other "
                    "release",
                    report.stands, written.error().message, arguments.workspace.path)};
  }
  return report;
}

}  // namespace

void add_release_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("release", "Publish a model: the weights that may leave the house");
  const auto arguments = std::make_shared<ReleaseArguments>();
  arguments->workspace.add_to(command);
  arguments->key.add_to(command);
  command.add_option("--out", arguments->out, "Where the model goes, a JSON file")->required();
  command.add_option("--receipt", arguments->receipt, "Write the signed receipt of this release here");
  command.add_flag("--force", arguments->force, "Replace --out and --receipt if they exist");
  command.add_flag("--fresh", arguments->fresh, "Another model, with noise of its own; counts against the guarantee");
  command.footer(R"(
Examples:
  unscatter release --workspace w.unscatter --out model.json
  unscatter release --workspace w.unscatter --out model.json --force
  unscatter release --workspace w.unscatter --out second.json --fresh
  unscatter release --workspace w.unscatter --out model.json --receipt release.json
  unscatter verify --model model.json --key operator.pub

The model is signed.  It names its ledger entry, and the entry commits to exactly these weights.
Until the next removal it is the same model every time: seeing it again tells nobody anything new.)");
  context.add_action(command, [arguments, &context] { return release_model(*arguments, context); });
}

}  // namespace unscatter::cli
