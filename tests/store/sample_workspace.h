// A small workspace in a folder of its own, and a forger's tools: what it takes to change a file and its ledger so that
// only the check that is meant can notice.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "store/sqlite.h"
#include "store/stored_model.h"
#include "support/temporary_folder.h"
#include "unscatter/store/ledger_record.h"
#include "unscatter/store/signing_key.h"
#include "unscatter/store/verify.h"
#include "unscatter/store/workspace.h"

namespace unscatter::testing {

struct SampleChoice {
  std::string name = "sound";
  SessionOptions options = {};
  std::size_t classes = 2;

  // In the names of tests; GoogleTest chose how it is called.
  // NOLINTNEXTLINE(readability-identifier-naming)
  friend void PrintTo(const SampleChoice& choice, std::ostream* out) { *out << choice.name; }
};
// Both mechanisms, the paper's choices, other losses, bias, tombstones, the baselines.
[[nodiscard]] std::vector<SampleChoice> sample_choices();

// 14 graphs of three to six nodes, more graphs than coordinates; every node has an id.
[[nodiscard]] WorkspaceSetup sample_setup(std::uint64_t seed = 1, const SampleChoice& choice = {},
                                          std::size_t graphs = 14);

[[nodiscard]] std::shared_ptr<const SigningKey> sample_key(std::uint64_t seed = 1);

// A file in memory, in a folder that goes away with it.  Functions that can fail are broken invariants here.
class SampleWorkspace {
 public:
  explicit SampleWorkspace(WorkspaceSetup setup = sample_setup());

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const Dataset& original() const { return setup_.dataset; }
  // How it is opened; tests may change it.
  WorkspaceOptions how;

  // From now on there is a record against rollback, beside a key file that is not needed.
  void keep_record() { how.record = folder_.path() / "signing.key"; }

  [[nodiscard]] Workspace create() const;
  [[nodiscard]] Workspace open() const;
  [[nodiscard]] Verification verify(const VerifyOptions& options = {}) const;
  // Creates, removes a node, a graph and an edge by three updates, publishes a model: five entries.
  void fill() const;

  [[nodiscard]] std::string bytes() const;
  // Another file in its place.
  void replace(std::string_view bytes) const;
  // SQL on the file behind the program's back; the log is empty afterwards.
  void edit(const std::function<void(const Database&)>& change) const;
  void edit(const std::string& sql) const;
  // Every entry, receipts with them, made anew by the holder of `key`: changed, linked, hashed, signed.  An entry that
  // `change` leaves alone is written anew only if what comes before it changed.
  void rewrite_ledger(const std::function<void(LedgerRecord&)>& change, const SigningKey& key) const;
  // The model, changed, with the last entry saying so.
  void rewrite_model(const std::function<void(StoredModel&)>& change, const SigningKey& key) const;

 private:
  TemporaryFolder folder_{memory_folder()};
  std::filesystem::path path_;
  WorkspaceSetup setup_;
};

// What did not pass.
[[nodiscard]] std::vector<std::string> failed_checks(const Verification& verification);
// All sentences, for messages of failed tests.
[[nodiscard]] std::string all_details(const Verification& verification);

// Weights, residuals, noise, certificate, counts, data, numbers: equal bit for bit?  Empty, or what differs.
[[nodiscard]] std::string difference(const SessionSnapshot& one, const SessionSnapshot& other);
// The same for what info() says, the path apart.
[[nodiscard]] std::string difference(const WorkspaceInfo& one, const WorkspaceInfo& other);

}  // namespace unscatter::testing
