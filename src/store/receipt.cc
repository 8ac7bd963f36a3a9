#include "unscatter/store/receipt.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "store/json_fields.h"
#include "store/promise_json.h"

namespace unscatter {
namespace {

constexpr std::string_view kReceiptFormat = "unscatter-receipt-1";
constexpr std::string_view kSignedLine = "unscatter receipt 1\n";

// Keys come out sorted.
nlohmann::json unsigned_receipt(const Receipt& receipt) {
  nlohmann::json document = {{"format", kReceiptFormat},
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
  add_promise(document, receipt.promise, kReceiptPromise);
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
  if (const auto format = document.at("format").get<std::string>(); format != kReceiptFormat) {
    return Error{ErrorCode::kMalformedInput, fmt::format("its format is not '{}'", kReceiptFormat)};
  }
  Receipt receipt;
  receipt.workspace = document.at("workspace").get<std::string>();
  receipt.sequence = document.at("sequence").get<std::uint64_t>();
  receipt.time = document.at("time").get<std::string>();
  receipt.software = document.at("software").get<std::string>();
  receipt.requests = counts_from_json(document.at("requests"));
  UNSCATTER_CHECK_OK(read_digests(document, receipt));
  UNSCATTER_TRY(promise, promise_from_json(document, kReceiptPromise));
  receipt.promise = std::move(promise);
  UNSCATTER_TRY(signer, parse_public_key(document.at("signer").get<std::string>()));
  receipt.signer = signer;
  UNSCATTER_TRY(signature, parse_signature(document.at("signature").get<std::string>()));
  receipt.signature = signature;
  return receipt;
}

}  // namespace

std::string signed_text(const Receipt& receipt) { return std::string(kSignedLine) + unsigned_receipt(receipt).dump(); }

std::string receipt_text(const Receipt& receipt) {
  nlohmann::json document = unsigned_receipt(receipt);
  document["signature"] = receipt.signature.hex();
  return document.dump(2) + "\n";
}

Result<Receipt> parse_receipt(std::string_view text) {
  return read_canonical<Receipt>(text, "receipt", receipt_from_json, receipt_text);
}

void sign(Receipt& receipt, const SigningKey& key) {
  receipt.signer = key.public_key();
  receipt.signature = key.sign(signed_text(receipt));
}

Status check_signature(const Receipt& receipt, const PublicKey& key) {
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
