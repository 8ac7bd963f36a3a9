// What outsiders are given: receipts for those who asked to be forgotten, and published models.  Both are signed,
// checkable without the workspace, and silent about everybody else.  The formats are documented in docs/receipts.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/embedding/transform_spec.h"
#include "unscatter/graph/graph.h"
#include "unscatter/linalg/sparse_block_rows.h"
#include "unscatter/store/ledger_record.h"
#include "unscatter/store/signing_key.h"
#include "unscatter/unlearn/promise.h"
#include "unscatter/unlearn/request.h"
#include "unscatter/unlearn/session.h"

namespace unscatter {

inline constexpr std::uint32_t kReceiptVersion = 2;

// Only what may be shown to outsiders (docs/certificates.md, "Limits").  There is no residual, no rung, and no number
// that was computed from data without noise.  Digests of data and requests are salted.
struct Receipt {
  // Of the text.  Version 1 is what unscatter 0.1 wrote.  It has none of the fields `kind`, `release_number` and
  // `published_model`, and of the promise it shows what kReceiptPromise1 names.  It stays valid for ever.
  std::uint32_t version = kReceiptVersion;
  EntryKind kind = EntryKind::kForgotten;  // or a replay, a release, an addition or corrections
  std::string workspace;                   // its id, 32 hexadecimal digits
  std::uint64_t sequence = 0;              // of the ledger entry
  std::string time;                        // 2026-01-31T23:59:59Z
  std::string software;                    // "unscatter 0.1.0"
  RequestCounts requests;                  // how many of each kind
  std::vector<Digest> commitments;         // one per request, in the order they were given
  Digest data_before;                      // commits to all graphs before the removal
  Digest data_after;                       // the same after it
  Digest previous;                         // hash of the ledger entry before
  Digest entry;                            // hash of the ledger entry: the receipt pins the whole record up to here

  std::size_t release_number = 0;              // of a release: 1, 2, ...
  std::optional<Digest> published_model = {};  // of a release: published_digest() of the model that went out

  Promise promise;  // without `delta_for_shift` and `releases`, which a receipt does not show

  PublicKey signer;
  Signature signature;  // over signed_text()
};

// Canonical JSON of everything but the signature, after a line that names the format.
[[nodiscard]] std::string signed_text(const Receipt& receipt);
// The receipt as a file: canonical JSON (keys sorted, two-space indentation, a newline at the end).
[[nodiscard]] std::string receipt_text(const Receipt& receipt);
// Takes exactly what receipt_text() gives, byte for byte.  Anything else is kMalformedInput with the reason.
[[nodiscard]] Result<Receipt> parse_receipt(std::string_view text);

// Fills in signer and signature.
void sign(Receipt& receipt, const SigningKey& key);
// Is it signed by `key`?  Errors: kInvalidArgument, saying which of signer and signature is wrong.
[[nodiscard]] Status check_signature(const Receipt& receipt, const PublicKey& key);

// A published model as a file: everything that somebody needs to use it, the ledger entry that counts it, and who
// vouches for both.  No number in it was computed from data without noise.
struct PublishedDocument {
  std::string workspace;
  std::string features;  // with all constants
  TransformSpec transform;
  std::uint32_t embedding_version = 0;
  PublishedModel model;  // its promise without `rule` and `delta_for_shift`, which the document does not show

  // The entry that commits to all of the above by published_digest().
  std::uint64_t sequence = 0;
  Digest previous;
  Digest entry;
  std::string time;
  std::string software;

  PublicKey signer;
  Signature signature;  // over signed_text()
};

// What a `released` entry and its receipt say of the model: BLAKE2b-256 over the canonical JSON of the document without
// what names entry and signer.  No salt: the model is public, and everybody who has it may compare.
[[nodiscard]] Digest published_digest(const PublishedDocument& document);
// As of a receipt.
[[nodiscard]] std::string signed_text(const PublishedDocument& document);
// The document as a file: canonical JSON as of a receipt, but with all weights of a class on one line.
[[nodiscard]] std::string published_model_text(const PublishedDocument& document);
// Takes exactly what published_model_text() gives, byte for byte.  Anything else is kMalformedInput with the reason.
[[nodiscard]] Result<PublishedDocument> parse_published_model(std::string_view text);
void sign(PublishedDocument& document, const SigningKey& key);
[[nodiscard]] Status check_signature(const PublishedDocument& document, const PublicKey& key);

class FixedScores;

// What a model says of one graph.
struct Prediction {
  std::uint32_t predicted = 0;  // the class of largest score, the first one among equals
  std::vector<double> scores;   // w_k.z, one per class
  double lead = 0;              // the largest score less the second largest; with one class the score itself
};

// A published model that is ready for use.  It needs no workspace, no key and no training data.
//
// Scores are sums in a fixed order, without fused operations, of embeddings that are equal on every machine
// (docs/performance.md, "Decisions").  So they are the same bit for bit wherever the same model is used, from its file
// or from its workspace.  Immutable.  Any number of threads may use it at the same time.
class Predictor {
 public:
  // Makes the embedder that the document describes.  Nothing is said about signatures; see check_signature().  Errors:
  // kUnsupported for embeddings of another version; kMalformedInput if features, transform and weights do not fit each
  // other.
  [[nodiscard]] static Result<Predictor> create(const PublishedDocument& document);
  // The same with an embedder that is there already.
  [[nodiscard]] static Result<Predictor> create(std::shared_ptr<const Embedder> embedder, PublishedModel model);

  [[nodiscard]] const Embedder& embedder() const noexcept { return *embedder_; }
  [[nodiscard]] const std::vector<std::string>& class_names() const noexcept { return class_names_; }

  // Errors: those of Embedder::embed(), for a graph that lacks what the features need.
  [[nodiscard]] Result<Prediction> predict(const Graph& graph) const;
  // Of a row that embedder() made, without a coordinate for the bias.
  [[nodiscard]] Prediction predict(const BlockRow& row) const;
  // What scores that were computed elsewhere mean.
  [[nodiscard]] static Prediction decide(std::vector<double> scores);
  [[nodiscard]] const FixedScores& scores() const noexcept { return *scores_; }

 private:
  Predictor() = default;

  std::shared_ptr<const Embedder> embedder_;
  std::vector<std::string> class_names_;
  std::shared_ptr<const FixedScores> scores_;
};

}  // namespace unscatter
