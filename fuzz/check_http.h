// Bytes of a client, through the parser that the server uses, to what handlers see.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <string>
#include <string_view>

#include "fuzz/check.h"
#include "service/gzip.h"
#include "service/http_parts.h"
#include "service/json_body.h"
#include "service/problem.h"
#include "service/removal_body.h"
#include "service/target.h"
#include "unscatter/store/request_text.h"

namespace unscatter::fuzz {

// What a refusal says must not depend on what was sent: the same few sentences, whatever the bytes are.
inline std::string check_refusal(const service::Refusal& refusal) {
  if (refusal.status < 400 || refusal.status > 599) return "a refusal without a status";
  if (refusal.detail.empty() || refusal.detail.size() > 300) return "a refusal without a short sentence";
  return {};
}

inline std::string check_http_request(const service::HttpRequest& request) {
  const auto target = service::parse_target(request.target);
  if (!target.ok()) return check_refusal(target.error());
  for (const std::string& segment : target->path) {
    if (segment.empty() || segment == "." || segment == "..") return "a path that climbs";
  }
  static_cast<void>(service::accepts_gzip(request.header("accept-encoding").value_or("")));
  const auto body = service::json_body(request);
  if (!body.ok()) return check_refusal(body.error());
  const auto removal = service::removal_of(*body);
  if (!removal.ok()) return check_refusal(removal.error());
  // What was read has one spelling, which is read as the same.
  const auto again = parse_request(request_text(*removal));
  return again.ok() && request_text(*again) == request_text(*removal) ? "" : "a request that does not read back";
}

inline std::string check_http(std::string_view text) {
  namespace http = boost::beast::http;
  http::request_parser<http::string_body> parser;
  parser.header_limit(16 << 10);
  parser.body_limit(64 << 10);
  parser.eager(true);
  boost::beast::error_code error;
  parser.put(boost::asio::buffer(text.data(), text.size()), error);
  if (error && error != http::error::need_more) {
    const auto refusal = service::refusal_of_parser(error);
    return refusal ? check_refusal(*refusal) : std::string();
  }
  if (!parser.is_done()) return {};
  return check_http_request(service::request_of(parser.release()));
}

}  // namespace unscatter::fuzz
