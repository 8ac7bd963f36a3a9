#include "report.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>

#include "adapters.h"

namespace replay {
namespace {

// In the order of the ladder.
constexpr std::array kAllRungs = {unscatter::Rung::kFast, unscatter::Rung::kExact, unscatter::Rung::kNewton,
                                  unscatter::Rung::kRetrain};

using unscatter::RungCounts;

std::string hexadecimal(double value) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%a", value);
  return buffer.data();
}

std::string hexadecimal(const std::optional<double>& value) { return value ? hexadecimal(*value) : "none"; }

std::map<std::string, RungCounts, std::less<>>& counts_by_shape() {
  static std::map<std::string, RungCounts, std::less<>> counts;
  return counts;
}

// What every document that carries a promise shows of it.
template <typename Promise>
void promise_lines(const Report& report, const std::string& document, const Promise& promise) {
  report.line(document + ".mechanism", name(promise.mechanism));
  report.line(document + ".epsilon", promise.guarantee.epsilon);
  report.line(document + ".delta", promise.guarantee.delta);
  report.line(document + ".noise_stddev", promise.noise_stddev);
  report.line(document + ".shift_limit", promise.shift_limit);
}

}  // namespace

void Report::line(std::string_view field, std::string_view value) const {
  std::printf("%s %02zu %.*s %.*s\n", sequence_.c_str(), step_, static_cast<int>(field.size()), field.data(),
              static_cast<int>(value.size()), value.data());
}

void Report::line(std::string_view field, double value) const { line(field, hexadecimal(value)); }

void Report::text(std::string_view field, std::string_view value) const {
  std::string piece;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const bool next_key = value[i] == ',' && value.substr(i + 1, 1) == "\"";
    if (value[i] != '\n') piece += value[i];
    if (value[i] == '\n' || next_key || i + 1 == value.size()) {
      if (!piece.empty()) line(field, piece);
      piece.clear();
    }
  }
}

void Report::certificate(const unscatter::Certificate& certificate) const {
  const auto& promise = promise_of(certificate);
  promise_lines(*this, "certificate", promise);
  line("certificate.satisfied", certificate.satisfied);
  line("certificate.binding", name(certificate.binding));
  line("certificate.rule", name(promise.rule));
  line("certificate.delta_for_shift", promise.delta_for_shift);
  line("certificate.graphs", certificate.graphs);
  line("certificate.residual", certificate.residual_upper_bound);
  line("certificate.distance", certificate.distance_upper_bound);
  line("certificate.shift", certificate.shift_upper_bound);
  line("certificate.bounds.worst", hexadecimal(certificate.bounds.worst));
  line("certificate.bounds.data", hexadecimal(certificate.bounds.data));
  line("certificate.bounds.tight", hexadecimal(certificate.bounds.tight));
  line("certificate.bounds.exact", hexadecimal(certificate.bounds.exact));
  line("certificate.rung", name(certificate.rung));
  line("certificate.newton_steps", certificate.newton_steps);
  for (const std::string& assumption : promise.assumptions) line("certificate.assumption", assumption);
  const auto reached = epsilon_upper_bound(certificate);
  line("certificate.epsilon_reached", reached.ok() ? hexadecimal(*reached) : "none");
}

void Report::matrix(std::string_view field, const unscatter::Matrix& matrix) const {
  unscatter::Hasher hasher;
  hasher.add(static_cast<std::uint64_t>(matrix.rows())).add(static_cast<std::uint64_t>(matrix.cols()));
  for (Eigen::Index i = 0; i < matrix.size(); ++i) hasher.add(matrix.data()[i]);
  line(field, hasher.finish());
  constexpr Eigen::Index kSamples = 8;
  std::string samples;
  for (Eigen::Index i = 0; i < std::min(kSamples, matrix.size()); ++i) {
    samples += (i == 0 ? "" : " ") + hexadecimal(matrix.data()[i * matrix.size() / kSamples]);
  }
  line(std::string(field) + ".samples", samples);
}

void Report::embeddings(const unscatter::SparseBlockRows& rows) const {
  unscatter::Hasher hasher;
  hasher.add(static_cast<std::uint64_t>(rows.rows())).add(static_cast<std::uint64_t>(rows.columns()));
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const unscatter::BlockRow& row = rows.row(i);
    for (const unscatter::Segment& segment : row.segments) {
      hasher.add(static_cast<std::uint64_t>(segment.column)).add(static_cast<std::uint64_t>(segment.length));
    }
    for (const double value : row.values) hasher.add(value);
  }
  line("embeddings", hasher.finish());
  const std::size_t middle = rows.rows() / 2;
  line("embeddings.row_norms", hexadecimal(rows.row_norm(0)) + " " + hexadecimal(rows.row_norm(middle)) + " " +
                                   hexadecimal(rows.row_norm(rows.rows() - 1)));
}

void Report::published(const unscatter::PublishedModel& model) const {
  const auto& promise = promise_of(model);
  matrix("published.weights", model.weights);
  promise_lines(*this, "published", promise);
  line("published.bias", model.bias);
  line("published.release_number", model.release_number);
  line("published.releases", promise.releases);
  for (const std::string& assumption : promise.assumptions) line("published.assumption", assumption);
}

void Report::rungs(RungCounts rungs) const {
  std::string text;
  for (const unscatter::Rung rung : kAllRungs) {
    text += (text.empty() ? "" : ", ") + std::string(name(rung)) + " " + std::to_string(count_of(rungs, rung));
  }
  line("rungs", text);
}

void Report::error(const unscatter::Error& error) const { line("error", unscatter::error_code_name(error.code)); }

void count_rungs(std::string_view shape, RungCounts rungs) {
  RungCounts& counts = counts_by_shape()[std::string(shape)];
  for (const unscatter::Rung rung : kAllRungs) count_of(counts, rung) += count_of(rungs, rung);
}

bool report_coverage() {
  bool covered = true;
  for (auto& [shape, counts] : counts_by_shape()) {
    const Report report("coverage/" + shape);
    report.rungs(counts);
    // The fast rung, and with it the exact one, needs at least as many graphs as coordinates.
    const bool fast_possible = shape == "many" || shape == "as-many";
    const auto reached = [&counts = counts](unscatter::Rung rung) { return count_of(counts, rung) > 0; };
    const bool complete = reached(unscatter::Rung::kNewton) && reached(unscatter::Rung::kRetrain) &&
                          (!fast_possible || (reached(unscatter::Rung::kFast) && reached(unscatter::Rung::kExact)));
    if (!complete && shape != "real") {
      std::fprintf(stderr, "record: a rung was never reached with data of the shape '%s'\n", shape.c_str());
      covered = false;
    }
  }
  return covered;
}

}  // namespace replay
