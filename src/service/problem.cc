#include "service/problem.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/hex.h"
#include "unscatter/base/random.h"

namespace unscatter::service {
namespace {

struct StatusWords {
  int status;
  std::string_view kind;
  std::string_view title;
};
constexpr std::array kStatusWords = {
    StatusWords{400, "bad-request", "Bad Request"},
    StatusWords{401, "unauthorized", "Unauthorized"},
    StatusWords{403, "forbidden", "Forbidden"},
    StatusWords{404, "not-found", "Not Found"},
    StatusWords{405, "method-not-allowed", "Method Not Allowed"},
    StatusWords{408, "timeout", "Request Timeout"},
    StatusWords{409, "conflict", "Conflict"},
    StatusWords{412, "precondition-failed", "Precondition Failed"},
    StatusWords{413, "too-large", "Content Too Large"},
    StatusWords{415, "unsupported-media-type", "Unsupported Media Type"},
    StatusWords{417, "expectation-failed", "Expectation Failed"},
    StatusWords{422, "unprocessable", "Unprocessable Content"},
    StatusWords{429, "too-many-requests", "Too Many Requests"},
    StatusWords{431, "headers-too-large", "Request Header Fields Too Large"},
    StatusWords{500, "internal", "Internal Server Error"},
    StatusWords{503, "unavailable", "Service Unavailable"},
};

const StatusWords& words_of(int status) {
  for (const StatusWords& words : kStatusWords) {
    if (words.status == status) return words;
  }
  return words_of(status < 500 ? 400 : 500);
}

std::string random_digits() {
  std::array<std::uint8_t, 16> bytes{};
  SecureRandom().fill(std::as_writable_bytes(std::span(bytes)));
  return to_hex(bytes);
}

}  // namespace

std::string_view status_title(int status) { return words_of(status).title; }

HttpResponse problem(const Refusal& refusal) {
  const StatusWords& words = words_of(refusal.status);
  HttpResponse response;
  response.status = words.status;
  response.content_type = "application/problem+json";
  response.instance = "urn:unscatter:problem:" + random_digits();
  nlohmann::ordered_json document = {{"type", fmt::format("urn:unscatter:problem-kind:{}", words.kind)},
                                     {"title", words.title},
                                     {"status", words.status},
                                     {"detail", refusal.detail},
                                     {"instance", response.instance}};
  if (refusal.request) document["request"] = *refusal.request;
  response.body = document.dump();
  if (refusal.retry_after) response.headers.emplace_back("Retry-After", std::to_string(*refusal.retry_after));
  if (!refusal.allow.empty()) response.headers.emplace_back("Allow", refusal.allow);
  if (words.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"unscatter\"");
  return response;
}

Refusal refusal_of(const Error& error) {
  const auto with = [&error](int status, const char* detail) {
    return Refusal{.status = status, .detail = detail, .retry_after = {}, .request = error.request, .allow = {}};
  };
  switch (error.code) {
    case ErrorCode::kNotFound: return with(422, "The workspace has nothing that fits this request.");
    case ErrorCode::kInvalidArgument: return with(422, "The workspace refuses this: it was removed already, or a value does not fit.");
    case ErrorCode::kMalformedInput: return with(400, "The text is not in the form that the document of this interface describes.");
    case ErrorCode::kLimitExceeded: return with(422, "This is beyond a limit of the workspace.");
    case ErrorCode::kUnsupported: return with(422, "This workspace does not offer that.");
    case ErrorCode::kNotConverged: return with(422, "The update did not reach its tolerance, and nothing was changed.");
    case ErrorCode::kFrameCondition: return with(422, "The embedding does not fit.");
    case ErrorCode::kIo: return Refusal{503, "The disk refused to read or write.", 30, {}, {}};
    case ErrorCode::kUnavailable: return Refusal{503, "The workspace is in use by another process.", 5, {}, {}};
    case ErrorCode::kOutdated: return Refusal{503, "The workspace is an older copy: it takes no change.", 300, {}, {}};
  }
  return with(500, "Something went wrong inside of the service.");
}

}  // namespace unscatter::service
