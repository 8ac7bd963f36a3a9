#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "base/files.h"
#include "base/stopwatch.h"
#include "commands.h"
#include "constant_options.h"
#include "embedding/npy.h"
#include "files.h"
#include "locations.h"
#include "prediction_lines.h"
#include "store/shard_crew.h"
#include "transform_options.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/embedding/walk_scattering.h"
#include "unscatter/graph/read.h"

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
  std::size_t graphs = 0;
  std::size_t width = 0;
  double density = 0;
  double largest_norm = 0;
  std::string features;
  std::string transform;
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

// Rows whose graphs are gone.
struct EmbeddedFile {
  std::shared_ptr<const Embedder> embedder;
  SparseBlockRows rows;
  std::vector<LineSubject> subjects;
};

// Where the program runs on many machines, each reads its own part of a file of lines, if the features state all their
// constants: others are known when all graphs were seen.  Nothing: whatever is strange about the file is met, and
// worded, by reading it here.
Result<std::optional<EmbeddedFile>> embed_together(const std::filesystem::path& path, std::string_view features,
                                                   const TransformSpec& spec, std::size_t threads, Context& context) {
  std::optional<EmbeddedFile> nothing;
  Result<FeatureMap> stated = FeatureMap::parse(features);
  if (context.crew() == nullptr || !stated.ok() || !is_jsonl(path)) return nothing;
  EmbeddedFile file;
  UNSCATTER_TRY(made, make_embedder(*std::move(stated), spec));
  file.embedder = std::move(made);
  file.rows = SparseBlockRows(0, file.embedder->width());
  const auto take = [&file](EmbeddedPiece piece) {
    for (std::size_t i = 0; i < piece.subjects.size(); ++i) {
      BlockRow row;
      piece.rows.swap_row(i, row);
      file.rows.append_row(std::move(row));
      EmbeddedPiece::Subject& subject = piece.subjects[i];
      file.subjects.push_back({file.subjects.size(), std::move(subject.id), std::move(subject.label)});
    }
    return ok_status();
  };
  const EmbedOptions how{threads, &context.progress(), nullptr};
  UNSCATTER_TRY(shared, context.crew()->embed_file(path, *file.embedder, nullptr, false, how, take));
  return shared.all ? std::optional(std::move(file)) : nothing;
}

std::string subject_cells(const LineSubject& subject) {
  return fmt::format("{},{},{}", subject.number, csv_cell(subject.id.value_or("")),
                     csv_cell(subject.label.value_or("")));
}

// Z.npy -> Z.graphs.csv
std::string graphs_path(const std::string& out) {
  return std::filesystem::path(out).replace_extension(".graphs.csv").string();
}

bool is_csv(const std::string& out) { return out.ends_with(".csv"); }

// number, id, label and all coordinates with all their digits.
Status write_csv(const SparseBlockRows& Z, const std::vector<LineSubject>& subjects, const std::string& path) {
  UNSCATTER_TRY(file, ReplacingFile::create(path));
  std::string text = "number,id,label";
  for (std::size_t c = 0; c < Z.columns(); ++c) text += fmt::format(",z{}", c);
  UNSCATTER_CHECK_OK(file.write(text + '\n'));
  std::vector<double> dense(Z.columns());
  for (std::size_t i = 0; i < Z.rows(); ++i) {
    Z.copy_row(i, dense);
    text = subject_cells(subjects[i]);
    for (const double value : dense) text += fmt::format(",{}", value);
    UNSCATTER_CHECK_OK(file.write(text + '\n'));
  }
  return file.commit();
}

// NumPy's format holds numbers only.  Which graph a row is of goes into a table beside it.
Status write_rows(const SparseBlockRows& Z, const std::vector<LineSubject>& subjects, const std::string& out) {
  if (is_csv(out)) return write_csv(Z, subjects, out);
  std::string table = "number,id,label\n";
  for (const LineSubject& subject : subjects) table += subject_cells(subject) + '\n';
  UNSCATTER_CHECK_OK(write_npy(Z, out));
  return replace_file(graphs_path(out), table);
}

Report report_of(const Embedded& e, const EmbedArguments& arguments) {
  Report report;
  report.json = {{"data", arguments.data},          {"graphs", e.graphs},
                 {"coordinates", e.width},          {"stored_share", e.density},
                 {"largest_norm", e.largest_norm},  {"features", e.features},
                 {"transform", e.transform},        {"simd", simd_target_name()},
                 {"read_seconds", e.read_seconds},  {"embed_seconds", e.embed_seconds},
                 {"write_seconds", e.write_seconds}};
  if (!arguments.out.empty()) report.json["out"] = arguments.out;
  if (!arguments.out.empty() && !is_csv(arguments.out)) report.json["graphs_out"] = graphs_path(arguments.out);
  if (e.frame) report.json["frame_bounds"] = {{"lower", e.frame->lower}, {"upper", e.frame->upper}};

  Table table({{""}, {""}});
  table.add_row({"graphs", grouped(e.graphs)});
  table.add_row({"features", e.features});
  table.add_row({"transform", e.transform});
  table.add_row({"embedding", fmt::format("{} coordinates, {:.1f} % of them stored, largest |z| {:.4g}",
                                          grouped(e.width), 100 * e.density, e.largest_norm)});
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

  Stopwatch watch;
  Embedded result;
  const std::string features = arguments.transform.features_for(spec);
  EmbeddedFile file;
  std::optional<EmbeddedFile> together;
  if (bank == nullptr) {
    UNSCATTER_TRY(shared, embed_together(path, features, spec, arguments.threads, context));
    together = std::move(shared);
  }
  if (together) {
    file = *std::move(together);
    result.embed_seconds = watch.lap();
  } else {
    UNSCATTER_TRY(collected, collect(path, {.threads = arguments.threads, .progress = &context.progress()}));
    Dataset& dataset = collected.dataset;
    result.read_seconds = watch.lap();
    const FitSource source = arguments.constants.source(ConstantKind::kStated, nullptr);
    UNSCATTER_TRY(made, make_embedder(features, spec, dataset, source));
    file.embedder = std::move(made);
    watch.lap();
    UNSCATTER_TRY(
        rows, file.embedder->embed(
                  dataset, {.threads = arguments.threads, .progress = &context.progress(), .crew = context.crew()}));
    file.rows = std::move(rows);
    file.subjects = std::move(collected.subjects);
    result.embed_seconds = watch.lap();
    if (bank != nullptr) {
      // The bounds belong to the graphs that the wavelets see.
      if (spec.symmetrise) {
        for (Graph& graph : dataset.graphs) graph = symmetrised(graph);
      }
      UNSCATTER_TRY(bounds, frame_bounds_over(*bank, dataset.graphs, arguments.threads, context.progress()));
      result.frame = bounds;
      watch.lap();
    }
  }
  const SparseBlockRows& Z = file.rows;
  result.features = file.embedder->blocks().front().features.describe();
  result.transform = file.embedder->blocks().front().transform->name();

  if (!arguments.out.empty()) UNSCATTER_CHECK_OK(write_rows(Z, file.subjects, arguments.out));
  result.write_seconds = watch.lap();

  result.graphs = Z.rows();
  result.width = Z.columns();
  result.density = Z.rows() * Z.columns() == 0 ? 0
                                               : static_cast<double>(Z.stored_values()) /
                                                     (static_cast<double>(Z.rows()) * static_cast<double>(Z.columns()));
  for (std::size_t i = 0; i < Z.rows(); ++i) result.largest_norm = std::max(result.largest_norm, Z.row_norm(i));
  return report_of(result, arguments);
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
