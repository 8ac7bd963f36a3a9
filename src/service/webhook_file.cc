#include "service/webhook_file.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/files.h"
#include "unscatter/store/queued_request.h"

namespace unscatter::service {
namespace {

constexpr std::size_t kLongestUrl = 2000;
constexpr std::size_t kLongestFile = std::size_t{1} << 20;

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char byte) { return byte > ' ' && byte < 0x7f; });
}

bool is_local(std::string_view host) { return host == "localhost" || host == "127.0.0.1" || host == "::1"; }

// Cuts "HOST", "HOST:PORT" or "[ADDRESS]:PORT".
bool read_authority(std::string_view text, WebhookUrl& url) {
  std::size_t end = text.find(':');
  if (text.starts_with('[')) {
    const std::size_t bracket = text.find(']');
    if (bracket == std::string_view::npos) return false;
    url.host = text.substr(1, bracket - 1);
    end = bracket + 1 < text.size() ? bracket + 1 : std::string_view::npos;
    if (end != std::string_view::npos && text[end] != ':') return false;
  } else {
    url.host = text.substr(0, end);
  }
  url.port = end == std::string_view::npos ? (url.secure ? "443" : "80") : text.substr(end + 1);
  const bool digits = !url.port.empty() && url.port.size() <= 5 &&
                      std::all_of(url.port.begin(), url.port.end(), [](char one) { return one >= '0' && one <= '9'; });
  const unsigned long number = digits ? std::stoul(url.port) : 0;
  return !url.host.empty() && number >= 1 && number <= 65535;
}

}  // namespace

Result<WebhookUrl> parse_webhook_url(std::string_view text) {
  const Error wrong{ErrorCode::kInvalidArgument,
                    "A webhook is https://HOST[:PORT]/PATH, or http:// on localhost, without user and fragment."};
  WebhookUrl url;
  url.secure = text.starts_with("https://");
  if (text.size() > kLongestUrl || !is_plain(text) || (!url.secure && !text.starts_with("http://"))) return wrong;
  const std::string_view rest = text.substr(url.secure ? 8 : 7);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  url.target = rest.substr(authority.size());
  if (url.target.empty() || url.target.front() != '/') url.target.insert(0, "/");
  const bool odd = authority.find('@') != std::string_view::npos || url.target.find('#') != std::string::npos;
  if (odd || !read_authority(authority, url) || (!url.secure && !is_local(url.host))) return wrong;
  return url;
}

bool is_event_name(std::string_view name) { return name == "extended" || parse_request_state(name).ok(); }

Json webhook_json(const Webhook& webhook) {
  return {{"id", webhook.id}, {"url", webhook.url}, {"events", webhook.events}, {"active", webhook.active}};
}

Result<std::vector<Webhook>> read_webhooks(const std::filesystem::path& path) {
  const auto text = read_private_file(path, kLongestFile);
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) return std::vector<Webhook>();
  UNSCATTER_CHECK_OK(text);
  std::vector<Webhook> webhooks;
  try {
    const Json document = Json::parse(*text);
    for (const Json& one : document.at("webhooks")) {
      webhooks.push_back({one.at("id").get<std::string>(), one.at("url").get<std::string>(),
                          one.at("events").get<std::set<std::string>>(), one.at("active").get<bool>()});
      UNSCATTER_CHECK_OK(parse_webhook_url(webhooks.back().url));
    }
  } catch (const Json::exception&) {
    return Error{ErrorCode::kMalformedInput, "'" + path.string() + "' is no file of webhooks as the service writes it"};
  }
  return webhooks;
}

Status write_webhooks(const std::filesystem::path& path, const std::vector<Webhook>& webhooks) {
  Json list = Json::array();
  for (const Webhook& one : webhooks) list.push_back(webhook_json(one));
  return replace_file(path, Json{{"webhooks", std::move(list)}}.dump(2) + "\n", 0600);
}

}  // namespace unscatter::service
