#include "unscatter/store/receipt.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "store/json_fields.h"
#include "store/promise_json.h"

namespace unscatter {
namespace {

std::string receipt_format(std::uint32_t version) { return fmt::format("unscatter-receipt-{}", version); }
// The first line of what is signed.  The same key signs ledger entries and published models, and a signature of one
// kind must not pass for another.
std::string signed_line(std::uint32_t version) { return fmt::format("unscatter receipt {}\n", version); }

constexpr PromiseParts receipt_promise(std::uint32_t version) {
  return version == 1 ? kReceiptPromise1 : kReceiptPromise;
}

// What stands in a receipt: updates, and since version 2 releases.
Result<EntryKind> parse_receipt_kind(std::string_view text) {
  for (const EntryKind kind :
       {EntryKind::kForgotten, EntryKind::kReplayed, EntryKind::kReleased, EntryKind::kAdded, EntryKind::kCorrected}) {
    if (name(kind) == text) return kind;
  }
  return Error{ErrorCode::kMalformedInput, "there are no receipts of this kind"};
}

void add_since_version_2(nlohmann::json& document, const Receipt& receipt) {
  document["kind"] = name(receipt.kind);
  document["release_number"] = receipt.release_number;
  document["published_model"] =
      receipt.published_model ? nlohmann::json(receipt.published_model->hex()) : nlohmann::json();
}

Status read_since_version_2(const nlohmann::json& document, Receipt& receipt) {
  UNSCATTER_TRY(kind, parse_receipt_kind(document.at("kind").get<std::string>()));
  receipt.kind = kind;
  receipt.release_number = whole_number(document.at("release_number"));
  if (document.at("published_model").is_null()) return ok_status();
  UNSCATTER_TRY(published_model, digest_from_json(document.at("published_model")));
  receipt.published_model = published_model;
  return ok_status();
}

// Keys come out sorted.
nlohmann::json unsigned_receipt(const Receipt& receipt) {
  nlohmann::json document = {{"format", receipt_format(receipt.version)},
                             {"workspace", receipt.workspace},
                             {"sequence", receipt.sequence},
                             {"time", receipt.time},
                             {"software", receipt.software},
                             {"requests", counts_to_json(receipt.requests)},
                             {"commitments", digests_to_json(receipt.commitments)},
                             {"data_before", receipt.data_before.hex()},
                             {"data_after", receipt.data_after.hex()},
                             {"previous", receipt.previous.hex()},
                             {"entry", receipt.entry.hex()},
                             {"signer", receipt.signer.hex()}};
  if (receipt.version >= 2) add_since_version_2(document, receipt);
  add_promise(document, receipt.promise, receipt_promise(receipt.version));
  return document;
}

Status read_digests(const nlohmann::json& document, Receipt& receipt) {
  UNSCATTER_TRY(commitments, digests_from_json(document.at("commitments")));
  receipt.commitments = std::move(commitments);
  for (const auto& [field, digest] :
       {std::pair{"data_before", &receipt.data_before}, std::pair{"data_after", &receipt.data_after},
        std::pair{"previous", &receipt.previous}, std::pair{"entry", &receipt.entry}}) {
    UNSCATTER_TRY(value, digest_from_json(document.at(field)));
    *digest = value;
  }
  return ok_status();
}

Result<Receipt> receipt_from_json(const nlohmann::json& document) {
  // Looked at first: another format may have other fields, and "another format" is the better answer.
  const auto format = document.at("format").get<std::string>();
  Receipt receipt;
  for (receipt.version = kReceiptVersion; receipt_format(receipt.version) != format; --receipt.version) {
    if (receipt.version > 1) continue;
    return Error{ErrorCode::kMalformedInput, fmt::format("its format is neither '{}' nor '{}'", receipt_format(1),
                                                         receipt_format(kReceiptVersion))};
  }
  if (receipt.version >= 2) UNSCATTER_CHECK_OK(read_since_version_2(document, receipt));
  receipt.workspace = document.at("workspace").get<std::string>();
  receipt.sequence = whole_number(document.at("sequence"));
  receipt.time = document.at("time").get<std::string>();
  receipt.software = document.at("software").get<std::string>();
  receipt.requests = counts_from_json(document.at("requests"));
  UNSCATTER_CHECK_OK(read_digests(document, receipt));
  UNSCATTER_TRY(promise, promise_from_json(document, receipt_promise(receipt.version)));
  receipt.promise = std::move(promise);
  UNSCATTER_TRY(signer, parse_public_key(document.at("signer").get<std::string>()));
  receipt.signer = signer;
  UNSCATTER_TRY(signature, parse_signature(document.at("signature").get<std::string>()));
  receipt.signature = signature;
  return receipt;
}

}  // namespace

// Signed without indentation and without the field `signature`, so that other tools can get these bytes from the file
// (docs/receipts.md, "What is signed").
std::string signed_text(const Receipt& receipt) {
  return signed_line(receipt.version) + unsigned_receipt(receipt).dump();
}

std::string receipt_text(const Receipt& receipt) {
  nlohmann::json document = unsigned_receipt(receipt);
  document["signature"] = receipt.signature.hex();
  return document.dump(2) + "\n";
}

Result<Receipt> parse_receipt(std::string_view text) {
  return read_canonical<Receipt>(text, "receipt", receipt_from_json, receipt_text);
}

void sign(Receipt& receipt, const SigningKey& key) {
  // In this order: the signer is part of what is signed.
  receipt.signer = key.public_key();
  receipt.signature = key.sign(signed_text(receipt));
}

Status check_signature(const Receipt& receipt, const PublicKey& key) {
  // The key that the receipt names proves nothing, because anybody can make one.  It is only compared, and never used.
  if (receipt.signer != key) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("the receipt names {} as its signer, not {}", receipt.signer.hex(), key.hex())};
  }
  if (!verify_signature(signed_text(receipt), receipt.signature, key)) {
    return Error{ErrorCode::kInvalidArgument,
                 "the receipt's signature is wrong: its text was changed, or its signer did not sign it"};
  }
  return ok_status();
}

}  // namespace unscatter
