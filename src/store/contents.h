// A workspace file, read and checked as every opening does it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "store/chain.h"
#include "store/constants.h"
#include "store/merkle_tree.h"
#include "store/sqlite.h"
#include "store/tables.h"
#include "unscatter/base/result.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/store/receipt.h"
#include "unscatter/unlearn/session.h"
#include "unscatter/unlearn/snapshot.h"

namespace unscatter {

struct Contents {
  Identity identity;
  Constants constants;
  std::shared_ptr<const Embedder> embedder;
  ChainEnd chain;
  std::int64_t format = 0;   // of the file
  MerkleTree graphs;         // its root is what the last entry says
  SessionSnapshot snapshot;  // graphs and model
  std::uint32_t model_version = kModelVersion;
};

// The parts one after the other, so that a verification can tell how far it came.
[[nodiscard]] Status read_constants(const Database& database, Contents& contents);
// Graphs, and whether their digest is the one of the last entry.
[[nodiscard]] Status read_data(const Database& database, Contents& contents);
// The same for the model.
[[nodiscard]] Status read_learned(const Database& database, Contents& contents);
// The published model of the present state, if there is one, and whether the last entry commits to it.  Errors:
// kMalformedInput, also for a model from before a removal, and for one that the ledger does not know.
[[nodiscard]] Result<std::optional<PublishedModel>> read_committed_model(const Database& database,
                                                                         const Contents& contents);
// Everything of a published model that does not depend on its entry.
[[nodiscard]] PublishedDocument document_of(const Contents& contents, PublishedModel model);

// All of it.  The head is signed, and graphs, model, published model and constants are what it commits to.  The model
// meets its guarantee as far as its residuals say.  Errors: kMalformedInput, kIo; kUnsupported for another version of
// the embedding.
[[nodiscard]] Result<Contents> read_contents(const Database& database);

// Width of the weights: the embedding's, and one for the bias.
[[nodiscard]] std::size_t weight_rows(const Contents& contents);
[[nodiscard]] std::size_t class_count(const Contents& contents);

}  // namespace unscatter
