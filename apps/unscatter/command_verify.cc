#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "commands.h"
#include "files.h"
#include "key_options.h"
#include "unscatter/store/receipt.h"
#include "unscatter/store/request_text.h"
#include "unscatter/store/signing_key.h"
#include "unscatter/store/verify.h"
#include "workspace_options.h"

namespace unscatter::cli {
namespace {

struct VerifyArguments {
  WorkspaceArguments workspace;
  bool retrain = false;
  std::string key;
  std::string model;
  std::string expected_head;
  std::string receipt;
  std::string request;
  std::string salt;
};

Status check_verify_usage(const VerifyArguments& arguments) {
  const auto wrong = [](const char* sentence) { return Error{ErrorCode::kInvalidArgument, sentence}; };
  const bool workspace = !arguments.workspace.path.empty();
  if (!workspace && arguments.receipt.empty() && arguments.model.empty())
    return wrong("nothing to verify is named: --workspace, --receipt, --model or several of them");
  if (!workspace && arguments.retrain) return wrong("--retrain needs --workspace");
  if (!workspace && !arguments.expected_head.empty()) return wrong("--expect-head needs --workspace");
  // The key inside a receipt proves nothing: anybody can make a key and sign with it (docs/receipts.md).
  if (!workspace && arguments.key.empty()) {
    return wrong("a receipt or a model alone needs --key: it proves nothing unless you know who should have signed it");
  }
  if (arguments.request.empty() != arguments.salt.empty()) return wrong("--request and --salt go together");
  if (!arguments.request.empty() && arguments.receipt.empty()) return wrong("--request and --salt need --receipt");
  return ok_status();
}

// Where the record against rollback lies: beside the signing key.  A public key that was named as a file usually lies
// there too.
std::filesystem::path record_of(const VerifyArguments& arguments) {
  std::error_code ignored;
  const std::filesystem::path named(arguments.key);
  if (named.extension() == ".pub" && std::filesystem::is_regular_file(named, ignored)) {
    std::filesystem::path signing = named;
    if (std::filesystem::is_regular_file(signing.replace_extension(".key"), ignored)) return signing;
  }
  return KeyArguments::usual_record();
}

// A receipt as a file of its own, or several, a compact one per line, as `forget --receipts` writes them.
Result<std::vector<Receipt>> read_receipts(const std::string& path) {
  UNSCATTER_TRY(text, read_small_file(path));
  auto single = parse_receipt(text);
  if (single.ok()) return std::vector<Receipt>{*std::move(single)};
  // A receipt of its own has a line end after its first brace.  A compact one does not.
  if (!text.starts_with("{\""))
    return Error{single.error().code, fmt::format("'{}': {}", path, single.error().message)};
  std::vector<Receipt> receipts;
  for (std::size_t at = 0, line = 1; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view compact = std::string_view(text).substr(at, end - at);
    at = end + 1;
    // A compact line is accepted only if it is the one compact spelling of a receipt: a byte that can change unnoticed
    // would be a hole.
    const auto document = nlohmann::json::parse(compact, nullptr, false);
    auto receipt = document.is_discarded() || document.dump() != compact
                       ? Result<Receipt>(Error{ErrorCode::kMalformedInput, "this is no receipt as it is written"})
                       : parse_receipt(document.dump(2) + '\n');
    if (!receipt.ok())
      return Error{receipt.error().code, fmt::format("'{}', line {}: {}", path, line, receipt.error().message)};
    receipts.push_back(*std::move(receipt));
  }
  return receipts;
}

Check signature_check(const std::vector<Receipt>& receipts, const PublicKey& key) {
  for (const Receipt& receipt : receipts) {
    const Status status = check_signature(receipt, key);
    if (!status.ok())
      return {"signature", false, fmt::format("entry {}: {}", receipt.sequence, status.error().message)};
  }
  const std::string what =
      receipts.size() == 1 ? "the receipt is" : fmt::format("all {} receipts are", receipts.size());
  return {"signature", true, fmt::format("{} signed by {}", what, key.hex())};
}

// What the request and its salt commit to, and the request in words.  A request to add or to correct is spelled as the
// openings file has it.
Result<std::pair<Digest, std::string>> asked_for(const std::string& text, const Salt& salt) {
  const auto document = nlohmann::json::parse(text, nullptr, false);
  if (document.is_object() && document.contains("correct")) {
    UNSCATTER_TRY(correction, parse_correction(text));
    return std::pair(commitment(correction, salt), "the correction of the " + describe(correction));
  }
  if (document.is_object() && document.contains("add")) {
    UNSCATTER_TRY(added, parse_added_graph(text));
    return std::pair(commitment(added, salt), "the addition of " + describe(RemovalRequest(ForgetGraph{added.graph})));
  }
  UNSCATTER_TRY(request, parse_request(text));
  return std::pair(commitment(request, salt), describe(request));
}

// Is the request one of those that the receipts are about?
Result<Check> request_check(const VerifyArguments& arguments, const std::vector<Receipt>& receipts) {
  // Request and salt give the commitment again.  Nobody can find another request that fits.
  UNSCATTER_TRY(salt, parse_salt(arguments.salt));
  // The receipts are searched, because a list has many and only the commitment tells which one is about the request.
  UNSCATTER_TRY(asked, asked_for(arguments.request, salt));
  const auto& [sought, words] = asked;
  for (const Receipt& receipt : receipts) {
    const auto& commitments = receipt.commitments;
    const auto found = std::find(commitments.begin(), commitments.end(), sought);
    if (found == commitments.end()) continue;
    return Check{"request", true,
                 fmt::format("{} is request {} of the {} that entry {} is about", words,
                             found - commitments.begin() + 1, commitments.size(), receipt.sequence)};
  }
  return Check{"request", false,
               fmt::format("with this salt, {} is none of the requests that the receipt is about", words)};
}

struct VerifiedReceipt {
  std::vector<Check> checks;
  Json about;  // what the receipts say
};

Result<VerifiedReceipt> verify_receipt(const VerifyArguments& arguments, const std::optional<PublicKey>& key,
                                       Context& context) {
  UNSCATTER_TRY(receipts, read_receipts(arguments.receipt));
  std::optional<Workspace> workspace;
  if (!arguments.workspace.path.empty()) {
    UNSCATTER_TRY(opened, arguments.workspace.open_to_read(context, record_of(arguments)));
    workspace = std::move(opened);
  }
  VerifiedReceipt verified;
  // Without --key the workspace is believed about who signs for it.  The report names that key.
  verified.checks.push_back(signature_check(receipts, key ? *key : workspace->info().signer));
  if (!arguments.request.empty()) {
    UNSCATTER_TRY(request, request_check(arguments, receipts));
    verified.checks.push_back(std::move(request));
  }
  for (const Receipt& receipt : receipts) {
    // A receipt with a wrong signature need not be looked for.
    if (!workspace || !verified.checks.back().passed) break;
    UNSCATTER_TRY(found, find_receipt(receipt, *workspace));
    verified.checks.push_back(std::move(found));
  }
  verified.about = Json::array();
  for (const Receipt& receipt : receipts) {
    verified.about.push_back({{"workspace", receipt.workspace},
                              {"entry", receipt.sequence},
                              {"time", receipt.time},
                              {"requests", receipt.requests.total()},
                              {"epsilon", receipt.promise.guarantee.epsilon},
                              {"delta", receipt.promise.guarantee.delta}});
  }
  return verified;
}

struct VerifiedModel {
  std::vector<Check> checks;
  Json about;
};

// Who signed a published model, and with a workspace: what its ledger says of it.
Result<VerifiedModel> verify_model(const VerifyArguments& arguments, const std::optional<PublicKey>& key,
                                   Context& context) {
  UNSCATTER_TRY(text, read_small_file(arguments.model));
  Result<PublishedDocument> document = parse_published_model(text);
  if (!document.ok()) {
    return Error{document.error().code, fmt::format("'{}': {}", arguments.model, document.error().message)};
  }
  std::optional<Workspace> workspace;
  if (!arguments.workspace.path.empty()) {
    UNSCATTER_TRY(opened, arguments.workspace.open_to_read(context, record_of(arguments)));
    workspace = std::move(opened);
  }
  const PublicKey signer = key ? *key : workspace->info().signer;
  const Status status = check_signature(*document, signer);
  VerifiedModel verified;
  verified.checks.push_back(
      {"signature", status.ok(),
       status.ok() ? fmt::format("model {} of workspace {} and its entry {} are signed by {}",
                                 document->model.release_number, document->workspace, document->sequence, signer.hex())
                   : status.error().message});
  verified.about = {{"workspace", document->workspace},
                    {"entry", document->sequence},
                    {"time", document->time},
                    {"release_number", document->model.release_number},
                    {"epsilon", document->model.promise.guarantee.epsilon},
                    {"delta", document->model.promise.guarantee.delta},
                    {"removals_since", nullptr}};
  if (workspace && status.ok()) {
    UNSCATTER_TRY(found, find_model(*document, *workspace));
    if (found.check.passed) verified.about["removals_since"] = found.removals_since;
    verified.checks.push_back(std::move(found.check));
  }
  return verified;
}

struct AboutDocuments {
  Json receipts;
  Json model;
};

Report report_checks(const VerifyArguments& arguments, const std::vector<Check>& checks, AboutDocuments about) {
  const auto failed = std::find_if(checks.begin(), checks.end(), [](const Check& check) { return !check.passed; });
  // No check is no proof.
  const bool verified = failed == checks.end() && !checks.empty();
  Json list = Json::array();
  Table table({{""}, {""}, {""}});
  for (const Check& check : checks) {
    list.push_back({{"name", check.name}, {"passed", check.passed}, {"detail", check.detail}});
    table.add_row({check.name, check.passed ? "ok" : "FAILED", check.detail});
  }
  Report report;
  report.json = {{"verified", verified}, {"checks", std::move(list)}};
  if (!arguments.workspace.path.empty()) report.json["workspace"] = arguments.workspace.path;
  if (!arguments.receipt.empty()) {
    report.json["receipt"] = arguments.receipt;
    report.json["receipts"] = std::move(about.receipts);
  }
  if (!arguments.model.empty()) {
    report.json["model"] = arguments.model;
    report.json["published"] = std::move(about.model);
  }
  report.text = table.str() + (verified ? "verified\n" : "NOT verified\n");
  if (!verified) {
    report.refusal = Error{ErrorCode::kMalformedInput,
                           failed == checks.end() ? std::string("not verified")
                                                  : fmt::format("not verified: {}: {}", failed->name, failed->detail)};
  }
  return report;
}

Result<Report> verify_claims(const VerifyArguments& arguments, Context& context) {
  std::optional<PublicKey> key;
  if (!arguments.key.empty()) {
    UNSCATTER_TRY(read, read_public_key(arguments.key));
    key = read;
  }
  std::optional<Digest> head;
  if (!arguments.expected_head.empty()) {
    UNSCATTER_TRY(parsed, parse_digest(arguments.expected_head));
    head = parsed;
  }
  std::vector<Check> checks;
  bool sound = true;
  if (!arguments.workspace.path.empty()) {
    UNSCATTER_TRY(verification, verify_workspace(arguments.workspace.path,
                                                 {.retrain = arguments.retrain, .signer = key, .expected_head = head},
                                                 arguments.workspace.options(context, record_of(arguments))));
    checks = std::move(verification.checks);
    sound = verification.passed;
  }
  AboutDocuments about;
  // A receipt is compared with the ledger, so the ledger has to be right first.
  if (!arguments.receipt.empty() && sound) {
    UNSCATTER_TRY(verified, verify_receipt(arguments, key, context));
    checks.insert(checks.end(), verified.checks.begin(), verified.checks.end());
    about.receipts = std::move(verified.about);
  }
  if (!arguments.model.empty() && sound) {
    UNSCATTER_TRY(verified, verify_model(arguments, key, context));
    checks.insert(checks.end(), verified.checks.begin(), verified.checks.end());
    about.model = std::move(verified.about);
  }
  return report_checks(arguments, checks, std::move(about));
}

}  // namespace

void add_verify_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("verify", "Check a workspace, or a receipt, by deriving everything again");
  const auto arguments = std::make_shared<VerifyArguments>();
  arguments->workspace.add_to(command, false);
  command.add_flag("--retrain", arguments->retrain,
                   "Also train from scratch on what is left, and measure the distance");
  command.add_option("--key", arguments->key,
                     "Who must have signed: a public key, 64 digits or a file (not the signing key)");
  command.add_option("--model", arguments->model,
                     "A published model, as release writes it; with --workspace: is it in the ledger, and current?");
  command.add_option("--expect-head", arguments->expected_head,
                     "A hash of the ledger that you wrote down, 64 digits: an older copy does not have it");
  command.add_option("--receipt", arguments->receipt,
                     "A receipt, or a file of receipts; with --workspace: is it in the ledger?");
  command.add_option("--request", arguments->request,
                     "With --receipt: is it about this request? JSON, as in a list of requests");
  command.add_option("--salt", arguments->salt, "The request's salt, 64 digits, as forget --openings writes it");
  command.footer(R"(
Examples:
  unscatter verify --workspace w.unscatter
  unscatter verify --workspace w.unscatter --retrain --key operator.pub
  unscatter verify --receipt receipt.json --key operator.pub
  unscatter verify --receipt receipt.json --key operator.pub --salt 2f...c1 \
      --request '{"forget": "subject", "id": "user-00042"}'
  unscatter verify --receipt receipt.json --workspace w.unscatter
  unscatter verify --model model.json --key operator.pub
  unscatter verify --workspace w.unscatter --expect-head 8b70...81

Exit code 0 and "verified" if every check passes, 1 otherwise.  Without --key a workspace is believed about who signs
for it.  A workspace that is older than the record beside the signing key does not pass.)");
  context.add_action(
      command, [arguments, &context] { return verify_claims(*arguments, context); },
      [arguments] { return check_verify_usage(*arguments); });
}

}  // namespace unscatter::cli
