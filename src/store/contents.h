// A workspace file, read and checked as every opening does it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "store/chain.h"
#include "store/constants.h"
#include "store/sqlite.h"
#include "store/stored_tree.h"
#include "store/tables.h"
#include "store/workspace_tables.h"
#include "unscatter/base/result.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/store/receipt.h"
#include "unscatter/unlearn/session.h"
#include "unscatter/unlearn/snapshot.h"

namespace unscatter {

struct Contents {
  Identity identity;
  Constants constants;
  // Of the present state, because a removal may change them.
  std::shared_ptr<const Embedder> embedder;
  std::vector<std::string> class_names;
  ChainEnd chain;
  std::int64_t format = 0;      // of the file
  bool has_kept_state = false;  // the tables of derived rows are there
  StoredTree tree;              // of the graphs; its root is what the last entry says
  SessionSnapshot snapshot;     // the model; graphs after read_data()
  std::uint32_t model_version = kModelVersion;
};

// The parts one after the other, so that a verification can tell how far it came.
[[nodiscard]] Status read_constants(const Database& database, Contents& contents);
// All graphs, and whether their digest is the one of the last entry.
[[nodiscard]] Status read_data(const WorkspaceTables& tables, Contents& contents);
// The same for the model.
[[nodiscard]] Status read_learned(const Database& database, Contents& contents);
// The published model of the present state, if there is one, and whether the last entry commits to it.  Errors:
// kMalformedInput, also for a model from before a removal, and for one that the ledger does not know.
[[nodiscard]] Result<std::optional<PublishedModel>> read_committed_model(const Database& database,
                                                                         const Contents& contents);
// Everything of a published model that does not depend on its entry.
[[nodiscard]] PublishedDocument document_of(const Contents& contents, PublishedModel model);

// All but the graphs, and of the ledger only its end: what costs the same for a thousand graphs and for a billion.  The
// head is signed, and model, published model and constants are what it commits to.  The model meets its guarantee as
// far as its residuals say.  What is read of the graphs later is held against the same head.  Errors: kMalformedInput,
// kIo; kUnsupported for another version of the embedding.
[[nodiscard]] Result<Contents> read_contents(const WorkspaceTables& tables);

// Width of the weights: the embedding's, and one for the bias.
[[nodiscard]] std::size_t weight_rows(const Contents& contents);
[[nodiscard]] std::size_t class_count(const Contents& contents);

}  // namespace unscatter
