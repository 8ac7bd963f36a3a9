#include "store/upgrade.h"

#include <fmt/format.h>

#include <utility>

#include "store/chain.h"
#include "store/guarantee.h"
#include "store/schema.h"
#include "store/stored_model.h"
#include "store/tables.h"
#include "store/workspace_state.h"

namespace unscatter {
namespace {

// An opening believes the links.  An upgrade is signed, so it looks at every entry before.
Status check_old_ledger(const Database& database, const Contents& contents) {
  UNSCATTER_CHECK_OK(check_entries(database, contents.identity));
  return visit_entries(database, [&](std::size_t sequence, const LedgerRow& row) -> Status {
    if (is_signed(row, contents.identity.signer)) return ok_status();
    return Error{ErrorCode::kMalformedInput, fmt::format("entry {} is not signed by the workspace's key", sequence)};
  });
}

}  // namespace

Result<Contents> upgrade(const Database& database, Contents contents, const SigningKey& key, RandomSource& random,
                         std::string time) {
  UNSCATTER_CHECK_OK(check_old_ledger(database, contents));
  UNSCATTER_TRY(guaranteed, guarantee_of(contents));
  // The promise of the same constants, with what version 2 shows of it.
  Certificate certificate = contents.snapshot.certificate;
  certificate.promise = guaranteed.promise;
  contents.snapshot.certificate = certificate;
  const ModelRow model = to_row(model_of(contents.snapshot, contents.snapshot.releases), random);
  LedgerRecord entry = following_entry(contents, EntryKind::kUpgraded, std::move(time));
  entry.data_after = entry.data_before;
  entry.model = model.digest();
  set_certificate(entry, certificate);
  const LedgerRow row = make_entry(entry, key);

  UNSCATTER_TRY(transaction, Transaction::begin(database));
  UNSCATTER_CHECK_OK(upgrade_tables(database));
  UNSCATTER_CHECK_OK(write_model(database, model));
  // No entry of version 1 commits to a published model.  So nobody can tell whether the one in the file is what was
  // published, and it goes.  It stays counted.
  UNSCATTER_CHECK_OK(erase_published(database));
  UNSCATTER_CHECK_OK(append_entry(database, entry.sequence, row));
  // Read again as any later opening will, before it is committed.
  UNSCATTER_TRY(upgraded, read_contents(database));
  UNSCATTER_CHECK_OK(check_entries(database, upgraded.identity));
  UNSCATTER_CHECK_OK(transaction.commit());
  // The old model and the published one are on old pages until the log is written back.
  UNSCATTER_CHECK_OK(database.empty_log());
  return upgraded;
}

}  // namespace unscatter
