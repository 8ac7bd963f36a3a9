#include "unscatter/store/verify.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "linalg/rounding.h"
#include "store/chain.h"
#include "store/contents.h"
#include "store/schema.h"
#include "store/tables.h"
#include "store/unused_pages.h"
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
    Result<Database> database = open_database(path_, how_.wait);
    // A damaged file is a finding.  A file that is locked or missing is an error, because nothing can be said about it.
    if (!database.ok() && database.error().code != ErrorCode::kMalformedInput) return std::move(database).error();
    if (!note("file", database.ok() ? Result<std::string>("the pages hang together and the log is empty")
                                    : Result<std::string>(database.error()))) {
      return result();
    }
    database_.emplace(*std::move(database));
    // Everything else is compared with these two.
    if (!note("constants", constants()) || !note("chain", chain())) return result();
    note("signatures", signatures());
    const bool data_holds = note("data", data());
    const bool model_holds = note("model", model());
    note("budget", budget());
    note("other", others());
    note("erasure", erasure());
    // The residual of other graphs or other weights would prove nothing.
    if (!data_holds || !model_holds) return result();
    if (note("residual", residual()) && options_.retrain) note("retrain", retrain());
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
    return fmt::format("workspace {}, created {}: {}", contents_.identity.id, contents_.identity.created,
                       contents_.embedder->describe());
  }

  Result<std::string> chain() {
    UNSCATTER_TRY(end, check_links(*database_));
    // An opening looks at the links only.  Here every entry is read and held against the one before.
    UNSCATTER_TRY(totals, check_entries(*database_, contents_.identity));
    contents_.chain = std::move(end);
    totals_ = totals;
    return fmt::format("{} entries, each following the one before: {} removals, {} published models; head {}",
                       contents_.chain.entries, totals_.forgotten, totals_.released, contents_.chain.head.hex());
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
      if (record.kind != EntryKind::kForgotten) return ok_status();
      UNSCATTER_TRY(text, read_receipt(*database_, sequence));
      UNSCATTER_TRY(receipt, parse_receipt(text));
      UNSCATTER_CHECK_OK(check_signature(receipt, signer));
      // A receipt is signed on its own.  So an old one, or one of another entry, could be put here with a good
      // signature.
      const bool same = receipt.entry == row.hash && receipt.previous == record.previous &&
                        receipt.sequence == sequence && receipt.workspace == record.workspace &&
                        receipt.commitments == record.commitments && receipt.data_after == record.data_after;
      if (same) return ok_status();
      return wrong(fmt::format("the receipt of entry {} is about something else", sequence));
    };
    UNSCATTER_CHECK_OK(visit_entries(*database_, check));
    // Receipts that no entry asks for are not met above.
    UNSCATTER_TRY(receipts, count_receipts(*database_));
    if (receipts != totals_.forgotten)
      return wrong(fmt::format("{} receipts for {} removals", receipts, totals_.forgotten));
    return fmt::format("{} entries and {} receipts signed by {}{}", contents_.chain.entries, receipts, signer.hex(),
                       options_.signer ? "" : ", a key that the workspace itself names");
  }

  Result<std::string> data() {
    UNSCATTER_CHECK_OK(read_data(*database_, contents_));
    std::size_t present = 0;
    for (const SlotSnapshot& slot : contents_.snapshot.slots) present += slot.graph ? 1u : 0u;
    // The root says that the rows are the right ones.  The count in the entry is a claim of its own (invariant 5).
    if (present != contents_.chain.last.graphs) {
      return wrong(fmt::format("{} graphs are there, and the ledger says {}", present, contents_.chain.last.graphs));
    }
    return fmt::format("{} graphs of {} are there, as the last entry says", present, contents_.snapshot.slots.size());
  }

  Result<std::string> model() {
    UNSCATTER_CHECK_OK(read_learned(*database_, contents_));
    const SessionSnapshot& kept = contents_.snapshot;
    // Invariant 6.  A count of releases that is too low would let more models out than the guarantee covers.
    if (kept.releases != totals_.released || kept.rungs != totals_.rungs) {
      return wrong("the model counts other removals, rungs or releases than the ledger");
    }
    return fmt::format("{} x {} weights, as the last entry says", kept.weights.rows(), kept.weights.cols());
  }

  Result<std::string> budget() const {
    const LedgerRecord& last = contents_.chain.last;
    const SessionOptions& promised = contents_.constants.options;
    const Promise& promise = last.promise;
    // An entry repeats the promise.  It has to be the one of the constants, under which the model was trained.
    if (promise.guarantee.epsilon != promised.guarantee.epsilon ||
        promise.guarantee.delta != promised.guarantee.delta || promise.mechanism != promised.mechanism ||
        promise.noise_stddev != promised.noise_stddev) {
      return wrong("the last entry promises something else than the workspace");
    }
    if (promised.mechanism == Mechanism::kRelease && last.published > promised.releases) {
      return wrong(
          fmt::format("{} models were published, and the guarantee covers {}", last.published, promised.releases));
    }
    return fmt::format("(epsilon, delta) = ({}, {}); shift at most {:.3g}, allowed {:.3g}; {} of {} models published",
                       promise.guarantee.epsilon, promise.guarantee.delta, last.shift_upper_bound, promise.shift_limit,
                       last.published, promised.releases);
  }

  // Rows that no ledger entry commits to.  They carry seals, which are checked while reading.
  Result<std::string> others() {
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
    UNSCATTER_TRY(published, read_published(*database_, weight_rows(contents_), class_count(contents_)));
    return fmt::format("{} salts, {} lists of requests, {} published model", salts_kept, lists.size(),
                       published ? "a" : "no");
  }

  // What the file could still hold of the past (invariant 11).  Blocks that the file system or the drive has moved are
  // out of reach.
  Result<std::string> erasure() {
    for (const char* suffix : {"-wal", "-journal"}) {
      std::error_code missing;
      const auto size = fs::file_size(fs::path(path_.string() + suffix), missing);
      if (!missing && size > 0) return wrong(fmt::format("{}{} holds {} bytes", path_.string(), suffix, size));
    }
    UNSCATTER_TRY(unused, examine_unused_pages(path_));
    if (unused.not_empty > 0) return wrong(fmt::format("{} unused pages are not empty", unused.not_empty));
    return fmt::format("nothing in the log, and nothing in the {} unused pages", unused.pages);
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
    // The ledger has the same number rounded up, so it can only be larger.
    if (claimed > contents_.chain.last.residual_upper_bound) {
      return wrong("the certificate of the model is larger than what the ledger says");
    }
    const bool by_evaluation = options.bound == ResidualBound::kExact;
    if (by_evaluation && !found.satisfied) {
      return wrong(fmt::format("the residual, at most {:.3g}, does not meet the guarantee", found.upper_bound));
    }
    return fmt::format("between {:.3g} and {:.3g}; certified: at most {:.3g}", found.lower_bound, found.upper_bound,
                       claimed);
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
    UNSCATTER_TRY(trained, train(objective, training));
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
  std::optional<Database> database_;
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

}  // namespace unscatter
