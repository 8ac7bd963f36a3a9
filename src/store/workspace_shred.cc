// Destroying kept salts.
#include <algorithm>
#include <utility>
#include <vector>

#include "base/wipe.h"
#include "store/workspace_state.h"
#include "unscatter/store/request_text.h"

namespace unscatter {

Result<std::size_t> Workspace::shred(const RemovalRequest& request) {
  State& state = *state_;
  // No key is needed: the ledger stays as it is, so nothing is signed.
  if (state.uncertain || state.options.read_only) return state.require_writable().error();
  UNSCATTER_TRY(transaction, Transaction::begin(state.database));
  std::size_t destroyed = 0;
  std::vector<std::pair<std::size_t, std::vector<Salt>>> rewritten;
  const auto destroy = [&](std::size_t sequence, std::vector<Salt>& salts) -> Status {
    UNSCATTER_TRY(row, read_entry(state.database, sequence));
    UNSCATTER_TRY(record, parse_ledger_text(row.body));
    const std::size_t count = std::min(salts.size(), record.commitments.size());
    std::size_t here = 0;
    for (std::size_t i = 0; i < count; ++i) {
      // The salt itself tells whether this commitment is about the request.  The file has no other way to know.
      if (commitment(request, salts[i]) != record.commitments[i]) continue;
      salts[i] = Salt{};
      ++here;
    }
    // Written later: a table is not changed while a statement walks through it.  The other salts keep their places,
    // which are those of the commitments.
    if (here > 0) rewritten.emplace_back(sequence, salts);
    destroyed += here;
    return ok_status();
  };
  UNSCATTER_CHECK_OK(visit_salts(state.database, destroy));
  for (auto& [sequence, salts] : rewritten) {
    UNSCATTER_CHECK_OK(write_salts(state.database, sequence, salts));
    wipe(salts);
  }
  // A list that had this request keeps a keyed digest of it.  Whoever has the signing key can compute that key.  For
  // them the digest of a list of one request is as good as a salt.  So all digests go.
  if (destroyed > 0) UNSCATTER_CHECK_OK(state.database.run("DELETE FROM lists"));
  UNSCATTER_CHECK_OK(state.commit(transaction));
  // Until now the old salts are in the file.
  UNSCATTER_CHECK_OK(state.checkpoint("the salts are destroyed"));
  return destroyed;
}

}  // namespace unscatter
