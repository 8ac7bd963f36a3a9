// Between Beast's messages and ours.  Only for sources that see Boost.
#pragma once

#include <boost/beast/http.hpp>
#include <optional>

#include "service/http_message.h"
#include "service/outcome.h"

namespace unscatter::service {

[[nodiscard]] HttpRequest request_of(boost::beast::http::request<boost::beast::http::string_body> message);
[[nodiscard]] boost::beast::http::response<boost::beast::http::string_body> message_of(HttpResponse response,
                                                                                       bool keep_alive, bool head);
// The header of a stream of events.
[[nodiscard]] boost::beast::http::response<boost::beast::http::empty_body> event_head(const HttpResponse& response);
// What a client hears before its body is read; the connection then ends.  Which transfer codings there are decides
// where the next request begins, so only the one that everybody understands is taken (RFC 9112, 6.3).
[[nodiscard]] std::optional<Refusal> refusal_of_header(
    const boost::beast::http::request<boost::beast::http::string_body>& message);
// Does the client wait for "100 Continue"?  One of HTTP/1.0 does not know it.
[[nodiscard]] bool expects_continue(const boost::beast::http::request<boost::beast::http::string_body>& message);
// What a client hears whose text is no request.  Nothing: it is gone, or there is nobody to answer.
[[nodiscard]] std::optional<Refusal> refusal_of_parser(const boost::beast::error_code& error);

}  // namespace unscatter::service
