#include "store/guarantee.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "unscatter/store/promise_text.h"

namespace unscatter {
namespace {

Error not_met(std::string what) {
  return {ErrorCode::kMalformedInput, fmt::format("the workspace does not meet its guarantee: {}", what)};
}

// The promise without the sentences: a later version may word an assumption in another way.
std::string promised_numbers(const Promise& promise, PromiseParts parts) {
  parts.assumptions = false;
  return promise_text(promise, parts);
}

// The number is computed from the same values by the same function.  The difference leaves room for a processor that
// adds in another order, and for nothing else.
bool is_the_same(double claimed, double computed) {
  return std::isfinite(claimed) && std::abs(claimed - computed) <= 1e-9 * computed;
}

}  // namespace

Result<Guaranteed> guarantee_of(const Contents& contents) {
  const std::size_t classes = class_count(contents);
  UNSCATTER_TRY(limit, Limit::create(contents.constants.options, weight_rows(contents) * classes, classes));
  Promise promise = limit.promise();
  return Guaranteed{std::move(limit), std::move(promise)};
}

Status check_certificate(const Contents& contents, const Guaranteed& guaranteed) {
  const SessionSnapshot& kept = contents.snapshot;
  const Certificate& certificate = kept.certificate;
  if (!certificate.satisfied) return not_met("its certificate says so itself");
  const PromiseParts parts = contents.model_version == 1 ? kCertificatePromise1 : kCertificatePromise;
  if (promised_numbers(certificate.promise, parts) != promised_numbers(guaranteed.promise, parts)) {
    return not_met("its certificate promises something else than the constants");
  }
  const auto graphs = static_cast<std::size_t>(std::count_if(
      kept.slots.begin(), kept.slots.end(), [](const SlotSnapshot& slot) { return slot.graph.has_value(); }));
  if (certificate.graphs != graphs) {
    return not_met(fmt::format("its certificate is about {} graphs, and there are {}", certificate.graphs, graphs));
  }
  // A negative bound bounds nothing, and would make room for others in a sum over classes.
  if (!kept.weights.allFinite() || !kept.residuals.allFinite() || kept.residuals.size() == 0 ||
      kept.residuals.minCoeff() < 0) {
    return not_met("its weights or residuals are no numbers that could meet one");
  }
  const double ridge = ridge_of(contents.constants.options, graphs);
  const Assessment assessment = guaranteed.limit.assess(kept.residuals, ridge, kept.weights.norm());
  if (!assessment.satisfied) {
    return not_met(fmt::format("its residuals use {:.3g} times what the constants allow", assessment.usage));
  }
  if (!is_the_same(certificate.residual_upper_bound, assessment.residual) ||
      !is_the_same(certificate.distance_upper_bound, assessment.distance) ||
      !is_the_same(certificate.shift_upper_bound, assessment.shift)) {
    return not_met(
        fmt::format("its certificate says residual {:.3g}, distance {:.3g}, shift {:.3g}, and its residuals "
                    "give {:.3g}, {:.3g}, {:.3g}",
                    certificate.residual_upper_bound, certificate.distance_upper_bound, certificate.shift_upper_bound,
                    assessment.residual, assessment.distance, assessment.shift));
  }
  return ok_status();
}

Status check_promise(const LedgerRecord& record, const Guaranteed& guaranteed) {
  const PromiseParts parts = record.version == 1 ? kEntryPromise1 : kEntryPromise;
  if (promise_text(record.promise, parts) == promise_text(guaranteed.promise, parts)) return ok_status();
  return Error{ErrorCode::kMalformedInput,
               fmt::format("entry {} promises something else than the constants give", record.sequence)};
}

Status check_last_entry(const Contents& contents) {
  const LedgerRecord& last = contents.chain.last;
  LedgerRecord expected;
  expected.version = last.version;
  set_certificate(expected, contents.snapshot.certificate);
  const bool same = last.satisfied == expected.satisfied && last.binding == expected.binding &&
                    last.graphs == expected.graphs && last.residual_upper_bound == expected.residual_upper_bound &&
                    last.distance_upper_bound == expected.distance_upper_bound &&
                    last.shift_upper_bound == expected.shift_upper_bound && last.rung == expected.rung &&
                    last.newton_steps == expected.newton_steps;
  if (same) return ok_status();
  return Error{ErrorCode::kMalformedInput,
               fmt::format("entry {} says something else of the model than the model's certificate", last.sequence)};
}

}  // namespace unscatter
