#include "service/http_parts.h"

#include <string>
#include <utility>

namespace unscatter::service {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;

std::string text_of(beast::string_view text) { return {text.data(), text.size()}; }

template <typename Message>
void set_headers(Message& message, const HttpResponse& response) {
  message.result(static_cast<unsigned>(response.status));
  message.set(http::field::server, "unscatter");
  if (!response.content_type.empty() && response.status != 204 && response.status != 304) {
    message.set(http::field::content_type, response.content_type);
  }
  for (const auto& [name, value] : response.headers) message.insert(name, value);
}

}  // namespace

HttpRequest request_of(http::request<http::string_body> message) {
  HttpRequest request;
  // HEAD is GET with an answer of which only the header is sent (RFC 9110, 9.3.2).
  request.head = message.method() == http::verb::head;
  request.method = request.head ? "GET" : text_of(message.method_string());
  request.target = text_of(message.target());
  for (const auto& field : message) {
    std::string name = text_of(field.name_string());
    for (char& byte : name) byte = byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : byte;
    request.headers.emplace_back(std::move(name), text_of(field.value()));
  }
  request.body = std::move(message.body());
  return request;
}

http::response<http::string_body> message_of(HttpResponse response, bool keep_alive, bool head) {
  http::response<http::string_body> message;
  message.version(11);
  set_headers(message, response);
  message.keep_alive(keep_alive);
  message.body() = std::move(response.body);
  message.prepare_payload();
  // Its length stays.  A client that asked for the header would take a body for the next answer.
  if (head) message.body().clear();
  return message;
}

http::response<http::empty_body> event_head(const HttpResponse& response) {
  http::response<http::empty_body> message;
  message.version(11);
  set_headers(message, response);
  message.chunked(true);
  return message;
}

std::optional<Refusal> refusal_of_header(const http::request<http::string_body>& message) {
  const auto coding = message.find(http::field::transfer_encoding);
  if (coding != message.end() && (message.version() < 11 || !beast::iequals(coding->value(), "chunked"))) {
    return Refusal{.status = 400, .detail = "The only transfer coding is chunked, of HTTP/1.1."};
  }
  const auto expected = message[http::field::expect];
  if (expected.empty() || beast::iequals(expected, "100-continue")) return std::nullopt;
  return Refusal{.status = 417, .detail = "The header Expect can only be 100-continue."};
}

bool expects_continue(const http::request<http::string_body>& message) {
  return message.version() >= 11 && !message[http::field::expect].empty();
}

std::optional<Refusal> refusal_of_parser(const beast::error_code& error) {
  if (error == http::error::header_limit) return Refusal{.status = 431, .detail = "The header is too large."};
  if (error == http::error::body_limit) return Refusal{.status = 413, .detail = "The body is too large."};
  // The client went away, or was too slow: then the connection is closed already.
  if (error == http::error::end_of_stream || error == http::error::partial_message) return std::nullopt;
  if (error.category() != http::make_error_code(http::error::bad_method).category()) return std::nullopt;
  return Refusal{.status = 400, .detail = "This is no request of HTTP/1.1."};
}

}  // namespace unscatter::service
