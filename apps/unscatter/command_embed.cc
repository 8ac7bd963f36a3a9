#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "base/stopwatch.h"
#include "commands.h"
#include "constant_options.h"
#include "embedding/fit_sample.h"
#include "embedding_output.h"
#include "files.h"
#include "locations.h"
#include "store/shard_crew.h"
#include "transform_options.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/embedding/walk_scattering.h"
#include "unscatter/graph/read.h"
#include "unscatter/store/workspace.h"

namespace unscatter::cli {
namespace {

struct EmbedArguments {
  std::string data;
  std::string out;
  bool force = false;
  bool frame_bounds = false;
  std::size_t threads = 0;
  TransformArguments transform;
  ConstantArguments constants;
};

struct Embedded {
  std::shared_ptr<const Embedder> embedder;
  std::optional<FrameBounds> frame;
  double read_seconds = 0;
  double embed_seconds = 0;
  double write_seconds = 0;
};

// The graphs, and which graph a row is of.  Labels may be missing: no embedding looks at them.
struct Collected {
  Dataset dataset;  // all of one class
  std::vector<LineSubject> subjects;
};

Result<Collected> collect(const std::filesystem::path& path, const ReadOptions& options) {
  UNSCATTER_TRY(stream, GraphStream::open(path, options));
  Collected collected;
  collected.dataset.class_names = {"any"};
  for (;;) {
    UNSCATTER_TRY(next, stream.next());
    if (!next) return collected;
    collected.dataset.graphs.push_back(std::move(next->graph));
    collected.dataset.labels.push_back(0);
    collected.subjects.push_back({next->number, std::move(next->id), std::move(next->label)});
  }
}

// Rows on their way into a file, of an embedder whose constants may turn out to be others.
struct Attempt {
  std::unique_ptr<EmbeddingOutput> output;
  FitSample& sample;
  bool fits = true;  // the constants, all graphs so far

  // A graph that was met.  Where a constant has changed, the rows are of no use, and the others are only looked at.
  void show(const Graph& graph) { fits = !sample.show(graph) && fits; }
  [[nodiscard]] Status append(const SparseBlockRows& rows, std::span<const LineSubject> subjects) {
    return fits ? output->append(rows, subjects) : ok_status();
  }
};

// Where the program runs on many machines, each reads its own part of a file of lines.  False: whatever is strange
// about the file is met, and worded, by reading it here.
Result<bool> embed_together(const std::filesystem::path& path, const Embedder& embedder, const FitRule& rule,
                            const EmbedArguments& arguments, Attempt& attempt, Context& context) {
  if (context.crew() == nullptr) return false;
  std::size_t number = 0;
  const auto take = [&attempt, &number](EmbeddedPiece piece) {
    for (const Graph& graph : piece.sample) attempt.show(graph);
    std::vector<LineSubject> subjects;
    for (EmbeddedPiece::Subject& subject : piece.subjects) {
      subjects.push_back({number++, std::move(subject.id), std::move(subject.label)});
    }
    return attempt.append(piece.rows, subjects);
  };
  const EmbedOptions how{arguments.threads, &context.progress(), nullptr};
  UNSCATTER_TRY(shared, context.crew()->embed_file(path, embedder, {.fitted_by = &rule}, how, take));
  return shared.all;
}

// The embedder numbers the graphs that it is given.  People look for one of the file.
Error with_number(const std::vector<StreamedGraph>& graphs, const Embedder& embedder, Error error) {
  for (const StreamedGraph& graph : graphs) {
    const Result<BlockRow> row = embedder.embed(graph.graph);
    if (!row.ok()) return {row.error().code, fmt::format("graph {}: {}", graph.number, row.error().message)};
  }
  return error;
}

// A few graphs at a time, so a file of lines may be longer than memory.
Status embed_alone(const std::filesystem::path& path, const EmbedArguments& arguments, Embedded& embedded,
                   Attempt& attempt, Context& context) {
  const Embedder& embedder = *embedded.embedder;
  UNSCATTER_TRY(stream, GraphStream::open(path, {.threads = arguments.threads, .progress = &context.progress()}));
  for (Stopwatch watch;;) {
    UNSCATTER_TRY(graphs, stream.next_some());
    if (graphs.empty()) return ok_status();
    std::vector<const Graph*> pointers;
    std::vector<LineSubject> subjects;
    for (StreamedGraph& graph : graphs) {
      attempt.show(graph.graph);
      pointers.push_back(&graph.graph);
      subjects.push_back({graph.number, std::move(graph.id), std::move(graph.label)});
    }
    embedded.read_seconds += watch.lap();
    if (!attempt.fits) continue;
    Result<SparseBlockRows> rows =
        embedder.embed(pointers, {.threads = arguments.threads, .progress = nullptr, .crew = context.crew()});
    if (!rows.ok()) return with_number(graphs, embedder, std::move(rows).error());
    embedded.embed_seconds += watch.lap();
    UNSCATTER_CHECK_OK(attempt.append(*rows, subjects));
    embedded.write_seconds += watch.lap();
  }
}

// Constants are those of the first graphs, and if later ones change them, everything is done once more.  Nothing: they
// have to be known in another way (embed_all()).
Result<std::unique_ptr<EmbeddingOutput>> embed_lines(const std::filesystem::path& path, const FitRule& rule,
                                                     const TransformSpec& spec, const EmbedArguments& arguments,
                                                     Embedded& embedded, Context& context) {
  const FitSource source = arguments.constants.source(ConstantKind::kStated, nullptr);
  FitSample sample(rule.features, source, rule.symmetrise);
  {
    Result<GraphStream> stream = GraphStream::open(path, {.threads = arguments.threads});
    if (!stream.ok()) return std::unique_ptr<EmbeddingOutput>();
    const Result<std::vector<StreamedGraph>> first = stream->next_some();
    if (!first.ok()) return std::unique_ptr<EmbeddingOutput>();
    for (const StreamedGraph& graph : *first) sample.show(graph.graph);
  }
  for (bool again = false;; again = true) {
    Result<std::shared_ptr<const Embedder>> made = make_embedder(rule.features, spec, sample.graphs(), source);
    if (!made.ok()) return std::unique_ptr<EmbeddingOutput>();
    embedded.embedder = *std::move(made);
    Stopwatch watch;
    UNSCATTER_TRY(output, EmbeddingOutput::create(arguments.out, embedded.embedder->width()));
    Attempt attempt{std::make_unique<EmbeddingOutput>(std::move(output)), sample};
    UNSCATTER_TRY(together, embed_together(path, *embedded.embedder, rule, arguments, attempt, context));
    embedded.embed_seconds += watch.lap();
    if (!together) {
      UNSCATTER_TRY(from_the_start, EmbeddingOutput::create(arguments.out, embedded.embedder->width()));
      attempt.output = std::make_unique<EmbeddingOutput>(std::move(from_the_start));
      const Status alone = embed_alone(path, arguments, embedded, attempt, context);
      // A graph that cannot be embedded with these constants may be good with those of all graphs.
      if (!alone.ok() && again) return alone.error();
      if (!alone.ok()) return std::unique_ptr<EmbeddingOutput>();
    }
    if (attempt.fits) return std::move(attempt.output);
    if (again) return std::unique_ptr<EmbeddingOutput>();  // somebody writes to the file
  }
}

// All graphs at the same time: for constants that are fitted on them, and for formats that are read as a whole.
Result<EmbeddingOutput> embed_all(const std::filesystem::path& path, const std::string& features,
                                  const TransformSpec& spec, const WaveletBank* bank, const EmbedArguments& arguments,
                                  Embedded& embedded, Context& context) {
  Stopwatch watch;
  UNSCATTER_TRY(collected, collect(path, {.threads = arguments.threads, .progress = &context.progress()}));
  Dataset& dataset = collected.dataset;
  embedded.read_seconds = watch.lap();
  UNSCATTER_TRY(made,
                make_embedder(features, spec, dataset, arguments.constants.source(ConstantKind::kStated, nullptr)));
  embedded.embedder = std::move(made);
  watch.lap();
  UNSCATTER_TRY(rows,
                embedded.embedder->embed(
                    dataset, {.threads = arguments.threads, .progress = &context.progress(), .crew = context.crew()}));
  embedded.embed_seconds = watch.lap();
  if (bank != nullptr) {
    // The bounds belong to the graphs that the wavelets see.
    if (spec.symmetrise) {
      for (Graph& graph : dataset.graphs) graph = symmetrised(graph);
    }
    UNSCATTER_TRY(bounds, frame_bounds_over(*bank, dataset.graphs, arguments.threads, context.progress()));
    embedded.frame = bounds;
    watch.lap();
  }
  UNSCATTER_TRY(output, EmbeddingOutput::create(arguments.out, rows.columns()));
  UNSCATTER_CHECK_OK(output.append(rows, collected.subjects));
  embedded.write_seconds = watch.lap();
  return output;
}

Report report_of(const Embedded& e, const EmbeddingOutput& output, const EmbedArguments& arguments) {
  const EmbeddingBlock& first = e.embedder->blocks().front();
  const std::string features = first.features.describe();
  const std::string transform = first.transform->name();
  Report report;
  report.json = {{"data", arguments.data},
                 {"graphs", output.rows()},
                 {"coordinates", output.columns()},
                 {"stored_share", output.density()},
                 {"largest_norm", output.largest_norm()},
                 {"features", features},
                 {"transform", transform},
                 {"simd", simd_target_name()},
                 {"read_seconds", e.read_seconds},
                 {"embed_seconds", e.embed_seconds},
                 {"write_seconds", e.write_seconds}};
  if (!arguments.out.empty()) report.json["out"] = arguments.out;
  if (!arguments.out.empty() && !is_csv(arguments.out)) report.json["graphs_out"] = graphs_path(arguments.out);
  if (e.frame) report.json["frame_bounds"] = {{"lower", e.frame->lower}, {"upper", e.frame->upper}};

  Table table({{""}, {""}});
  table.add_row({"graphs", grouped(output.rows())});
  table.add_row({"features", features});
  table.add_row({"transform", transform});
  table.add_row({"embedding", fmt::format("{} coordinates, {:.1f} % of them stored, largest |z| {:.4g}",
                                          grouped(output.columns()), 100 * output.density(), output.largest_norm())});
  if (e.frame)
    table.add_row(
        {"frame bounds", fmt::format("A = {:.6g}, B = {:.6g} over all graphs", e.frame->lower, e.frame->upper)});
  table.add_row({"time", fmt::format("read {:.3f} s, embed {:.3f} s, write {:.3f} s", e.read_seconds, e.embed_seconds,
                                     e.write_seconds)});
  if (!arguments.out.empty()) table.add_row({"written", arguments.out});
  if (!arguments.out.empty() && !is_csv(arguments.out)) table.add_row({"ids, labels", graphs_path(arguments.out)});
  report.text = table.str();
  return report;
}

Result<Report> embed(const EmbedArguments& arguments, Context& context) {
  if (!arguments.out.empty()) {
    UNSCATTER_CHECK_OK(check_free(arguments.out, arguments.force, "--force replaces it"));
    if (!is_csv(arguments.out)) {
      UNSCATTER_CHECK_OK(check_free(graphs_path(arguments.out), arguments.force, "--force replaces it"));
    }
  }
  UNSCATTER_TRY(spec, arguments.transform.spec());
  UNSCATTER_CHECK_OK(make_transform(spec));  // before reading: a wrong option should not cost a minute
  std::shared_ptr<const WaveletBank> bank;
  if (arguments.frame_bounds) {
    UNSCATTER_TRY(made, make_wavelet_bank(spec));
    if (made == nullptr) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("transform {} has no wavelets, hence no frame bounds", spec.family)};
    }
    bank = std::move(made);
  }
  UNSCATTER_TRY(catalogue, load_catalogue());
  UNSCATTER_TRY(path, resolve_dataset(arguments.data, catalogue));

  Embedded embedded;
  std::unique_ptr<EmbeddingOutput> output;
  const std::string features = arguments.transform.features_for(spec);
  WorkspaceSetup setup;
  setup.features = features;
  setup.fit = arguments.constants.source(ConstantKind::kStated, nullptr);
  if (bank == nullptr && is_jsonl(path) && !reason_against_streaming(setup)) {
    UNSCATTER_TRY(lines,
                  embed_lines(path, {features, setup.fit.kind, spec.symmetrise}, spec, arguments, embedded, context));
    output = std::move(lines);
  }
  if (!output) {
    embedded = Embedded();
    UNSCATTER_TRY(all, embed_all(path, features, spec, bank.get(), arguments, embedded, context));
    output = std::make_unique<EmbeddingOutput>(std::move(all));
  }
  Stopwatch watch;
  UNSCATTER_CHECK_OK(output->commit());
  embedded.write_seconds += watch.lap();
  return report_of(embedded, *output, arguments);
}

}  // namespace

void add_embed_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("embed", "Embed every graph of a data set");
  const auto arguments = std::make_shared<EmbedArguments>();
  command.add_option("--data", arguments->data, "A data set, or the name of one that is here")->required();
  command.add_option(
      "--out", arguments->out,
      "Where the embeddings go: a NumPy file (graphs x coordinates, float64), with ids and labels in NAME.graphs.csv "
      "beside it, or NAME.csv, which has all three");
  command.add_flag("--force", arguments->force, "Replace --out if it exists");
  arguments->transform.add_to(command);
  arguments->constants.add_fit_to(command);
  command.add_flag("--frame-bounds", arguments->frame_bounds,
                   "Also compute the wavelets' frame bounds (O(g^3) per graph)");
  command.add_option("--threads", arguments->threads, "Threads; 0 for all. The result does not depend on it")
      ->capture_default_str();
  command.footer(R"help(
Examples:
  unscatter embed --data IMDB-BINARY --out Z.npy
  unscatter embed --data MNIST --embedding auto
  unscatter embed --data NCI1 --embedding "size*3 + label-counts*3 + returns*3 + colours + paths"
  unscatter embed --data groups.jsonl --embedding "size + shapes*2 + kinds > fourier:4096:0.5:1"
  unscatter embed --data groups.jsonl --features log-degree+constant --scales 5 --moments 4
  unscatter embed --data MUTAG.zip --transform itersine --layers 2 --frame-bounds
  unscatter embed --data MNIST.npz --features "intensity+product(intensity,position)" --json
  unscatter embed --data MUTAG.zip --transform custom --kernel "0..1: 1 -1 | 0..1: 0 1; 1..2: 1"

Recipes (--embedding): auto, social, molecule, image, drawing, general, paper, portrait, or parts joined by '+', each
with constants behind ':' and a weight behind '*'; docs/embeddings.md lists the parts.  Their lambda: 1e-6, or 1e-4 for
parts that are written down.
Features are blocks joined by '+'.  Some look at no data: soft-degree[:CENTRES], label-buckets[:BUCKETS],
soft-attributes[:COUNT], wide-attributes[:COUNT], log-degree, constant, position, attributes[:COUNT],
intensity[:COUNT].  Some have constants that are stated or fitted (--fit): degree-onehot[:WIDTH], labels[:A,B,...],
standard-attributes[:MEAN/SCALE,...].  product(a,b) multiplies two of them.  all: soft-degree, and label-buckets and
wide-attributes where the data have labels and attributes.  auto: the same with soft-attributes.  paper: labels,
attributes or degree-onehot, as in the paper.  All constants are printed.)help");
  context.add_action(command, [arguments, &context] { return embed(*arguments, context); });
}

}  // namespace unscatter::cli
