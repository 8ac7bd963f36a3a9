// One connection: reads requests one after the other and writes their answers.  Only for server.cc and its tests.
#pragma once

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream_base.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "service/http_parts.h"
#include "service/server.h"

namespace unscatter::service {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

// What connections share with the server.
struct ConnectionHost {
  Answering& service;
  const ServerLimits& limits;
  std::function<void(std::function<void()>)> compute;  // runs something on a thread that may take its time
  std::function<void()> closed;                        // the connection is gone
  bool secure = false;
  bool loopback = false;
  std::string address;
};

class AnyConnection {
 public:
  AnyConnection() = default;
  AnyConnection(const AnyConnection&) = delete;
  AnyConnection& operator=(const AnyConnection&) = delete;
  virtual ~AnyConnection() = default;
  // Any thread: closes it when the answer in hand is written.
  virtual void stop() = 0;
};

template <typename Stream>
class Connection final : public AnyConnection, public std::enable_shared_from_this<Connection<Stream>> {
 public:
  Connection(Stream stream, ConnectionHost host)
      : stream_(std::move(stream)),
        host_(std::move(host)),
        deadline_(stream_.get_executor()),
        beat_(stream_.get_executor()) {}
  ~Connection() override {
    leave_events();
    host_.closed();
  }

  void start() {
    asio::dispatch(stream_.get_executor(), beast::bind_front_handler(&Connection::begin, this->shared_from_this()));
  }
  void stop() override {
    asio::post(stream_.get_executor(), [self = this->shared_from_this()] {
      self->stopping_ = true;
      if (self->idle_ || self->streaming_) self->close();
    });
  }

 private:
  static constexpr bool kSecure = !std::is_same_v<Stream, beast::tcp_stream>;
  using Parser = http::request_parser<http::string_body>;

  auto& lowest() { return beast::get_lowest_layer(stream_); }
  template <typename Member>
  auto bound(Member member) {
    return beast::bind_front_handler(member, this->shared_from_this());
  }

  void begin() {
    if constexpr (kSecure) {
      lowest().expires_after(host_.limits.header);
      stream_.async_handshake(asio::ssl::stream_base::server,
                              [self = this->shared_from_this()](beast::error_code error) {
                                if (!error) self->await_request();
                              });
    } else {
      await_request();
    }
  }

  // Waits for the first byte with the patience of an idle connection, and then for the rest with less.
  void await_request() {
    if (stopping_) return close();
    if (buffer_.size() > 0) return read_header();
    idle_ = true;
    lowest().expires_after(host_.limits.idle);
    stream_.async_read_some(buffer_.prepare(4096),
                            [self = this->shared_from_this()](beast::error_code error, std::size_t bytes) {
                              self->idle_ = false;
                              if (error) return self->close();
                              self->buffer_.commit(bytes);
                              self->read_header();
                            });
  }

  void read_header() {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(host_.limits.header_bytes));
    parser_->body_limit(host_.limits.body_bytes);
    read_within(host_.limits.header);
    http::async_read_header(stream_, buffer_, *parser_, bound(&Connection::on_header));
  }

  void on_header(beast::error_code error, std::size_t) {
    if (const bool late = reading_ended(); error) return late ? refuse_with(too_slow("header")) : refuse(error);
    if (const auto refusal = refusal_of_header(parser_->get())) return refuse_with(*refusal);
    if (!expects_continue(parser_->get())) return read_body();
    static const std::string go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(stream_, asio::buffer(go_on),
                      [self = this->shared_from_this()](beast::error_code failed, std::size_t) {
                        if (!failed) self->read_body();
                      });
  }

  void read_body() {
    read_within(host_.limits.body);
    http::async_read(stream_, buffer_, *parser_, bound(&Connection::on_request));
  }

  void on_request(beast::error_code error, std::size_t) {
    if (const bool late = reading_ended(); error) return late ? refuse_with(too_slow("body")) : refuse(error);
    keep_alive_ = parser_->get().keep_alive();
    HttpRequest request = request_of(parser_->release());
    head_only_ = request.head;
    fill_in(request);
    host_.compute([self = this->shared_from_this(), request = std::move(request)]() mutable {
      self->host_.service.handle(std::move(request), [self](HttpResponse response) {
        asio::post(self->stream_.get_executor(),
                   [self, response = std::move(response)]() mutable { self->write(std::move(response)); });
      });
    });
  }

  // A deadline of the stream itself closes the socket, and nothing could be said any more.  This one ends the reading
  // only, so that a client that is too slow gets an answer.
  void read_within(std::chrono::seconds patience) {
    lowest().expires_never();
    late_ = false;
    deadline_.expires_after(patience);
    deadline_.async_wait([self = this->shared_from_this(), reading = ++readings_](beast::error_code error) {
      // Both may have ended at the same moment, and the next reading has a deadline of its own.
      if (error || reading != self->readings_) return;
      self->late_ = true;
      self->lowest().cancel();
    });
  }
  // Was it the deadline that ended it?
  [[nodiscard]] bool reading_ended() {
    ++readings_;
    deadline_.cancel();
    return late_;
  }
  static Refusal too_slow(std::string_view what) {
    return {.status = 408, .detail = "The " + std::string(what) + " of the request took too long to arrive."};
  }

  void fill_in(HttpRequest& request) const {
    request.address = host_.address;
    request.secure = host_.secure;
    request.loopback = host_.loopback;
  }

  // Text that is no request gets an answer where one can still be sent, and then the connection ends: nobody knows
  // where the next request would begin.
  void refuse(beast::error_code error) {
    const auto refusal = refusal_of_parser(error);
    if (!refusal) return close();
    refuse_with(*refusal);
  }
  void refuse_with(const Refusal& refusal) {
    keep_alive_ = false;
    head_only_ = false;
    HttpRequest request;
    fill_in(request);
    write(host_.service.refuse(request, refusal));
  }

  void write(HttpResponse response) {
    if (response.events && !head_only_) return begin_events(response);
    keep_alive_ = keep_alive_ && !stopping_;
    message_ =
        std::make_shared<http::response<http::string_body>>(message_of(std::move(response), keep_alive_, head_only_));
    lowest().expires_after(host_.limits.writing);
    http::async_write(stream_, *message_, bound(&Connection::on_written));
  }
  void on_written(beast::error_code error, std::size_t) {
    message_.reset();
    if (error || !keep_alive_) return close();
    await_request();
  }

  // Server-sent events: a header, then a chunk for each event.
  void begin_events(const HttpResponse& response) {
    streaming_ = true;
    listens_for_ = response.token;
    ++host_.service.metrics().event_streams;
    ends_ = std::chrono::steady_clock::now() + host_.limits.events;
    head_ = std::make_shared<http::response<http::empty_body>>(event_head(response));
    head_writer_ = std::make_shared<http::response_serializer<http::empty_body>>(*head_);
    listener_ = host_.service.listen([weak = this->weak_from_this()](std::shared_ptr<const std::string> text) {
      if (const auto self = weak.lock()) {
        asio::post(self->stream_.get_executor(), [self, text = std::move(text)] { self->push(text); });
      }
    });
    lowest().expires_after(host_.limits.writing);
    http::async_write_header(stream_, *head_writer_,
                             [self = this->shared_from_this()](beast::error_code error, std::size_t) {
                               if (error) return self->close();
                               self->writing_ = false;
                               self->beat();
                               self->write_next();
                             });
    writing_ = true;
  }

  // A comment now and then shows both sides that the other one is there.  Whose token was taken away hears no more.
  void beat() {
    constexpr auto kBeat = std::chrono::seconds(15);
    const bool may_listen = host_.service.knows_token(listens_for_);
    if (stopping_ || !may_listen || std::chrono::steady_clock::now() >= ends_) return close();
    push(std::make_shared<const std::string>(": here\n\n"));
    beat_.expires_after(kBeat);
    // Between two events this is what keeps the connection alive.
    beat_.async_wait([self = this->shared_from_this()](beast::error_code error) {
      if (!error && !self->closing_) self->beat();
    });
  }

  void push(std::shared_ptr<const std::string> text) {
    constexpr std::size_t kMostWaiting = 256;
    if (closing_) return;
    // Whoever does not read is cut off.  It connects again and looks at the present state.
    if (waiting_.size() >= kMostWaiting) return close();
    waiting_.push_back(std::move(text));
    write_next();
  }
  void write_next() {
    if (writing_ || waiting_.empty()) return;
    writing_ = true;
    lowest().expires_after(host_.limits.writing);
    asio::async_write(stream_, http::make_chunk(asio::buffer(*waiting_.front())),
                      [self = this->shared_from_this()](beast::error_code error, std::size_t) {
                        if (error) return self->close();
                        self->lowest().expires_never();
                        self->waiting_.pop_front();
                        self->writing_ = false;
                        self->write_next();
                      });
  }
  void leave_events() {
    if (listener_ == 0) return;
    host_.service.leave(std::exchange(listener_, 0));
    --host_.service.metrics().event_streams;
  }

  void close() {
    if (std::exchange(closing_, true)) return;
    leave_events();
    beat_.cancel();
    deadline_.cancel();
    if constexpr (kSecure) {
      if (lowest().socket().is_open() && !streaming_ && !idle_) {
        lowest().expires_after(std::chrono::seconds(2));
        stream_.async_shutdown([self = this->shared_from_this()](beast::error_code) { self->cut(); });
        return;
      }
    }
    cut();
  }
  void cut() {
    beast::error_code ignored;
    lowest().socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    // An answer that is on its way must not be lost because unread bytes of the client are thrown away.
    if (!kSecure && !stopping_ && !keep_alive_) return linger();
    lowest().close();
  }
  // Reads and forgets what the client still sends, for a moment.
  void linger() {
    lowest().expires_after(std::chrono::seconds(2));
    drop_rest(std::size_t{1} << 20);
  }
  void drop_rest(std::size_t left) {
    buffer_.clear();
    lowest().async_read_some(buffer_.prepare(4096),
                             [self = this->shared_from_this(), left](beast::error_code error, std::size_t bytes) {
                               if (error || bytes >= left) return self->lowest().close();
                               self->drop_rest(left - bytes);
                             });
  }

  Stream stream_;
  ConnectionHost host_;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::shared_ptr<http::response<http::string_body>> message_;
  bool keep_alive_ = true;
  bool head_only_ = false;  // the request in hand is HEAD
  bool stopping_ = false;
  bool closing_ = false;
  bool idle_ = false;
  asio::steady_timer deadline_;  // of the reading in hand
  std::uint64_t readings_ = 0;   // that began or ended
  bool late_ = false;

  bool streaming_ = false;
  bool writing_ = false;
  std::uint64_t listener_ = 0;
  std::string listens_for_;  // id of a token
  std::chrono::steady_clock::time_point ends_{};
  asio::steady_timer beat_;
  std::shared_ptr<http::response<http::empty_body>> head_;
  std::shared_ptr<http::response_serializer<http::empty_body>> head_writer_;
  std::deque<std::shared_ptr<const std::string>> waiting_;
};

}  // namespace unscatter::service
