// A workspace file, read and checked as every opening does it.
#pragma once

#include <memory>
#include <vector>

#include "store/chain.h"
#include "store/constants.h"
#include "store/merkle_tree.h"
#include "store/sqlite.h"
#include "store/tables.h"
#include "unscatter/base/result.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/unlearn/snapshot.h"

namespace unscatter {

struct Contents {
  Identity identity;
  Constants constants;
  // Of the present state, because a removal may change them.
  std::shared_ptr<const Embedder> embedder;
  std::vector<std::string> class_names;
  ChainEnd chain;
  MerkleTree graphs;         // its root is what the last entry says
  SessionSnapshot snapshot;  // graphs and model
};

// The parts one after the other, so that a verification can tell how far it came.
[[nodiscard]] Status read_constants(const Database& database, Contents& contents);
// Graphs, and whether their digest is the one of the last entry.
[[nodiscard]] Status read_data(const Database& database, Contents& contents);
// The same for the model.
[[nodiscard]] Status read_learned(const Database& database, Contents& contents);

// All of it.  Errors: kMalformedInput, kIo.
[[nodiscard]] Result<Contents> read_contents(const Database& database);

// Width of the weights: the embedding's, and one for the bias.
[[nodiscard]] std::size_t weight_rows(const Contents& contents);
[[nodiscard]] std::size_t class_count(const Contents& contents);

}  // namespace unscatter
