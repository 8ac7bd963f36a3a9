#include "service/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "service/connection.h"

namespace unscatter::service {
namespace {

using Tcp = asio::ip::tcp;
using Plain = beast::tcp_stream;
using Secure = beast::ssl_stream<beast::tcp_stream>;

Error tls_error(const char* what) {
  return Error{
      ErrorCode::kInvalidArgument,
      fmt::format(
          "the {} cannot be used: it has to be a PEM file that can be read, and certificate and key have to fit",
          what)};
}

// TLS 1.3 and nothing older; certificate and key have to fit.
Result<std::shared_ptr<asio::ssl::context>> make_tls(const ServerOptions& options) {
  auto tls = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  boost::system::error_code failed;
  if (SSL_CTX_set_min_proto_version(tls->native_handle(), TLS1_3_VERSION) != 1) return tls_error("TLS library");
  tls->use_certificate_chain_file(options.tls_certificate, failed);
  if (failed) return tls_error("certificate of --tls-cert");
  tls->use_private_key_file(options.tls_key, asio::ssl::context::pem, failed);
  if (failed) return tls_error("key of --tls-key");
  return tls;
}

struct Inside {
  Inside(Answering& of, ServerOptions how)
      : service(of),
        options(std::move(how)),
        pool(options.threads == 0 ? std::max(2U, std::thread::hardware_concurrency()) : options.threads),
        work(io.get_executor()),
        acceptor(asio::make_strand(io)) {}

  Status open();
  void accept();
  void take(Tcp::socket socket);
  // False: there are too many, in all or from this address.
  bool count_in(const std::string& address);
  void count_out(const std::string& address);
  template <typename Stream>
  void start(Stream stream, const std::string& address, bool loopback);
  void stop_accepting();
  void finish(std::chrono::seconds longest);

  Answering& service;
  const ServerOptions options;
  // Before what follows: connections that are left at the end go with `io`, and count themselves out.
  std::mutex mutex;
  std::map<std::string, std::size_t> per_address;
  std::size_t connections = 0;
  std::vector<std::weak_ptr<AnyConnection>> all;
  std::shared_ptr<asio::ssl::context> tls;  // null: plain
  asio::thread_pool pool;
  asio::io_context io;
  // While an answer is computed nothing waits for input.  The threads must stay all the same, to write it.
  asio::executor_work_guard<asio::io_context::executor_type> work;
  Tcp::acceptor acceptor;  // on a strand: one thread may accept while another one is told to stop
  std::uint16_t port = 0;
  std::vector<std::thread> threads;
};

Status Inside::open() {
  const auto failed = [this](const boost::system::error_code& error) {
    const bool taken = error == asio::error::address_in_use;
    return Error{taken ? ErrorCode::kUnavailable : ErrorCode::kIo,
                 fmt::format("cannot listen on {} port {}: {}", options.address, options.port, error.message())};
  };
  boost::system::error_code error;
  const auto address = asio::ip::make_address(options.address, error);
  if (error) return Error{ErrorCode::kInvalidArgument, fmt::format("'{}' is no IP address", options.address)};
  if (!options.tls_certificate.empty()) {
    UNSCATTER_TRY(made, make_tls(options));
    tls = std::move(made);
  }
  const Tcp::endpoint place(address, options.port);
  acceptor.open(place.protocol(), error);
  if (error) return failed(error);
  acceptor.set_option(asio::socket_base::reuse_address(true), error);
  acceptor.bind(place, error);
  if (error) return failed(error);
  acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return failed(error);
  port = acceptor.local_endpoint().port();
  accept();
  constexpr int kThreads = 2;  // they only move bytes
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([this] { io.run(); });
  return ok_status();
}

void Inside::accept() {
  acceptor.async_accept(asio::make_strand(io), [this](beast::error_code error, Tcp::socket socket) {
    if (!acceptor.is_open()) return;
    if (!error) take(std::move(socket));
    // Too many open files: the next attempt may succeed, when one of them is closed.
    if (error) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    accept();
  });
}

void Inside::take(Tcp::socket socket) {
  beast::error_code error;
  const auto end = socket.remote_endpoint(error);
  if (error) return;
  const std::string address = end.address().to_string();
  if (!count_in(address)) {
    ++service.metrics().connections_refused;
    return;
  }
  socket.set_option(Tcp::no_delay(true), error);
  ++service.metrics().connections_total;
  ++service.metrics().connections;
  const bool loopback = end.address().is_loopback();
  if (tls) {
    start(Secure(beast::tcp_stream(std::move(socket)), *tls), address, loopback);
  } else {
    start(Plain(std::move(socket)), address, loopback);
  }
}

template <typename Stream>
void Inside::start(Stream stream, const std::string& address, bool loopback) {
  ConnectionHost host{service,
                      options.limits,
                      [this](std::function<void()> task) { asio::post(pool, std::move(task)); },
                      [this, address] { count_out(address); },
                      tls != nullptr,
                      loopback,
                      address};
  const auto connection = std::make_shared<Connection<Stream>>(std::move(stream), std::move(host));
  {
    const std::lock_guard lock(mutex);
    if (all.size() > 2 * connections + 64) std::erase_if(all, [](const auto& one) { return one.expired(); });
    all.push_back(connection);
  }
  connection->start();
}

bool Inside::count_in(const std::string& address) {
  const std::lock_guard lock(mutex);
  const auto found = per_address.find(address);
  const std::size_t from_there = found == per_address.end() ? 0 : found->second;
  if (connections >= options.limits.connections || from_there >= options.limits.per_address) return false;
  ++connections;
  ++per_address[address];
  return true;
}

void Inside::count_out(const std::string& address) {
  --service.metrics().connections;
  const std::lock_guard lock(mutex);
  --connections;
  if (--per_address[address] == 0) per_address.erase(address);
}

void Inside::stop_accepting() {
  asio::post(acceptor.get_executor(), [this] {
    beast::error_code ignored;
    acceptor.close(ignored);
  });
  // Outside of the lock: a connection that goes here counts itself out.
  std::vector<std::shared_ptr<AnyConnection>> open_ones;
  {
    const std::lock_guard lock(mutex);
    for (const auto& one : all) {
      if (auto connection = one.lock()) open_ones.push_back(std::move(connection));
    }
  }
  for (const auto& connection : open_ones) connection->stop();
}

void Inside::finish(std::chrono::seconds longest) {
  const auto until = std::chrono::steady_clock::now() + longest;
  const auto left = [this] {
    const std::lock_guard lock(mutex);
    return connections;
  };
  while (left() > 0 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  io.stop();
  for (std::thread& thread : threads) thread.join();
  threads.clear();
  pool.join();
}

class BoostServer final : public Server {
 public:
  BoostServer(Answering& service, const ServerOptions& options) : inside_(service, options) {}
  ~BoostServer() override {
    if (inside_.threads.empty()) return;
    inside_.stop_accepting();
    inside_.finish(std::chrono::seconds(0));
  }

  [[nodiscard]] Status open() { return inside_.open(); }
  [[nodiscard]] std::uint16_t port() const override { return inside_.port; }
  void stop_accepting() override { inside_.stop_accepting(); }
  void finish(std::chrono::seconds longest) override { inside_.finish(longest); }

 private:
  Inside inside_;
};

}  // namespace

Result<bool> is_loopback_address(const std::string& address) {
  boost::system::error_code failed;
  const auto parsed = asio::ip::make_address(address, failed);
  if (failed) return Error{ErrorCode::kInvalidArgument, fmt::format("'{}' is no IP address", address)};
  return parsed.is_loopback();
}

Result<std::unique_ptr<Server>> listen(Answering& service, const ServerOptions& options) {
  auto server = std::make_unique<BoostServer>(service, options);
  UNSCATTER_CHECK_OK(server->open());
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace unscatter::service
