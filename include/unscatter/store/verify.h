// Everything that a workspace claims, derived again from what it holds.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "unscatter/base/result.h"
#include "unscatter/store/receipt.h"
#include "unscatter/store/signing_key.h"
#include "unscatter/store/workspace.h"

namespace unscatter {

struct VerifyOptions {
  bool retrain = false;  // also train from scratch on what is left, and measure the distance
  // Who must have signed.  Default: whoever the workspace names, which proves less.
  std::optional<PublicKey> signer = {};
  // The hash of an entry that somebody wrote down: it must be in the ledger.  This shows an older copy even where there
  // is no record.
  std::optional<Digest> expected_head = {};
};

// One claim.
struct Check {
  std::string name;  // "chain", "data", "model", ...: part of the JSON contract
  bool passed = false;
  std::string detail;  // one sentence, with the numbers
};

struct Verification {
  bool passed = false;        // all of them
  std::vector<Check> checks;  // in the order they were made; where one fails, those that rest on it are left out
};

// Opens the file and changes nothing of what it says.  No number that the file claims is believed: limit and promise
// follow from the constants, and the residual is evaluated on the graphs.  With WorkspaceOptions::record an older copy
// does not pass.  A pending log is put in order, as any opening does.  Errors only
// where nothing can be checked: kNotFound, kUnavailable, kIo.  A damaged file is a Verification that did not pass.
[[nodiscard]] Result<Verification> verify_workspace(const std::filesystem::path& path, const VerifyOptions& options,
                                                    const WorkspaceOptions& workspace = {});

// A quick test of the file's structure that needs no key and no session: pages, tables, links of the ledger, signature
// of its last entry, and that graphs, model and published model are what this entry commits to.  It computes no
// residual, and looks at no other signature and no receipt: verify_workspace() does.  Errors as above.
[[nodiscard]] Result<Verification> check_workspace(const std::filesystem::path& path,
                                                   const WorkspaceOptions& workspace = {});

// Does the receipt belong to this workspace's ledger?  For a receipt whose signature was checked already.
[[nodiscard]] Result<Check> find_receipt(const Receipt& receipt, const Workspace& workspace);

// The same for a published model.
struct FoundModel {
  Check check;
  std::size_t removals_since = 0;  // entries after it that removed data: it still knows what they removed
};
[[nodiscard]] Result<FoundModel> find_model(const PublishedDocument& document, const Workspace& workspace);

}  // namespace unscatter
