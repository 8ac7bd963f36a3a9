#include "http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <utility>

namespace unscatter::testing {

HttpServer::HttpServer(std::string status, std::string body)
    : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);  // port 0: the system picks one
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener_, generic, size) != 0 || listen(listener_, 1) != 0 || getsockname(listener_, generic, &size) != 0) {
    throw std::runtime_error("no local port to listen on");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this, status = std::move(status), body = std::move(body)] { answer(status, body); });
}

HttpServer::~HttpServer() {
  shutdown(listener_, SHUT_RDWR);  // wakes an accept() that nobody answered
  join();
  close(listener_);
}

std::string HttpServer::url() const { return "http://127.0.0.1:" + std::to_string(port_); }

void HttpServer::join() {
  if (thread_.joinable()) thread_.join();
}

void HttpServer::answer(const std::string& status, const std::string& body) {
  const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0) return;
  std::string received;
  std::array<char, 1024> buffer{};
  while (received.find("\r\n\r\n") == std::string::npos) {
    const ssize_t size = recv(client, buffer.data(), buffer.size(), 0);
    if (size <= 0) break;
    received.append(buffer.data(), static_cast<std::size_t>(size));
  }
  request_ = received.substr(0, received.find("\r\n"));
  const std::string reply = "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) +
                            "\r\nConnection: close\r\n\r\n" + body;
  std::size_t sent = 0;
  while (sent < reply.size()) {
    const ssize_t size = send(client, reply.data() + sent, reply.size() - sent, MSG_NOSIGNAL);
    if (size <= 0) break;
    sent += static_cast<std::size_t>(size);
  }
  close(client);
}

}  // namespace unscatter::testing
