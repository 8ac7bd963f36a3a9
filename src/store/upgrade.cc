#include "store/upgrade.h"

#include <fmt/format.h>

#include <utility>

#include "store/chain.h"
#include "store/guarantee.h"
#include "store/schema.h"
#include "store/stored_model.h"
#include "store/tables.h"
#include "store/workspace_files.h"
#include "store/workspace_state.h"

namespace unscatter {

// An opening looks at the end of the ledger and at no graph.  An upgrade is signed, so it looks at all of them before.
Status check_upgrade(const WorkspaceTables& tables, const Contents& contents) {
  const Database& database = tables.main();
  UNSCATTER_CHECK_OK(check_pages(database, "the workspace"));
  UNSCATTER_CHECK_OK(check_links(database));
  Contents all = contents;
  UNSCATTER_CHECK_OK(read_data(tables, all));
  UNSCATTER_CHECK_OK(check_entries(database, contents.identity));
  return visit_entries(database, [&](std::size_t sequence, const LedgerRow& row) -> Status {
    if (is_signed(row, contents.identity.signer)) return ok_status();
    return Error{ErrorCode::kMalformedInput, fmt::format("entry {} is not signed by the workspace's key", sequence)};
  });
}

Result<Contents> upgrade(const WorkspaceTables& tables, Contents contents, const SigningKey& key, RandomSource& random,
                         std::string time) {
  const Database& database = tables.main();
  UNSCATTER_CHECK_OK(check_upgrade(tables, contents));
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
  UNSCATTER_TRY(upgraded, read_contents(tables));
  UNSCATTER_CHECK_OK(check_entries(database, upgraded.identity));
  UNSCATTER_CHECK_OK(transaction.commit());
  // The old model and the published one are on old pages until the log is written back.
  UNSCATTER_CHECK_OK(database.empty_log());
  return upgraded;
}

Result<FormatUpgrade> upgrade_workspace(const std::filesystem::path& path, const WorkspaceOptions& options,
                                        bool dry_run) {
  FormatUpgrade result;
  result.to = static_cast<std::uint32_t>(kFormatVersion);
  {
    // To look first, so that a file with nothing to do is not even locked against others.
    UNSCATTER_TRY(files, open_files(path, options.wait, Access::kReader));
    UNSCATTER_TRY(contents, read_contents(files.tables()));
    result.from = static_cast<std::uint32_t>(contents.format);
    result.entries = contents.chain.entries;
    result.head = contents.chain.head;
    if (contents.format == kFormatVersion) return result;
    if (options.key == nullptr) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("{} has format {}, and bringing it to format {} is signed: the key {} is needed",
                               path.string(), result.from, result.to, contents.identity.signer.hex())};
    }
    if (options.key->public_key() != contents.identity.signer) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("{} is signed with the key {}, and so is its upgrade; the key at hand is {}",
                               path.string(), contents.identity.signer.hex(), options.key->public_key().hex())};
    }
    if (dry_run) {
      UNSCATTER_CHECK_OK(check_upgrade(files.tables(), contents));
      return result;
    }
  }
  UNSCATTER_TRY(workspace, Workspace::open(path, options));
  const WorkspaceInfo info = workspace.info();
  result.done = true;
  result.entries = info.entries;
  result.head = info.head;
  result.outdated = info.outdated;
  return result;
}

}  // namespace unscatter
