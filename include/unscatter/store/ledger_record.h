// One entry of a workspace's ledger.
//
// Residual, distance and shift were computed from data without noise.  They are rounded up to a power of two.  So an
// entry tells their size, as an upper bound, and no digits.  With all digits, somebody who holds the workspace could
// check a guess of what was removed: train on the guess, forget it, compare.  For the same reason every digest of data
// is salted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"
#include "unscatter/unlearn/certificate.h"
#include "unscatter/unlearn/promise.h"
#include "unscatter/unlearn/request.h"

namespace unscatter {

// The names are part of the file format.
enum class EntryKind {
  kCreated,    // "created": trained, the first entry of every ledger
  kForgotten,  // "forgotten": one update
  kReleased,   // "released": a model was published
  kUpgraded,   // "upgraded": the entries before are of version 1, and those from here on are not
  kReplayed,   // "replayed": an older copy of the file was brought up to date, by one update
  kRenewed,    // "renewed": another count of published models began
  kAdded,      // "added": more graphs were learned from, by one update
  kCorrected,  // "corrected": values were replaced, by one update
};
[[nodiscard]] std::string_view name(EntryKind kind);

// Of the text of an entry.  Version 1 is what unscatter 0.1 wrote.  It has none of the fields `version`,
// `published_model` and `supersedes`, and of the promise it shows what kEntryPromise1 names.
inline constexpr std::uint32_t kLedgerVersion = 2;

struct LedgerRecord {
  std::uint32_t version = kLedgerVersion;
  EntryKind kind = EntryKind::kCreated;
  std::uint64_t sequence = 0;  // 0, 1, 2, ...
  std::string workspace;       // its id
  Digest previous;             // hash of the entry before; zero for the first
  std::string time;            // 2026-01-31T23:59:59Z
  std::string software;

  Digest constants;                 // of options, features, transform and class names: the same in every entry
  RequestCounts requests;           // of a removal, an addition (graphs) or corrections
  std::vector<Digest> commitments;  // one per request, new graph or correction
  std::size_t graphs_edited = 0;
  std::size_t graphs_removed = 0;
  std::size_t graphs_added = 0;  // only an addition spells it
  std::size_t graphs = 0;        // left
  std::size_t published = 0;     // models published so far
  Digest data_before;            // commits to all graphs; equal to the next field where data did not change
  Digest data_after;
  Digest model;                                // commits to the kept weights and residuals
  std::optional<Digest> published_model = {};  // of a release: published_digest() of what was published
  std::optional<Digest> supersedes = {};       // of a replay: the head of the ledger that it takes the place of
  // Of a creation: the head of the workspace whose graphs were learned from again.  Only an entry that has one spells
  // it.
  std::optional<Digest> continues = {};

  bool satisfied = false;
  Promise promise;  // without the number of releases and the assumptions, which an entry does not show
  ResidualBound binding = ResidualBound::kExact;
  double residual_upper_bound = 0;  // rounded up, as said above, and the next two as well
  double distance_upper_bound = 0;
  double shift_upper_bound = 0;
  Rung rung = Rung::kRetrain;
  std::size_t newton_steps = 0;
};

// Takes over the fields of the certificate.  Numbers of which an entry tells only the size are rounded up.  A shift
// within its limit stays within.
void set_certificate(LedgerRecord& record, const Certificate& certificate);

// Canonical JSON: keys sorted, no spaces.  What the hash is taken over.
[[nodiscard]] std::string ledger_text(const LedgerRecord& record);
// Takes exactly what ledger_text() gives.  Errors: kMalformedInput.
[[nodiscard]] Result<LedgerRecord> parse_ledger_text(std::string_view text);
// BLAKE2b-256 over ledger_text(), which holds the hash of the entry before.  So entries form a chain.
[[nodiscard]] Digest entry_hash(std::string_view text);

}  // namespace unscatter
