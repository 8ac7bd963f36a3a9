#include "unscatter/store/verify.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "learn/train_with_curvature.h"
#include "linalg/rounding.h"
#include "store/chain.h"
#include "store/check.h"
#include "store/contents.h"
#include "store/guarantee.h"
#include "store/kept_state.h"
#include "store/request_queue_contents.h"
#include "store/schema.h"
#include "store/stored_graph.h"
#include "store/tables.h"
#include "store/workspace_files.h"
#include "store/workspace_state.h"
#include "unscatter/learn/train.h"
#include "unscatter/unlearn/session.h"

namespace unscatter {
namespace {

namespace fs = std::filesystem;

// Makes checks one after the other.  Each returns a sentence or what is wrong.  A check that fails ends only the checks
// that rest on it: whoever has a damaged file wants to know all that is wrong with it.
class Verifier {
 public:
  Verifier(fs::path path, const VerifyOptions& options, const WorkspaceOptions& how)
      : path_(std::move(path)), options_(options), how_(how) {}

  Result<Verification> run() {
    Result<WorkspaceFiles> files = open_files(path_, how_.wait, Access::kReader);
    // A damaged file is a finding.  A file that is locked or missing is an error, because nothing can be said about it.
    if (!files.ok() && files.error().code != ErrorCode::kMalformedInput) return std::move(files).error();
    if (!note("file", files.ok() ? check_structure(files->tables(), path_) : Result<std::string>(files.error()))) {
      return result();
    }
    files_.emplace(*std::move(files));
    tables_.emplace(files_->tables());
    database_ = &files_->main();
    // Everything else is compared with these two.
    if (!note("constants", constants()) || !note("chain", chain())) return result();
    if (!how_.record.empty()) note("record", check_record(*database_, path_, how_.record, contents_));
    if (options_.expected_head) note("head", expected_head());
    note("signatures", signatures());
    const bool data_holds = note("data", check_data(*tables_, contents_));
    const bool model_holds = note("model", model());
    // Without the constants that stand with the model, nobody knows how large it should be.
    if (contents_.embedder != nullptr) {
      note("budget", budget(data_holds && model_holds));
      note("other", others(data_holds));
    }
    note("erasure", check_erasure(*tables_, path_));
    // The residual of other graphs or other weights would prove nothing.
    if (!data_holds || !model_holds) return result();
    const bool residual_holds = note("residual", residual());
    if (session_) note("kept", kept());
    if (residual_holds && options_.retrain) note("retrain", retrain());
    return result();
  }

 private:
  bool note(std::string name, Result<std::string> outcome) {
    const bool passed = outcome.ok();
    checks_.push_back({std::move(name), passed, passed ? *std::move(outcome) : std::move(outcome).error().message});
    return passed;
  }

  [[nodiscard]] Verification result() {
    Verification verification;
    // At least one check was made, so an empty list never passes.
    verification.passed = true;
    for (const Check& check : checks_) verification.passed = verification.passed && check.passed;
    verification.checks = std::move(checks_);
    return verification;
  }

  static Error wrong(std::string what) { return {ErrorCode::kMalformedInput, std::move(what)}; }

  Result<std::string> constants() {
    UNSCATTER_CHECK_OK(read_constants(*database_, contents_));
    return fmt::format("workspace {}, created {}: {} of {}", contents_.identity.id, contents_.identity.created,
                       contents_.constants.transform.family, contents_.constants.features);
  }

  Result<std::string> chain() {
    UNSCATTER_TRY(end, check_links(*database_));
    // An opening looks at the links only.  Here every entry is read and held against the one before.
    UNSCATTER_TRY(totals, check_entries(*database_, contents_.identity));
    contents_.chain = std::move(end);
    totals_ = totals;
    std::string more;
    if (totals_.added > 0) more += fmt::format(", {} additions", totals_.added);
    if (totals_.corrected > 0) more += fmt::format(", {} corrections", totals_.corrected);
    return fmt::format("{} entries, each following the one before: {} removals{}, {} published models; head {}",
                       contents_.chain.entries, totals_.forgotten, more, totals_.released, contents_.chain.head.hex());
  }

  Result<std::string> expected_head() {
    const Digest& expected = *options_.expected_head;
    std::optional<std::size_t> found;
    UNSCATTER_CHECK_OK(visit_entries(*database_, [&](std::size_t sequence, const LedgerRow& row) -> Status {
      if (row.hash == expected) found = sequence;
      return ok_status();
    }));
    if (!found)
      return wrong(fmt::format("no entry has the hash {}: this is an older copy, or another file", expected.hex()));
    return fmt::format("the expected hash is that of entry {} of {}", *found, contents_.chain.entries);
  }

  // Every entry is signed.  Every removal has its receipt, which is signed and says what the entry says (invariants 3
  // and 8).
  Result<std::string> signatures() {
    const PublicKey signer = contents_.identity.signer;
    // Somebody who makes up a whole workspace signs it with a key of their own.  Only a key from elsewhere shows that.
    if (options_.signer && *options_.signer != signer) {
      return wrong(fmt::format("the workspace names the key {}, not the one that was given", signer.hex()));
    }
    const auto check = [&](std::size_t sequence, const LedgerRow& row) -> Status {
      UNSCATTER_TRY(record, parse_ledger_text(row.body));
      if (!is_signed(row, signer)) return wrong(fmt::format("entry {} is not signed by {}", sequence, signer.hex()));
      if (!has_receipt(record)) return ok_status();
      UNSCATTER_TRY(text, read_receipt(*database_, sequence));
      UNSCATTER_TRY(receipt, parse_receipt(text));
      UNSCATTER_CHECK_OK(check_signature(receipt, signer));
      // A receipt is signed on its own.  So an old one, or one of another entry, could be put here with a good
      // signature.
      const bool same = receipt.entry == row.hash && receipt.previous == record.previous &&
                        receipt.sequence == sequence && receipt.workspace == record.workspace &&
                        receipt.commitments == record.commitments && receipt.data_after == record.data_after &&
                        receipt.kind == record.kind && receipt.published_model == record.published_model;
      if (same) return ok_status();
      return wrong(fmt::format("the receipt of entry {} is about something else", sequence));
    };
    UNSCATTER_CHECK_OK(visit_entries(*database_, check));
    // Receipts that no entry asks for are not met above.
    UNSCATTER_TRY(receipts, count_receipts(*database_));
    if (receipts != totals_.receipts)
      return wrong(fmt::format("{} receipts for {} removals and releases", receipts, totals_.receipts));
    return fmt::format("{} entries and {} receipts signed by {}{}", contents_.chain.entries, receipts, signer.hex(),
                       options_.signer ? "" : ", a key that the workspace itself names");
  }

  Result<std::string> model() {
    UNSCATTER_CHECK_OK(read_learned(*database_, contents_));
    const SessionSnapshot& kept = contents_.snapshot;
    // Invariant 6.  A count of releases that is too low would let more models out than the guarantee covers.
    const LedgerRecord& last = contents_.chain.last;
    if (kept.releases + published_in(last.promise.earlier) != last.published || kept.rungs != totals_.rungs) {
      return wrong("the model counts other removals, rungs or releases than the ledger");
    }
    return fmt::format("{} x {} weights, as the last entry says", kept.weights.rows(), kept.weights.cols());
  }

  // The limit is computed anew, from the constants.  What entries and certificate say of it is only compared.
  Result<std::string> budget(bool contents_hold) const {
    const LedgerRecord& last = contents_.chain.last;
    const SessionOptions& promised = contents_.constants.options;
    UNSCATTER_TRY(guaranteed, guarantee_of(contents_));
    const Promise& promise = guaranteed.promise;
    PromiseCheck check(contents_, guaranteed);
    UNSCATTER_CHECK_OK(visit_entries(*database_, [&](std::size_t, const LedgerRow& row) -> Status {
      UNSCATTER_TRY(record, parse_ledger_text(row.body));
      return check.next(record);
    }));
    if (contents_hold) {
      UNSCATTER_CHECK_OK(check_certificate(contents_, guaranteed));
      UNSCATTER_CHECK_OK(check_last_entry(contents_));
    }
    const std::size_t in_count = last.published - published_in(last.promise.earlier);
    if (promised.mechanism == Mechanism::kRelease && in_count > promised.releases) {
      return wrong(fmt::format("{} models were published, and the guarantee covers {}", in_count, promised.releases));
    }
    std::string words =
        fmt::format("(epsilon, delta) = ({}, {}); shift at most {:.3g}, allowed {:.3g}; {} of {} models published",
                    promise.guarantee.epsilon, promise.guarantee.delta, last.shift_upper_bound, promise.shift_limit,
                    in_count, promised.releases);
    if (promise.together) {
      words += fmt::format("; with the {} of earlier counts ({:.4g}, {:.4g})", published_in(last.promise.earlier),
                           promise.together->epsilon, promise.together->delta);
    }
    if (promise.with_embedding) {
      words += fmt::format("; with the function that made the rows ({:.4g}, {:.4g})", promise.with_embedding->epsilon,
                           promise.with_embedding->delta);
    }
    return words;
  }

  // Rows that no ledger entry commits to.  They carry seals, which are checked while reading.
  Result<std::string> others(bool data_holds) {
    std::size_t salts_kept = 0;
    const auto count = [&](std::size_t sequence, std::vector<Salt>& salts) -> Status {
      UNSCATTER_TRY(row, read_entry(*database_, sequence));
      UNSCATTER_TRY(record, parse_ledger_text(row.body));
      if (record.commitments.size() != salts.size()) return wrong(fmt::format("entry {} has other requests", sequence));
      // Zeros stand for a salt that was destroyed.
      for (const Salt& salt : salts) salts_kept += salt == Salt{} ? 0u : 1u;
      return ok_status();
    };
    UNSCATTER_CHECK_OK(visit_salts(*database_, count));
    UNSCATTER_TRY(lists, read_lists(*database_));
    UNSCATTER_TRY(published, check_published(*database_, contents_));
    UNSCATTER_TRY(dates, check_due_dates(*database_, contents_, data_holds));
    UNSCATTER_TRY(queue, check_queue(*database_, contents_));
    return fmt::format("{} salts, {} lists of requests, {}, {}{}{}", salts_kept, lists.size(), published, dates,
                       queue.empty() ? "" : ", ", queue);
  }

  // The gradient at the stored weights, from the stored graphs, computed anew.  No number of the certificate enters.
  Result<std::string> residual() {
    const SessionOptions options = session_options(contents_.constants.options, how_);
    UNSCATTER_TRY(session, Session::restore(contents_.snapshot, contents_.embedder, options));
    session_.emplace(std::move(session));
    const EvaluatedResidual found = session_->evaluate();
    const double claimed = contents_.snapshot.certificate.residual_upper_bound;
    // The lower side is compared: rounding in this evaluation must not accuse a certificate that is right.
    if (found.lower_bound > claimed) {
      return wrong(fmt::format("the residual is at least {:.3g}, and the certificate says at most {:.3g}",
                               found.lower_bound, claimed));
    }
    // Whatever bound was chosen: the evaluated residual is the truth that every bound is about.
    if (!found.satisfied) {
      return wrong(fmt::format("the residual, at most {:.3g}, does not meet the guarantee", found.upper_bound));
    }
    return fmt::format("between {:.3g} and {:.3g}; certified: at most {:.3g}", found.lower_bound, found.upper_bound,
                       claimed);
  }

  // What the file keeps so that it need not be derived again, held against what is derived now.
  Result<std::string> kept() {
    UNSCATTER_TRY(there, has_kept_tables(*database_));
    if (!there) return std::string("nothing is kept beside graphs and model; the next removal keeps more");
    UNSCATTER_TRY(slots, count_slots(*tables_));
    StoredTree tree(slots, contents_.chain.last.data_after);
    UNSCATTER_TRY(words, check_kept_state(*tables_, contents_, *session_, tree));
    return words;
  }

  // Where removals have left only rows of zeros, the minimum is known.
  static Result<TrainedWeights> train_or_state(const Objective& objective, const TrainOptions& training) {
    std::optional<Matrix> minimum = minimum_of_zero_rows(objective);
    if (!minimum) return train(objective, training);
    return TrainedWeights{*std::move(minimum), Vector::Zero(static_cast<Eigen::Index>(objective.classes())), {}};
  }

  // Trains from scratch on what is left, on the same objective, and measures.  The perturbation is the kept one:
  // another one would have another optimum.
  Result<std::string> retrain() {
    const SessionOptions& options = session_->options();
    const double ridge = ridge_of(options, session_->graph_count());
    const Objective objective(session_->embeddings(), session_->labels(), session_->classes(), options.loss, ridge,
                              session_->perturbation(), options.threads);
    TrainOptions training;
    training.optimizer = options.optimizer;
    training.progress = options.progress;
    UNSCATTER_TRY(trained, train_or_state(objective, training));
    const double distance = (trained.weights - session_->weights()).norm();
    // Both lie around the one optimum: the kept weights as certified, the new ones by their own gradient
    // (docs/theory.md, "Distance").  The last factor covers the rounding of these norms.
    const Matrix margins = objective.margins(trained.weights);
    const Vector own = trained.gradient_norms + objective.gradient_rounding_upper_bound(margins, trained.weights);
    const double certified = session_->certificate().distance_upper_bound;
    const double allowed = (certified + own.norm() / ridge) * (1 + rounding_factor(1e6));
    const std::string measured =
        fmt::format("{:.3g} from the weights trained from scratch (norm {:.3g}); certified: {:.3g}", distance,
                    trained.weights.norm(), certified);
    if (distance > allowed) return wrong(fmt::format("the kept weights are {}", measured));
    return measured;
  }

  fs::path path_;
  VerifyOptions options_;
  WorkspaceOptions how_;
  std::vector<Check> checks_;
  std::optional<WorkspaceFiles> files_;
  std::optional<WorkspaceTables> tables_;
  const Database* database_ = nullptr;  // the manifest, or the only file
  Contents contents_;
  ChainTotals totals_;
  std::optional<Session> session_;
};

}  // namespace

Result<Verification> verify_workspace(const fs::path& path, const VerifyOptions& options,
                                      const WorkspaceOptions& workspace) {
  return Verifier(path, options, workspace).run();
}

Result<Check> find_receipt(const Receipt& receipt, const Workspace& workspace) {
  Check check{"ledger", false, ""};
  // Sequence numbers are the same in every workspace, so the id comes first.
  if (receipt.workspace != workspace.info().id) {
    check.detail =
        fmt::format("the receipt belongs to workspace {}, this is {}", receipt.workspace, workspace.info().id);
    return check;
  }
  const Result<Digest> hash = workspace.hash_of_entry(receipt.sequence);
  if (!hash.ok() && hash.error().code != ErrorCode::kNotFound) return hash.error();
  // The hash covers the entry and, through its link, everything before.  A ledger that was rewritten has another one.
  check.passed = hash.ok() && *hash == receipt.entry;
  check.detail = check.passed ? fmt::format("it is entry {} of the ledger", receipt.sequence)
                              : fmt::format("entry {} of the ledger is not the one of the receipt", receipt.sequence);
  return check;
}

Result<FoundModel> find_model(const PublishedDocument& document, const Workspace& workspace) {
  FoundModel found;
  Check& check = found.check;
  check.name = "ledger";
  const WorkspaceInfo info = workspace.info();
  if (document.workspace != info.id) {
    check.detail = fmt::format("the model belongs to workspace {}, this is {}", document.workspace, info.id);
    return found;
  }
  const Result<Digest> hash = workspace.hash_of_entry(document.sequence);
  if (!hash.ok() && hash.error().code != ErrorCode::kNotFound) return hash.error();
  if (!hash.ok() || *hash != document.entry) {
    check.detail = fmt::format("entry {} of the ledger is not the one of the model", document.sequence);
    return found;
  }
  UNSCATTER_TRY(entry, workspace.entry(document.sequence));
  // A key holder could sign any weights beside any entry.  The entry has the last word on what was published.
  if (entry.kind != EntryKind::kReleased || entry.published_model != published_digest(document)) {
    check.detail = fmt::format("entry {} of the ledger commits to another model", document.sequence);
    return found;
  }
  for (std::size_t sequence = document.sequence + 1; sequence < info.entries; ++sequence) {
    UNSCATTER_TRY(later, workspace.entry(sequence));
    // A correction removes the old value.
    if (is_removal(later.kind) || later.kind == EntryKind::kCorrected) ++found.removals_since;
  }
  check.passed = true;
  check.detail = fmt::format("entry {} of the ledger commits to exactly these weights; ", document.sequence);
  check.detail += found.removals_since == 0
                      ? "nothing was removed since"
                      : fmt::format("this model is from before {} {}, and knows what they removed",
                                    found.removals_since, found.removals_since == 1 ? "removal" : "removals");
  return found;
}

}  // namespace unscatter
