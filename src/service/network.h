// The part of the service that talks to the network: sockets, HTTP and TLS by Boost.Beast and OpenSSL, gzip by zlib.
//
// It is a library of its own, unscatter-network.so, which `unscatter serve` loads when it starts.  A short command
// would otherwise spend a good part of its time on loading OpenSSL, which it does not use (docs/performance.md, "The
// start of a process").  Program and library are built together, so C++ types cross the border.  The library knows no
// function of the program: it calls what it is given.
//
// Tests and programs with sanitizers have this part linked into them instead.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "service/server.h"
#include "service/webhook_post.h"
#include "unscatter/base/result.h"

namespace unscatter::service {

struct Network {
  Result<bool> (*is_loopback_address)(const std::string& address);
  Result<std::unique_ptr<Server>> (*listen)(Answering& service, const ServerOptions& options);
  int (*post_webhook)(const WebhookPost& post);
  std::optional<std::string> (*gzipped)(std::string_view text);
};

// Before network() is called for the first time.  Errors: kUnsupported if the library is not there, cannot be loaded,
// or belongs to another build of the program.
[[nodiscard]] Status load_network();
[[nodiscard]] const Network& network();

}  // namespace unscatter::service
