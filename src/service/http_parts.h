// Between Beast's messages and ours.  Only for sources that see Boost.
#pragma once

#include <boost/beast/http.hpp>
#include <optional>

#include "service/http_message.h"
#include "service/outcome.h"

namespace unscatter::service {

[[nodiscard]] HttpRequest request_of(boost::beast::http::request<boost::beast::http::string_body> message);
[[nodiscard]] boost::beast::http::response<boost::beast::http::string_body> message_of(HttpResponse response,
                                                                                       bool keep_alive);
// The header of a stream of events.
[[nodiscard]] boost::beast::http::response<boost::beast::http::empty_body> event_head(HttpResponse response);
// What a client hears whose text is no request.  Nothing: it is gone, or there is nobody to answer.
[[nodiscard]] std::optional<Refusal> refusal_of_parser(const boost::beast::error_code& error);

}  // namespace unscatter::service
