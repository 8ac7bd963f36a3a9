#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "files.h"
#include "key_options.h"
#include "locations.h"
#include "prediction_lines.h"
#include "row_options.h"
#include "store/shard_crew.h"
#include "unscatter/graph/read.h"
#include "unscatter/store/receipt.h"
#include "unscatter/store/signing_key.h"
#include "workspace_options.h"

namespace unscatter::cli {
namespace {

// A screen of them.
constexpr std::size_t kShownRows = 20;

struct PredictArguments {
  std::string data;
  RowArguments rows;  // in place of `data`
  std::string model;
  std::string out;
  std::string format;
  std::string key;  // with --model a public key, with --workspace the file of the signing key
  bool force = false;
  bool scores = false;
  // An option that has to be asked for: predictions that leave the house come from the published model.
  bool kept = false;
  bool symmetrise = false;
  WorkspaceArguments workspace;

  // Where lines go; empty: nowhere, a table is shown.
  [[nodiscard]] std::string lines_to() const { return out.empty() && !format.empty() ? "-" : out; }
  // $UNSCATTER_KEY names a signing key, so it says nothing about who must have signed a model.
  [[nodiscard]] KeyArguments signing_key() const {
    const char* variable = std::getenv("UNSCATTER_KEY");
    return KeyArguments{key.empty() && variable != nullptr ? std::string(variable) : key};
  }
};

Status check_predict_usage(const PredictArguments& arguments, const Context& context) {
  const auto wrong = [](const char* sentence) { return Error{ErrorCode::kInvalidArgument, sentence}; };
  UNSCATTER_CHECK_OK(arguments.rows.check(arguments.data));
  const bool workspace = !arguments.workspace.path.empty();
  if (workspace == !arguments.model.empty()) {
    return wrong("predictions come from one model: name --model FILE, a published model, or --workspace W");
  }
  if (!workspace && arguments.kept) return wrong("--kept needs --workspace: a published model has no kept weights");
  if (context.json() && arguments.lines_to() == "-") {
    return wrong("--json prints one document on standard output; write the predictions to a file with --out FILE");
  }
  if (arguments.scores && arguments.lines_to().empty()) {
    return wrong("--scores is for lines of CSV or JSONL; add --out FILE, or --format csv for standard output");
  }
  return ok_status();
}

// What was predicted, as far as the report needs it.
struct Tally {
  std::size_t graphs = 0;
  std::size_t labelled = 0;
  std::size_t right = 0;
  bool unknown_class = false;  // the data has a class that the model does not know
  std::vector<std::string> predicted;
  Table table{{{"number", Table::Align::kRight}, {"id"}, {"label"}, {"predicted"}, {"lead", Table::Align::kRight}}};

  // Share of the graphs with a label whose label is predicted.
  [[nodiscard]] std::optional<double> accuracy() const {
    if (labelled == 0 || unknown_class) return std::nullopt;
    return static_cast<double>(right) / static_cast<double>(labelled);
  }
};

// Graphs that were embedded together.
struct Batch {
  std::vector<LineSubject> subjects;
  SparseBlockRows rows;
  std::vector<double> scores;  // in the place of rows, where other processes have computed them
};

// The file that the arguments name; nothing for standard input and for rows.
Result<std::optional<std::filesystem::path>> data_path(const PredictArguments& arguments) {
  if (arguments.rows.given() || arguments.data == "-") return std::optional<std::filesystem::path>();
  UNSCATTER_TRY(catalogue, load_catalogue());
  UNSCATTER_TRY(path, resolve_dataset(arguments.data, catalogue));
  return std::optional(std::move(path));
}

Result<GraphStream> open_data(const PredictArguments& arguments, const std::optional<std::filesystem::path>& path,
                              Context& context) {
  const ReadOptions options{.limits = {},
                            .symmetrise = arguments.symmetrise,
                            .threads = arguments.workspace.threads,
                            .progress = &context.progress()};
  if (arguments.rows.given()) return GraphStream::open_rows(arguments.rows.files(), options);
  return GraphStream::open(path ? *path : std::filesystem::path("-"), options);
}

class PredictionRun {
 public:
  PredictionRun(const PredictArguments& arguments, const Context& context)
      : arguments_(arguments), crew_(context.crew()), keep_names_(context.json() && arguments.out.empty()) {}

  // Reads all graphs and embeds them, some at a time.  Predicts at once if there is a model already.
  // `path`: of the stream, if it is a file.
  Status read(GraphStream& stream, const std::optional<std::filesystem::path>& path, const Embedder& embedder,
              Context& context) {
    // Where the program runs on many machines, each reads its own part.  What is strange about a file is met, and
    // worded, by reading it here.
    EmbedCrew::Shared shared;
    if (crew_ != nullptr && path && is_jsonl(*path)) {
      const EmbedOptions how{arguments_.workspace.threads, &context.progress(), nullptr};
      const auto take = [this](EmbeddedPiece piece) { return this->take(std::move(piece)); };
      const FixedScores* scores = predictor_ ? &predictor_->scores() : nullptr;
      UNSCATTER_TRY(done, crew_->embed_file(*path, embedder, {scores, arguments_.symmetrise}, how, take));
      shared = done;
    }
    if (shared.all) return ok_status();
    for (std::size_t i = 0; i < shared.graphs; ++i) UNSCATTER_CHECK_OK(stream.next());
    for (;;) {
      UNSCATTER_TRY(graphs, stream.next_some());
      if (graphs.empty()) return ok_status();
      UNSCATTER_TRY(batch, embedded(std::move(graphs), embedder));
      UNSCATTER_CHECK_OK(take(std::move(batch)));
    }
  }

  // From now on there is a model.
  Status use(Predictor predictor) {
    predictor_.emplace(std::move(predictor));
    const std::string path = arguments_.lines_to();
    if (!path.empty()) {
      lines_.emplace(line_format(arguments_.format, path), arguments_.scores, predictor_->class_names());
      UNSCATTER_TRY(output, LineOutput::open(path));
      output_.emplace(std::move(output));
      UNSCATTER_CHECK_OK(output_->write(lines_->header()));
    }
    for (const Batch& batch : waiting_) UNSCATTER_CHECK_OK(predict(batch));
    waiting_.clear();
    return ok_status();
  }

  Status finish() { return output_ ? output_->commit() : ok_status(); }
  [[nodiscard]] const Tally& tally() const { return tally_; }

 private:
  Status take(Batch batch) {
    taken_ += batch.subjects.size();
    if (predictor_) return predict(batch);
    waiting_.push_back(std::move(batch));
    return ok_status();
  }
  Status take(EmbeddedPiece piece) {
    Batch batch{{}, std::move(piece.rows), std::move(piece.scores)};
    for (EmbeddedPiece::Subject& subject : piece.subjects) {
      batch.subjects.push_back({taken_ + batch.subjects.size(), std::move(subject.id), std::move(subject.label)});
    }
    return take(std::move(batch));
  }

  [[nodiscard]] Result<Batch> embedded(std::vector<StreamedGraph> graphs, const Embedder& embedder) const {
    std::vector<const Graph*> pointers;
    pointers.reserve(graphs.size());
    for (const StreamedGraph& graph : graphs) pointers.push_back(&graph.graph);
    Result<SparseBlockRows> rows =
        embedder.embed(pointers, {.threads = arguments_.workspace.threads, .progress = nullptr, .crew = crew_});
    if (!rows.ok()) return with_place(graphs, embedder, std::move(rows).error());
    Batch batch{{}, *std::move(rows), {}};
    for (StreamedGraph& graph : graphs) {
      batch.subjects.push_back({graph.number, std::move(graph.id), std::move(graph.label)});
    }
    return batch;
  }

  // The embedder numbers the graphs of a batch.  People look for a line.
  static Error with_place(const std::vector<StreamedGraph>& graphs, const Embedder& embedder, Error error) {
    for (const StreamedGraph& graph : graphs) {
      const Result<BlockRow> row = embedder.embed(graph.graph);
      if (row.ok()) continue;
      return {row.error().code,
              fmt::format("{}: {}; the model needs what it was trained on: give the graph the same features, or leave "
                          "it out",
                          graph.place, row.error().message)};
    }
    return error;
  }

  [[nodiscard]] Prediction of(const Batch& batch, std::size_t i) const {
    if (batch.scores.empty()) return predictor_->predict(batch.rows.row(i));
    const std::size_t classes = predictor_->class_names().size();
    const auto first = batch.scores.begin() + static_cast<std::ptrdiff_t>(i * classes);
    return Predictor::decide({first, first + static_cast<std::ptrdiff_t>(classes)});
  }

  Status predict(const Batch& batch) {
    std::string text;
    for (std::size_t i = 0; i < batch.subjects.size(); ++i) {
      const Prediction prediction = of(batch, i);
      count(batch.subjects[i], prediction);
      if (lines_) text += lines_->line(batch.subjects[i], prediction);
    }
    return output_ ? output_->write(text) : ok_status();
  }

  void count(const LineSubject& subject, const Prediction& prediction) {
    const std::vector<std::string>& names = predictor_->class_names();
    const std::string& predicted = names.at(prediction.predicted);
    if (subject.label) {
      ++tally_.labelled;
      if (*subject.label == predicted) ++tally_.right;
      if (std::find(names.begin(), names.end(), *subject.label) == names.end()) tally_.unknown_class = true;
    }
    if (keep_names_) tally_.predicted.push_back(predicted);
    if (!lines_ && tally_.graphs < kShownRows) {
      tally_.table.add_row({grouped(subject.number), subject.id.value_or(""), subject.label.value_or(""), predicted,
                            fmt::format("{:.4f}", prediction.lead)});
    }
    ++tally_.graphs;
  }

  const PredictArguments& arguments_;
  ShardCrew* crew_;
  bool keep_names_;
  std::optional<Predictor> predictor_;
  std::optional<PredictionLines> lines_;
  std::optional<LineOutput> output_;
  std::vector<Batch> waiting_;
  std::size_t taken_ = 0;  // graphs, from the first one of the file on
  Tally tally_;
};

// Where the weights come from, for the report.
struct ModelOrigin {
  Json json = Json::object();
  std::string text;
};

// The key inside the file is enough to notice a file that was cut or changed by accident.  It does not tell who signed:
// anybody can make a key and sign with it (docs/receipts.md).
Status check_signer(const PredictArguments& arguments, const PublishedDocument& document, Context& context) {
  PublicKey key = document.signer;
  if (!arguments.key.empty()) {
    UNSCATTER_TRY(given, read_public_key(arguments.key));
    key = given;
  }
  const Status status = check_signature(document, key);
  if (!status.ok()) return Error{status.error().code, fmt::format("'{}': {}", arguments.model, status.error().message)};
  if (arguments.key.empty() && !context.quiet()) {
    context.note(
        fmt::format("the signature of '{}' fits the key in the file itself, {}; that does not tell who signed "
                    "it: --key says whom you trust",
                    arguments.model, key.hex()));
  }
  return ok_status();
}

Result<ModelOrigin> predict_by_file(const PredictArguments& arguments, PredictionRun& run, Context& context) {
  UNSCATTER_TRY(text, read_small_file(arguments.model));
  const auto named = [&](const Error& error) {
    return Error{error.code, fmt::format("'{}': {}", arguments.model, error.message)};
  };
  const Result<PublishedDocument> document = parse_published_model(text);
  if (!document.ok()) return named(document.error());
  UNSCATTER_CHECK_OK(check_signer(arguments, *document, context));
  Result<Predictor> predictor = Predictor::create(*document);
  if (!predictor.ok()) return named(predictor.error());
  UNSCATTER_TRY(path, data_path(arguments));
  UNSCATTER_TRY(stream, open_data(arguments, path, context));
  const Predictor& model = *predictor;
  UNSCATTER_CHECK_OK(run.use(model));
  UNSCATTER_CHECK_OK(run.read(stream, path, model.embedder(), context));

  ModelOrigin origin;
  origin.json = {{"model_file", arguments.model},
                 {"model", "published"},
                 {"release_number", document->model.release_number},
                 {"signer", document->signer.hex()},
                 {"signer_given", !arguments.key.empty()},
                 {"classes", model.class_names()}};
  origin.text =
      fmt::format("published, number {} of workspace {}", document->model.release_number, document->workspace);
  return origin;
}

Result<PublishedModel> choose_model(const PredictArguments& arguments, Workspace& workspace, bool has_key,
                                    Context& context) {
  if (arguments.kept) {
    // Predictions are functions of the weights.  Those of the kept weights could give away what was removed, one
    // prediction after the other.
    context.note(
        "these predictions come from the kept weights, which no noise protects; they must not leave the house");
    PublishedModel kept;
    kept.weights = workspace.kept_weights();
    kept.class_names = workspace.info().class_names;
    kept.bias = workspace.info().options.bias;
    return kept;
  }
  auto model = workspace.release();
  // Only a model that is published now has to be signed for.  One that is published already needs no key, so a missing
  // key is an error only here.
  if (!model.ok() && !has_key) UNSCATTER_CHECK_OK(arguments.signing_key().load());
  return model;
}

Result<ModelOrigin> predict_by_workspace(const PredictArguments& arguments, PredictionRun& run, Context& context) {
  const KeyArguments key_arguments = arguments.signing_key();
  // A model that is published already can be used by those who have no key.
  UNSCATTER_TRY(key, key_arguments.load_if_there());
  const bool has_key = key != nullptr;
  UNSCATTER_TRY(workspace, arguments.kept
                               ? arguments.workspace.open_to_read(context, key_arguments.record())
                               : arguments.workspace.open_for_model(context, key_arguments.record(), std::move(key)));
  UNSCATTER_TRY(path, data_path(arguments));
  UNSCATTER_TRY(stream, open_data(arguments, path, context));
  UNSCATTER_CHECK_OK(run.read(stream, path, workspace.embedder(), context));
  // After all data was embedded: a file that cannot be read must not use up a release.
  UNSCATTER_TRY(model, choose_model(arguments, workspace, has_key, context));
  ModelOrigin origin;
  origin.json = {{"workspace", arguments.workspace.path},
                 {"model", arguments.kept ? "kept" : "published"},
                 {"release_number", arguments.kept ? Json(nullptr) : Json(model.release_number)},
                 {"classes", model.class_names}};
  origin.text = arguments.kept ? std::string("kept weights, NOT protected")
                               : fmt::format("published, number {}", model.release_number);
  // The workspace owns the embedder and outlives the predictor's use of it, which ends here.
  const std::shared_ptr<const Embedder> embedder(std::shared_ptr<const Embedder>(), &workspace.embedder());
  UNSCATTER_TRY(predictor, Predictor::create(embedder, std::move(model)));
  UNSCATTER_CHECK_OK(run.use(std::move(predictor)));
  return origin;
}

std::string accuracy_text(const Tally& tally) {
  if (const std::optional<double> accuracy = tally.accuracy()) {
    return fmt::format("accuracy: {:.1f} % of {} graphs{}", 100 * *accuracy, grouped(tally.labelled),
                       tally.labelled < tally.graphs ? " with a label" : "");
  }
  return "";
}

Report report_predictions(const PredictArguments& arguments, const Tally& tally, ModelOrigin origin, Context& context) {
  const std::optional<double> accuracy = tally.accuracy();
  Report report;
  report.json = std::move(origin.json);
  report.json["data"] = arguments.rows.given() ? arguments.rows.rows : arguments.data;
  report.json["graphs"] = tally.graphs;
  report.json["labelled"] = tally.labelled;
  report.json["accuracy"] = accuracy ? Json(*accuracy) : Json(nullptr);
  if (arguments.out.empty()) {
    report.json["predicted"] = tally.predicted;
  } else {
    report.json["out"] = arguments.out;
  }
  if (arguments.lines_to() == "-") {
    // Standard output has the lines and nothing else.
    std::string summary = fmt::format("{} predicted; model: {}", counted(tally.graphs, "graph", "graphs"), origin.text);
    if (accuracy) summary += "; " + accuracy_text(tally);
    if (!context.quiet()) context.note(summary);
    return report;
  }
  if (arguments.out.empty()) {
    report.text = tally.table.str();
    if (tally.graphs > kShownRows) {
      report.text += fmt::format("... and {} more; --out writes all\n", grouped(tally.graphs - kShownRows));
    }
  } else {
    report.text = fmt::format("{}: {} predictions\n", arguments.out, grouped(tally.graphs));
  }
  report.text += fmt::format("model: {}\n", origin.text);
  if (accuracy) report.text += accuracy_text(tally) + '\n';
  return report;
}

Result<Report> predict_classes(const PredictArguments& arguments, Context& context) {
  if (!arguments.out.empty() && arguments.out != "-")
    UNSCATTER_CHECK_OK(check_free(arguments.out, arguments.force, "--force replaces it"));
  PredictionRun run(arguments, context);
  UNSCATTER_TRY(origin, arguments.model.empty() ? predict_by_workspace(arguments, run, context)
                                                : predict_by_file(arguments, run, context));
  UNSCATTER_CHECK_OK(run.finish());
  return report_predictions(arguments, run.tally(), std::move(origin), context);
}

}  // namespace

void add_predict_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("predict", "Classify the graphs of a data set with a published model");
  const auto arguments = std::make_shared<PredictArguments>();
  command.add_option("--model", arguments->model,
                     "A published model, as release writes it: no workspace and no signing key are needed");
  arguments->workspace.add_to(command, false);
  command.add_option(
      "--data", arguments->data,
      "A data set, or the name of one that is here; - reads JSONL from standard input; labels may be missing");
  arguments->rows.add_to(command, false);
  command.add_option("--out", arguments->out,
                     "Where the predictions go, one line per graph: number, id, label, predicted, lead; - is stdout");
  command.add_option("--format", arguments->format, "csv or jsonl (default: by the ending of --out, else csv)")
      ->check(CLI::IsMember({"csv", "jsonl"}));
  command.add_flag("--scores", arguments->scores, "Also write the score of every class");
  command.add_flag("--force", arguments->force, "Replace --out if it exists");
  command.add_flag("--kept", arguments->kept,
                   "Use the kept weights, which are not protected: for evaluation inside the house");
  command.add_flag("--symmetrise", arguments->symmetrise,
                   "For models of version 0.1, which do not know it: make directed graphs undirected first");
  command.add_option("--key", arguments->key,
                     "With --model: who must have signed it, a public key, 64 digits or a file. "
                     "With --workspace: the signing key");
  command.footer(R"(
Examples:
  unscatter predict --model model.json --data new-groups.jsonl --key operator.pub
  unscatter predict --model model.json --data - --format jsonl < new-groups.jsonl
  unscatter predict --workspace w.unscatter --data new-groups.jsonl --out predictions.csv --scores
  unscatter predict --workspace w.unscatter --data held-out.jsonl --kept --json
  unscatter predict --model model.json --rows new.npy --out predictions.csv

With --workspace, predictions come from the model that is published now; if there is none since the last removal, one
is published, signed for and counted against the guarantee.  Predictions of the kept weights could give away what was
removed.  A published model gives the same predictions from its file as from its workspace, to the last digit.)");
  context.add_action(
      command, [arguments, &context] { return predict_classes(*arguments, context); },
      [arguments, &context] { return check_predict_usage(*arguments, context); });
}

}  // namespace unscatter::cli
