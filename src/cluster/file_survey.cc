#include "cluster/file_survey.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/wipe.h"
#include "cluster/bytes.h"
#include "cluster/embed_messages.h"
#include "cluster/messages.h"
#include "cluster/piled_rows.h"
#include "linalg/row_products.h"
#include "unlearn/refit.h"
#include "unscatter/base/invariant.h"

namespace unscatter::cluster {
namespace {

constexpr std::int64_t kNoDate = std::numeric_limits<std::int64_t>::min();

void write_dates(ByteWriter& writer, const DueDates& due) {
  std::vector<std::int64_t> dates;
  dates.reserve(due.graphs.size());
  for (const std::optional<std::int64_t>& date : due.graphs) dates.push_back(date.value_or(kNoDate));
  writer.numbers(std::span<const std::int64_t>(dates));
  writer.number(due.subjects.size());
  for (const auto& [id, date] : due.subjects) {
    writer.text(id);
    writer.number(static_cast<std::uint64_t>(date));
  }
}

DueDates read_dates(ByteReader& reader) {
  DueDates due;
  for (const std::int64_t date : reader.numbers<std::int64_t>()) {
    due.graphs.push_back(date == kNoDate ? std::nullopt : std::optional(date));
  }
  for (std::uint64_t left = reader.number(); left > 0; --left) {
    std::string id = reader.text();
    due.subjects.emplace(std::move(id), static_cast<std::int64_t>(reader.number()));
  }
  return due;
}

bool tell_to_go_on(Communicator& job, bool on) {
  std::uint64_t word = on ? 1 : 0;
  job.broadcast_numbers(std::span(&word, 1));
  return word == 1;
}

// The first rank hears from all others whether they could.
bool all_could(Communicator& job) {
  bool all = true;
  for (std::size_t rank = 1; rank < job.size(); ++rank) {
    std::uint64_t could = 0;
    job.receive_numbers(rank, std::span(&could, 1));
    all = all && could == 1;
  }
  return all;
}

void tell_first(Communicator& job, bool could) {
  const std::uint64_t word = could ? 1 : 0;
  job.send_numbers(0, std::span(&word, 1));
}

void erase_first(SparseBlockRows& rows, std::size_t count) {
  if (count == 0) return;
  for (std::size_t i = count; i < rows.rows(); ++i) {
    BlockRow row;
    rows.swap_row(i, row);
    rows.swap_row(i - count, row);
    rows.swap_row(i, row);  // overwritten with the others at the end
  }
  rows.truncate(rows.rows() - count);
}

}  // namespace

std::uint64_t part_begin(std::uint64_t pieces, std::size_t rank, std::size_t ranks) { return pieces * rank / ranks; }

std::uint64_t rounds_of_survey(std::uint64_t pieces, std::size_t ranks) { return (pieces + ranks - 1) / ranks; }

std::vector<std::byte> pack_survey(const SurveyOrder& order) {
  ByteWriter writer;
  const std::vector<std::byte> file = pack_file(order.path, order.mark);
  writer.numbers(std::span<const std::byte>(file));
  writer.text(order.rules.features);
  writer.number(static_cast<std::uint64_t>(order.rules.fit));
  writer.number((order.symmetrise ? 1u : 0u) + (order.rules.symmetrise ? 2u : 0u) + (order.rules.bias ? 4u : 0u));
  return std::move(writer.bytes());
}

SurveyOrder unpack_survey(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  SurveyOrder order;
  unpack_mark(reader.part(), order.path, order.mark);
  order.rules.features = reader.text();
  order.rules.fit = static_cast<ConstantKind>(reader.number());
  const std::uint64_t how = reader.number();
  order.symmetrise = (how & 1) != 0;
  order.rules.symmetrise = (how & 2) != 0;
  order.rules.bias = (how & 4) != 0;
  return order;
}

std::vector<std::byte> pack_found(const PartFound& found) {
  ByteWriter writer;
  const SurveyNotes& notes = found.notes;
  writer.number(found.embedded ? 1 : 0);
  writer.number(notes.classes.size());
  for (const std::string& name : notes.classes) writer.text(name);
  writer.numbers(std::span<const std::uint32_t>(notes.labels));
  writer.numbers(std::span<const std::uint64_t>(notes.ids));
  writer.numbers(std::span<const std::uint64_t>(notes.subjects));
  write_dates(writer, notes.due);
  writer.numbers(std::span(&notes.form, 1));
  writer.numbers(std::span<const StreamedData::Part>(notes.content));
  std::vector<const Graph*> sample;
  for (const Graph& graph : found.sample) sample.push_back(&graph);
  std::vector<std::byte> graphs = pack_graphs(sample);
  writer.numbers(std::span<const std::byte>(graphs));
  wipe(graphs);
  return std::move(writer.bytes());
}

Result<PartFound> unpack_found(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  PartFound found;
  SurveyNotes& notes = found.notes;
  found.embedded = reader.number() == 1;
  notes.classes.resize(reader.number());
  for (std::string& name : notes.classes) name = reader.text();
  notes.labels = reader.numbers<std::uint32_t>();
  notes.ids = reader.numbers<std::uint64_t>();
  notes.subjects = reader.numbers<std::uint64_t>();
  notes.due = read_dates(reader);
  notes.form = reader.numbers<FormCounts>().at(0);
  notes.content = reader.numbers<StreamedData::Part>();
  UNSCATTER_TRY(graphs, unpack_graphs(reader.part()));
  for (std::optional<Graph>& graph : graphs) found.sample.push_back(*std::move(graph));
  return found;
}

PartSurvey::PartSurvey(const SurveyOrder& order, const Embedder& embedder, std::size_t threads, std::size_t rank,
                       std::size_t ranks)
    : order_(order),
      embedder_(embedder),
      threads_(threads),
      cut_(cut_file(order.mark.bytes, ranks)),
      next_(part_begin(cut_.pieces(), rank, ranks)),
      end_(part_begin(cut_.pieces(), rank + 1, ranks)),
      sample_(order.rules.features, {order.rules.fit, nullptr}, order.rules.symmetrise) {}

bool PartSurvey::take_piece(SparseBlockRows& rows) {
  if (next_ == end_) return true;
  std::optional<std::vector<StreamedGraph>> read = read_piece(order_.path, cut_, next_++, order_.symmetrise);
  if (!read) return false;
  // Public data are on the first rank, and no graph here changes what is computed from them.
  const bool samples = FitSample::looks_at_data(order_.rules.fit);
  std::vector<const Graph*> pointers;
  for (const StreamedGraph& graph : *read) {
    if (!notes_.add(graph).ok()) return false;
    if (samples) sample_.show(graph.graph);
    pointers.push_back(&graph.graph);
  }
  Result<SparseBlockRows> made = embedder_.embed(pointers, {.threads = threads_});
  embedded_ = embedded_ && made.ok();
  if (made.ok()) {
    SparseBlockRows slots = slots_from_rows(*std::move(made), pointers, order_.rules.bias);
    for (std::size_t i = 0; i < slots.rows(); ++i) {
      BlockRow row;
      slots.swap_row(i, row);
      // A bias may have doubled the room, and there are as many rows as graphs.
      row.values.shrink_to_fit();
      row.segments.shrink_to_fit();
      rows.append_row(std::move(row));
    }
  }
  for (StreamedGraph& graph : *read) graph.graph.wipe();
  return true;
}

PartFound PartSurvey::finish() { return {notes_.finish(), sample_.take(), embedded_}; }

std::vector<std::size_t> kept_of_made(std::span<const std::size_t> made) {
  std::vector<std::size_t> kept(made.begin(), made.end());
  std::size_t number = 0;  // of the first row of this rank
  std::size_t owner = 0;   // of the leaf that is not full
  for (std::size_t rank = 0; rank < made.size(); ++rank) {
    const std::size_t missing = (kLeafRows - number % kLeafRows) % kLeafRows;
    const std::size_t given = std::min(missing, made[rank]);
    kept[owner] += given;
    kept[rank] -= given;
    number += made[rank];
    if (made[rank] > given) owner = rank;
  }
  return kept;
}

void hand_over_rows(Communicator& job, SparseBlockRows& own, std::span<const std::size_t> made) {
  std::size_t number = 0;
  std::size_t owner = 0;
  for (std::size_t rank = 0; rank < made.size(); ++rank) {
    const std::size_t missing = (kLeafRows - number % kLeafRows) % kLeafRows;
    const std::size_t given = std::min(missing, made[rank]);
    if (given > 0 && job.rank() == rank) {
      send_piled(job, owner, own, given);
      erase_first(own, given);
    } else if (given > 0 && job.rank() == owner) {
      take_piled(job, rank, own);
    }
    number += made[rank];
    if (made[rank] > given) owner = rank;
  }
}

std::optional<SharedSurvey> lead_survey(Communicator& job, const SurveyOrder& order, const Embedder& embedder,
                                        std::size_t threads, Progress& progress) {
  std::vector<std::byte> bytes = pack_survey(order);
  job.broadcast_any(bytes);
  const std::size_t ranks = job.size();
  PartSurvey part(order, embedder, threads, 0, ranks);
  const FileCut cut = cut_file(order.mark.bytes, ranks);
  progress.begin("reading " + order.path.stem().string(), cut.file_bytes);
  SparseBlockRows rows(0, embedder.width() + (order.rules.bias ? 1 : 0));
  bool good = all_could(job);
  for (std::uint64_t round = rounds_of_survey(cut.pieces(), ranks); good && round > 0; --round) {
    tell_to_go_on(job, true);
    good = part.take_piece(rows);
    good = all_could(job) && good;
    progress.advance(cut.piece_bytes * ranks);
  }
  tell_to_go_on(job, false);
  progress.end();

  SharedSurvey survey;
  PartFound own = part.finish();
  survey.sample = std::move(own.sample);
  std::vector<std::size_t> made{rows.rows()};
  bool embedded = own.embedded;
  survey.notes = std::move(own.notes);
  for (std::size_t rank = 1; rank < ranks; ++rank) {
    bytes = receive_any(job, rank);
    Result<PartFound> found = unpack_found(bytes);
    wipe(bytes);
    if (!found.ok()) job.abort(found.error().message);
    embedded = embedded && found->embedded;
    made.push_back(found->notes.graphs());
    good = good && survey.notes.append(std::move(found->notes));
    for (Graph& graph : found->sample) survey.sample.push_back(std::move(graph));
  }
  // Where the rows are not all of the file they stay where they are, and go with the pile.
  good = good && survey.notes.graphs() > 0;
  std::vector<std::uint64_t> numbers(made.begin(), made.end());
  if (!good || !embedded) numbers.assign(ranks, 0);
  job.broadcast_numbers(std::span(numbers));
  if (!good) return std::nullopt;
  if (!embedded) return survey;
  hand_over_rows(job, rows, made);
  survey.rows = std::move(rows);
  survey.rows_of_processes = kept_of_made(made);
  return survey;
}

void follow_survey(Communicator& job, const Embedder& embedder, std::size_t threads, SparseBlockRows& rows) {
  std::vector<std::byte> bytes;
  job.broadcast_any(bytes);
  const SurveyOrder order = unpack_survey(bytes);
  tell_first(job, mark_of(order.path) == order.mark);
  PartSurvey part(order, embedder, threads, job.rank(), job.size());
  while (tell_to_go_on(job, false)) tell_first(job, part.take_piece(rows));
  bytes = pack_found(part.finish());
  send_any(job, 0, bytes);
  wipe(bytes);
  std::vector<std::uint64_t> made(job.size());
  job.broadcast_numbers(std::span(made));
  hand_over_rows(job, rows, std::vector<std::size_t>(made.begin(), made.end()));
}

}  // namespace unscatter::cluster
