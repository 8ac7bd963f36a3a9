// Ledger, receipts and the key that signs them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "service/handlers.h"
#include "service/published.h"
#include "service/removal_body.h"
#include "service/service.h"
#include "service/words.h"
#include "unscatter/store/request_text.h"
#include "unscatter/store/verify.h"

namespace unscatter::service {
namespace {

Outcome<std::size_t> sequence_of(const Call& call) {
  const std::string& text = call.parameters.at(0);
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.size() > 18) {
    return Refusal{.status = 404, .detail = "There is no such entry."};
  }
  return number;
}

Outcome<Json> entry_json(const RequestQueue& queue, std::size_t sequence) {
  const auto record = queue.entry(sequence);
  if (!record.ok()) {
    if (record.error().code == ErrorCode::kNotFound) return Refusal{.status = 404, .detail = "There is no such entry."};
    return refusal_of(record.error());
  }
  const auto signature = queue.signature_of_entry(sequence);
  if (!signature.ok()) return refusal_of(signature.error());
  const std::string body = ledger_text(*record);
  return Json{
      {"sequence", sequence},           {"kind", name(record->kind)},    {"time", record->time},         {"body", body},
      {"hash", entry_hash(body).hex()}, {"signature", signature->hex()}, {"words", entry_words(*record)}};
}

Outcome<HttpResponse> ledger_page(Service& service, const Call& call) {
  if (auto wrong = check_query(call.target, {"after", "limit"})) return *std::move(wrong);
  UNSCATTER_TRY(after, number_query(call.target, {"after", -1, std::int64_t{1} << 53, -1}));
  UNSCATTER_TRY(limit, number_query(call.target, {"limit", 1, 200, 50}));
  const auto info = service.queue().info();
  const auto total = static_cast<std::int64_t>(info->entries);
  const std::int64_t end = std::min(total, after + 1 + limit);
  Json entries = Json::array();
  for (std::int64_t i = after + 1; i < end; ++i) {
    UNSCATTER_TRY(entry, entry_json(service.queue(), static_cast<std::size_t>(i)));
    entries.push_back(std::move(entry));
  }
  return tagged_response({{"entries", entries},
                          {"total", total},
                          {"next", end < total ? Json(end - 1) : Json(nullptr)},
                          {"signer", info->signer.hex()}});
}

Outcome<HttpResponse> one_entry(Service& service, const Call& call) {
  if (auto wrong = check_query(call.target, {})) return *std::move(wrong);
  UNSCATTER_TRY(sequence, sequence_of(call));
  UNSCATTER_TRY(entry, entry_json(service.queue(), sequence));
  return tagged_response(entry);
}

Outcome<HttpResponse> one_receipt(Service& service, const Call& call) {
  if (auto wrong = check_query(call.target, {})) return *std::move(wrong);
  UNSCATTER_TRY(sequence, sequence_of(call));
  const auto receipt = service.queue().receipt(sequence);
  if (!receipt.ok() && receipt.error().code == ErrorCode::kNotFound) {
    return Refusal{.status = 404, .detail = "There is no receipt of this number."};
  }
  if (!receipt.ok()) return refusal_of(receipt.error());
  HttpResponse response;
  response.body = receipt_text(*receipt);
  response.headers.emplace_back("ETag", etag_of(response.body));
  response.headers.emplace_back("Content-Disposition",
                                fmt::format("attachment; filename=\"receipt-{}.json\"", sequence));
  return response;
}

struct Verdict {
  Json checks = Json::array();
  bool valid = true;
  void add(const char* what, bool passed, const char* detail) {
    checks.push_back({{"name", what}, {"passed", passed}, {"detail", detail}});
    valid = valid && passed;
  }
};

// Is one of the receipt's commitments about this request?
Outcome<bool> opens(const Json& body, const Receipt& receipt) {
  UNSCATTER_TRY(digits, text_field(body, {"salt", 64, true}));
  const auto salt = parse_salt(digits);
  if (!salt.ok() || !body.contains("request")) {
    return Refusal{.status = 422, .detail = "'request' and 'salt' go together; a salt has 64 hexadecimal digits."};
  }
  UNSCATTER_TRY(request, removal_of(body.at("request")));
  const Digest wanted = commitment(request, *salt);
  return std::find(receipt.commitments.begin(), receipt.commitments.end(), wanted) != receipt.commitments.end();
}

Outcome<HttpResponse> check_receipt(Service& service, const Call& call) {
  UNSCATTER_TRY(body, json_body(call.request));
  if (auto wrong = check_fields(body, {"receipt", "request", "salt"})) return *std::move(wrong);
  UNSCATTER_TRY(text, text_field(body, {"receipt", std::size_t{1} << 20, true}));
  Verdict verdict;
  const auto receipt = parse_receipt(text);
  verdict.add(
      "form", receipt.ok(),
      receipt.ok() ? "It is a receipt, byte for byte as it was written." : "It is no receipt, or it was changed.");
  if (receipt.ok()) {
    const auto info = service.queue().info();
    const bool right = check_signature(*receipt, info->signer).ok();
    verdict.add("signature", right,
                right ? "The signing key of this service has signed it."
                      : "The signing key of this service has not signed it.");
    const auto hash = service.queue().hash_of_entry(receipt->sequence);
    const bool there = right && receipt->workspace == info->id && hash.ok() && *hash == receipt->entry;
    verdict.add("ledger", there,
                there ? "Its entry is in the ledger." : "Its entry is not in the ledger of this workspace.");
    if (body.contains("salt") || body.contains("request")) {
      UNSCATTER_TRY(about, opens(body, *receipt));
      verdict.add("request", about,
                  about ? "It is about this request." : "None of its commitments is about this request.");
    }
  }
  return json_response({{"valid", verdict.valid}, {"checks", verdict.checks}});
}

}  // namespace

void list_ledger(Service& service, const CallPtr& call) { call->finish(ledger_page(service, *call)); }
void get_entry(Service& service, const CallPtr& call) { call->finish(one_entry(service, *call)); }
void get_receipt(Service& service, const CallPtr& call) { call->finish(one_receipt(service, *call)); }
void verify_receipt(Service& service, const CallPtr& call) { call->finish(check_receipt(service, *call)); }

void get_key(Service& service, const CallPtr& call) {
  const std::string key = service.queue().info()->signer.hex();
  call->finish(tagged_response(
      {{"public_key", key}, {"algorithm", "Ed25519"}, {"file", fmt::format("unscatter-public-key-1 {}\n", key)}}));
}

}  // namespace unscatter::service
