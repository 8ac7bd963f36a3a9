#include "store/contents.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/wipe.h"
#include "store/guarantee.h"
#include "store/merkle_tree.h"
#include "store/schema.h"
#include "store/stored_graph.h"
#include "unscatter/store/promise_text.h"

namespace unscatter {
namespace {

Error not_as_recorded(std::string_view what) {
  return {ErrorCode::kMalformedInput, fmt::format("the workspace is damaged: {} not what the ledger says", what)};
}

}  // namespace

std::size_t weight_rows(const Contents& contents) {
  return contents.embedder->width() + (contents.constants.options.bias ? 1 : 0);
}

std::size_t class_count(const Contents& contents) { return contents.class_names.size(); }

Status read_constants(const Database& database, Contents& contents) {
  UNSCATTER_TRY(format, format_of(database));
  contents.format = format;
  UNSCATTER_TRY(identity, read_identity(database));
  UNSCATTER_TRY(constants, parse_constants(identity.constants));
  UNSCATTER_CHECK_OK(check_embedding(constants));
  contents.identity = std::move(identity);
  contents.constants = std::move(constants);
  return ok_status();
}

Status read_data(const WorkspaceTables& tables, Contents& contents) {
  contents.snapshot.name = contents.constants.name;
  contents.snapshot.slots.clear();
  std::vector<Digest> leaves;
  // A row that cannot be understood is only spoken of if all rows are as the ledger says.  Otherwise "changed" is the
  // better answer.
  std::optional<Error> not_understood;
  UNSCATTER_CHECK_OK(visit_graphs(tables, [&](std::size_t slot, GraphRow& row) {
    leaves.push_back(row.leaf(slot));
    Result<SlotSnapshot> kept = slot_from_row(row);
    // The graph has its own copy.  These bytes would stay in freed memory after the graph is forgotten.
    wipe(row.content);
    if (kept.ok()) {
      contents.snapshot.slots.push_back(*std::move(kept));
    } else if (!not_understood) {
      not_understood = std::move(kept).error();
    }
    return ok_status();
  }));
  // Invariant 5.  The leaves are salted, so the root in the ledger gives no graph away (docs/workspace-format.md, "Why
  // salts everywhere").
  if (MerkleTree(std::move(leaves)).root() != contents.chain.last.data_after) {
    return not_as_recorded("the graphs are");
  }
  if (not_understood) return *std::move(not_understood);
  return ok_status();
}

namespace {

// The constants that stand with the model.  The sizes of its matrices follow from them.
Status read_fitted(const ModelRow& row, Contents& contents) {
  UNSCATTER_TRY(details, details_of(row));
  const bool old = details.version == 1;
  UNSCATTER_TRY(embedder, make_embedder(contents.constants, old ? contents.constants.features : details.features));
  contents.embedder = std::move(embedder);
  contents.class_names = old ? contents.constants.class_names : std::move(details.class_names);
  contents.snapshot.features = contents.embedder->blocks().front().features.describe();
  contents.snapshot.class_names = contents.class_names;
  return ok_status();
}

}  // namespace

Status read_learned(const Database& database, Contents& contents) {
  // The head is what says which counts of published models came before the present one.
  const std::vector<EarlierCount>& earlier = contents.chain.last.promise.earlier;
  contents.constants.options.earlier = earlier;
  UNSCATTER_TRY(row, read_model(database));
  // Kept even if the digest is wrong: a verification then goes on with sizes that nobody vouches for.
  const Status fitted = read_fitted(row, contents);
  // The digest comes before the errors of parsing, so that every damage is called damage.
  if (row.digest() != contents.chain.last.model) return not_as_recorded("the model is");
  UNSCATTER_CHECK_OK(fitted);
  Result<StoredModel> model = model_from_row(row, weight_rows(contents), class_count(contents));
  if (!model.ok()) return std::move(model).error();
  SessionSnapshot& snapshot = contents.snapshot;
  snapshot.weights = std::move(model->weights);
  snapshot.residuals = std::move(model->residuals);
  snapshot.perturbation = std::move(model->perturbation);
  snapshot.certificate = std::move(model->certificate);
  snapshot.certificate.promise.releases = covered_releases(contents.constants.options);  // which the row does not show
  snapshot.rungs = model->rungs;
  contents.model_version = model->version;
  if (model->published < published_in(earlier)) return not_as_recorded("the count of published models is");
  snapshot.releases = model->published - published_in(earlier);
  return ok_status();
}

PublishedDocument document_of(const Contents& contents, PublishedModel model) {
  PublishedDocument document;
  document.workspace = contents.identity.id;
  document.features = contents.embedder->blocks().front().features.describe();
  document.transform = contents.constants.transform;
  document.embedding_version = contents.constants.embedding_version;
  model.promise = shown(model.promise, kPublishedPromise);
  document.model = std::move(model);
  return document;
}

Result<std::optional<PublishedModel>> read_committed_model(const Database& database, const Contents& contents) {
  UNSCATTER_TRY(model, read_published(database, weight_rows(contents), class_count(contents)));
  if (!model) return model;
  // Invariant 10.  A removal deletes the published model, and a release writes a new one with its entry.  So a model
  // that is there belongs to the last entry, or somebody has put it back.
  const LedgerRecord& last = contents.chain.last;
  if (last.kind != EntryKind::kReleased) {
    return Error{ErrorCode::kMalformedInput,
                 fmt::format("the workspace is damaged: it holds a published model from before entry {} ({})",
                             last.sequence, name(last.kind))};
  }
  if (last.published_model != published_digest(document_of(contents, *model))) {
    return not_as_recorded("the published model is");
  }
  return model;
}

Result<Contents> read_contents(const WorkspaceTables& tables) {
  const Database& database = tables.main();
  // The order is that of trust.  Constants say how to read.  The chain says what graphs and model have to be.
  Contents contents;
  UNSCATTER_CHECK_OK(read_constants(database, contents));
  UNSCATTER_TRY(chain, read_chain_end(database));
  contents.chain = std::move(chain);
  // Nothing is signed on top of a head that nobody signed.  Through the hash links this one signature covers all
  // entries.
  UNSCATTER_CHECK_OK(check_head_signature(contents.chain, contents.identity.signer));
  if (contents.chain.last.constants != constants_digest(contents.identity)) return not_as_recorded("the constants are");
  contents.snapshot.name = contents.constants.name;
  UNSCATTER_TRY(slots, count_slots(tables));
  contents.tree = StoredTree(slots, contents.chain.last.data_after);
  UNSCATTER_TRY(kept, has_kept_tables(database));
  contents.has_kept_state = kept;
  UNSCATTER_CHECK_OK(read_learned(database, contents));
  UNSCATTER_TRY(guaranteed, guarantee_of(contents));
  UNSCATTER_CHECK_OK(check_certificate(contents, guaranteed));
  // Format 1 commits to no published model.  Whoever hands one out asks for the upgrade first.
  if (contents.format > kFirstFormat) UNSCATTER_CHECK_OK(read_committed_model(database, contents));
  return contents;
}

}  // namespace unscatter
