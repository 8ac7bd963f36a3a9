// A web server for one request: enough to see how the program behaves towards one.
#pragma once

#include <string>
#include <thread>

namespace unscatter::testing {

class HttpServer {
 public:
  // Answers the first request with `status` (as "200 OK") and `body`, then closes.
  HttpServer(std::string status, std::string body);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // http://127.0.0.1:PORT
  [[nodiscard]] std::string url() const;
  // First line of the request, valid after the client has its answer and join() was called.
  [[nodiscard]] const std::string& request() const { return request_; }
  void join();

 private:
  void answer(const std::string& status, const std::string& body);

  int listener_ = -1;
  int port_ = 0;
  std::string request_;
  std::thread thread_;
};

}  // namespace unscatter::testing
