// One POST to a webhook.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "service/webhook_file.h"

namespace unscatter::service {

struct WebhookPost {
  WebhookUrl url;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  std::chrono::seconds longest{10};  // for each of: connecting, sending, the answer
};
// The status of the answer; 0 if there was none.  Follows no redirect, and reads at most 64 KiB.  TLS checks the
// certificate against the system's authorities and the name of the host.  Called by the table of service/network.h.
[[nodiscard]] int post_webhook(const WebhookPost& post);

}  // namespace unscatter::service
