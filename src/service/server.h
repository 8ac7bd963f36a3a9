// The service on a port: HTTP/1.1 by Boost.Beast, plain or over TLS 1.3.
//
// Input and output are asynchronous, so a slow or idle client holds memory and no thread.  Everything a client can make
// large has a limit, and everything it can make long has a deadline.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "service/answering.h"
#include "unscatter/base/result.h"

namespace unscatter::service {

struct ServerLimits {
  std::size_t header_bytes = std::size_t{16} << 10;
  std::size_t body_bytes = std::size_t{8} << 20;
  std::size_t connections = 4096;
  std::size_t per_address = 256;
  std::chrono::seconds header{10};    // from the first byte of a request to the end of its header, and for TLS
  std::chrono::seconds body{30};      // for the body
  std::chrono::seconds idle{75};      // between two requests
  std::chrono::seconds writing{30};   // for an answer, or one event
  std::chrono::seconds events{3600};  // the life of a stream of events; then clients connect again
};

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any that is free
  // Both, or none of them: PEM files.
  std::string tls_certificate = {};
  std::string tls_key = {};
  ServerLimits limits = {};
  std::size_t threads = 0;  // for computing answers; 0: all
};

class Server {
 public:
  Server() = default;
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  virtual ~Server() = default;

  [[nodiscard]] virtual std::uint16_t port() const = 0;
  // Takes no connection any more, and closes each after the answer in hand.
  virtual void stop_accepting() = 0;
  // Waits until all connections are closed, at most so long, and ends the threads.
  virtual void finish(std::chrono::seconds longest) = 0;
};

// These are called by the table of service/network.h.

// Is this an address that only this machine reaches?  Errors: kInvalidArgument if it is no address.
[[nodiscard]] Result<bool> is_loopback_address(const std::string& address);
// Listens and answers from threads of its own.  `service` has to outlive it.  Errors: kInvalidArgument for an address
// that is none, and for certificates that cannot be used; kUnavailable if the port is taken; kIo.
[[nodiscard]] Result<std::unique_ptr<Server>> listen(Answering& service, const ServerOptions& options);

}  // namespace unscatter::service
