#include "service/webhook_post.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/rfc2818_verification.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <utility>

namespace unscatter::service {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Tcp = asio::ip::tcp;

// Each step is asynchronous, because only such steps have a deadline, and is waited for here.
class Step {
 public:
  explicit Step(asio::io_context& io) : io_(io) {}
  template <typename Start>
  [[nodiscard]] bool run(Start start) {
    bool ok = false;
    start([&ok](beast::error_code error, auto&&...) { ok = !error; });
    io_.restart();
    io_.run();
    return ok;
  }

 private:
  asio::io_context& io_;
};

http::request<http::string_body> request_of(const WebhookPost& post) {
  http::request<http::string_body> request{http::verb::post, post.url.target, 11};
  request.set(http::field::host, post.url.host);
  request.set(http::field::content_type, "application/json");
  request.set(http::field::user_agent, "unscatter");
  request.set(http::field::connection, "close");
  for (const auto& [name, value] : post.headers) request.set(name, value);
  request.body() = post.body;
  request.prepare_payload();
  return request;
}

template <typename Stream>
int exchange(Stream& stream, Step& step, const WebhookPost& post) {
  auto& lowest = beast::get_lowest_layer(stream);
  const auto request = request_of(post);
  lowest.expires_after(post.longest);
  if (!step.run([&](auto done) { http::async_write(stream, request, std::move(done)); })) return 0;
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> answer;
  answer.body_limit(std::uint64_t{64} << 10);
  lowest.expires_after(post.longest);
  // The header is enough: nobody looks at the rest.
  if (!step.run([&](auto done) { http::async_read_header(stream, buffer, answer, std::move(done)); })) return 0;
  return static_cast<int>(answer.get().result_int());
}

bool connect(beast::tcp_stream& stream, asio::io_context& io, Step& step, const WebhookPost& post) {
  Tcp::resolver resolver(io);
  Tcp::resolver::results_type found;
  beast::error_code failed;
  found = resolver.resolve(post.url.host, post.url.port, failed);
  if (failed) return false;
  // A name that says it is this machine has to be it.
  for (const auto& one : found) {
    if (!post.url.secure && !one.endpoint().address().is_loopback()) return false;
  }
  stream.expires_after(post.longest);
  return step.run([&](auto done) { stream.async_connect(found, std::move(done)); });
}

int post_secure(asio::io_context& io, Step& step, const WebhookPost& post) {
  asio::ssl::context tls(asio::ssl::context::tls_client);
  tls.set_default_verify_paths();
  tls.set_verify_mode(asio::ssl::verify_peer);
  SSL_CTX_set_min_proto_version(tls.native_handle(), TLS1_2_VERSION);
  beast::ssl_stream<beast::tcp_stream> stream(io, tls);
  stream.set_verify_callback(asio::ssl::rfc2818_verification(post.url.host));
  // What the macro SSL_set_tlsext_host_name does, without its cast.
  std::string name = post.url.host;
  if (SSL_ctrl(stream.native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data()) != 1)
    return 0;
  if (!connect(beast::get_lowest_layer(stream), io, step, post)) return 0;
  beast::get_lowest_layer(stream).expires_after(post.longest);
  const auto client = asio::ssl::stream_base::client;
  if (!step.run([&](auto done) { stream.async_handshake(client, std::move(done)); })) return 0;
  return exchange(stream, step, post);
}

}  // namespace

int post_webhook(const WebhookPost& post) {
  try {
    asio::io_context io;
    Step step(io);
    if (post.url.secure) return post_secure(io, step, post);
    beast::tcp_stream stream(io);
    return connect(stream, io, step, post) ? exchange(stream, step, post) : 0;
  } catch (const boost::system::system_error&) {
    return 0;
  }
}

}  // namespace unscatter::service
