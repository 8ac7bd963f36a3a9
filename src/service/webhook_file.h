// The webhooks of a service, in a file.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "service/json_body.h"
#include "unscatter/base/result.h"

namespace unscatter::service {

struct Webhook {
  std::string id;   // 32 hexadecimal digits
  std::string url;  // https, or http on loopback
  std::set<std::string> events = {};  // names of states, and "extended"; none: all
  bool active = true;
  [[nodiscard]] bool wants(const std::string& event) const { return active && (events.empty() || events.contains(event)); }
};

// The parts of a URL that may be called.
struct WebhookUrl {
  bool secure = false;
  std::string host;  // as in the URL: brackets around an IPv6 address are left out
  std::string port;
  std::string target;  // path and query
};
// https://HOST[:PORT][/...], or http:// with localhost, 127.0.0.1 or [::1].  Nothing else: no user, no fragment, no
// control characters or spaces.  Errors: kInvalidArgument.
[[nodiscard]] Result<WebhookUrl> parse_webhook_url(std::string_view text);

[[nodiscard]] Json webhook_json(const Webhook& webhook);
[[nodiscard]] bool is_event_name(std::string_view name);

// None if there is no file.  Errors: kIo, kMalformedInput.
[[nodiscard]] Result<std::vector<Webhook>> read_webhooks(const std::filesystem::path& path);
// All or nothing.  Errors: kIo.
[[nodiscard]] Status write_webhooks(const std::filesystem::path& path, const std::vector<Webhook>& webhooks);

}  // namespace unscatter::service
