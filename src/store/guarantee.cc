#include "store/guarantee.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "unlearn/refit.h"
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

// As the session completes them.
SessionOptions completed_options(const Contents& contents) {
  SessionOptions options = contents.constants.options;
  options.constants = all_origins(*contents.embedder, options);
  return options;
}

// What an entry says of earlier counts changes in the life of a workspace, so it is looked at by itself.
Promise without_earlier(Promise promise) {
  promise.earlier.clear();
  promise.together.reset();
  promise.with_embedding.reset();
  return promise;
}

bool is_equal(const std::optional<RemovalGuarantee>& one, const std::optional<RemovalGuarantee>& other) {
  return one.has_value() == other.has_value() &&
         (!one || (one->epsilon == other->epsilon && one->delta == other->delta));
}

// The `steps`-th size above `weights` that has another limit; 0 if there is none.
std::size_t larger_model(const SessionOptions& options, std::size_t weights, std::size_t steps) {
  // One weight is charged as one, unless the model follows the data.
  const bool follows = charged_weights(options, 1) > 1;
  return follows && steps < 40 ? charged_weights(options, weights) << steps : 0;
}

// The number is computed from the same values by the same function.  The difference leaves room for a processor that
// adds in another order, and for nothing else.
bool is_the_same(double claimed, double computed) {
  return std::isfinite(claimed) && std::abs(claimed - computed) <= 1e-9 * computed;
}

}  // namespace

Result<Guaranteed> guarantee_of(const Contents& contents) {
  const std::size_t classes = class_count(contents);
  UNSCATTER_TRY(limit, Limit::create(completed_options(contents), weight_rows(contents) * classes, classes));
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
  // Whoever reads the graphs counts them against the same entry.
  const std::size_t graphs = contents.chain.last.graphs;
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

PromiseCheck::PromiseCheck(const Contents& contents, const Guaranteed& guaranteed) : contents_(contents) {
  candidates_.push_back(without_earlier(guaranteed.promise));
}

// A model that follows the data gets smaller when a label or a class leaves.  Its grid is charged for a power of two of
// weights (limit.cc), so entries from before may be about a larger power.
const Promise* PromiseCheck::find(const LedgerRecord& record) {
  constexpr std::size_t kLargestModel = std::size_t{1} << 40;
  const PromiseParts parts = record.version == 1 ? kEntryPromise1 : kEntryPromise;
  const std::string text = promise_text(without_earlier(record.promise), parts);
  const std::size_t classes = class_count(contents_);
  for (std::size_t i = 0;; ++i) {
    if (i == candidates_.size()) {
      // Twice as many weights as the last candidate was charged for.  Where nothing follows the data, there is no
      // other.
      const SessionOptions options = completed_options(contents_);
      const std::size_t weights = larger_model(options, weight_rows(contents_) * classes, i);
      if (weights == 0 || weights > kLargestModel) return nullptr;
      const Result<Limit> limit = Limit::create(options, weights, classes);
      if (!limit.ok()) return nullptr;
      candidates_.push_back(without_earlier(limit->promise()));
    }
    if (promise_text(candidates_[i], parts) == text) return &candidates_[i];
  }
}

Status PromiseCheck::next(const LedgerRecord& record) {
  const auto wrong = [&](std::string_view what) {
    return Error{ErrorCode::kMalformedInput, fmt::format("entry {} {}", record.sequence, what)};
  };
  const Promise* found = find(record);
  if (found == nullptr) return wrong("promises something else than the constants give");
  Promise promised = *found;
  promised.earlier = record.promise.earlier;
  promised.together = guarantee_together(promised);
  if (!is_equal(promised.together, record.promise.together)) {
    return wrong("promises something else for all counts together than follows from them");
  }
  promised.with_embedding = guarantee_with_embedding(promised);
  if (!is_equal(promised.with_embedding, record.promise.with_embedding)) {
    return wrong("promises something else for models and rows together than follows from them");
  }
  // The chain has been checked: there is one more count than before, or none.  Those of a creation are told by the
  // ledger that it names.
  if (before_ && promised.earlier.size() > before_->promise.earlier.size()) {
    const std::size_t published = record.published - published_in(before_->promise.earlier);
    if (promised.earlier.back() != ended(promised_, published)) {
      return wrong("ends a count of published models otherwise than the constants say");
    }
  }
  promised_ = std::move(promised);
  before_ = record;
  return ok_status();
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
