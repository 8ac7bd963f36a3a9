// The service as a process: from the first signal handler to the last answer.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "service/server.h"
#include "service/service.h"
#include "unscatter/base/result.h"

namespace unscatter::service {

struct ServeOptions {
  ServiceOptions service;
  ServerOptions server;
  std::chrono::seconds drain{30};  // for queued requests, after SIGTERM
  // Called when clients can connect, with "https://127.0.0.1:8443".
  std::function<void(const std::string& url)> ready = nullptr;
};

// A public address needs tokens and TLS; certificate and key go together.  Errors: kInvalidArgument.
[[nodiscard]] Status check_exposure(const ServeOptions& options, std::size_t tokens);

// Keeps SIGTERM, SIGINT and SIGHUP for serve() to take.  For whoever starts threads before it calls serve().
void block_service_signals();

// Serves until SIGTERM or SIGINT, then completes what was accepted.  SIGHUP reads the token file again.  Tells systemd
// (NOTIFY_SOCKET) when it is ready and when it ends.  Blocks these signals for the whole process, so it is called
// before other threads are started.  Errors: those of load_network(), Service::open(), listen() and check_exposure();
// kIo if the workspace could not be written several times in a row, so that whoever watches over the process starts it
// again.
[[nodiscard]] Status serve(const ServeOptions& options);

// A line of the protocol of sd_notify(3), for instance "READY=1".  Does nothing where nobody asked for it.
void notify_manager(const std::string& state);

}  // namespace unscatter::service
