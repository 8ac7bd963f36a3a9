#include "service/sessions.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/hex.h"
#include "unscatter/base/digest.h"
#include "unscatter/base/random.h"

namespace unscatter::service {
namespace {

constexpr std::int64_t kSkew = 60;  // seconds by which a clock may be corrected

std::string random_cookie() {
  std::array<std::uint8_t, 32> bytes{};
  SecureRandom().fill(std::as_writable_bytes(std::span(bytes)));
  return to_hex(bytes);
}

std::string row_key(std::string_view cookie) {
  return Hasher().add(std::string_view("unscatter session 1")).add(cookie).finish().hex();
}

}  // namespace

std::int64_t Sessions::expires(const Row& row) const {
  return std::min(row.used + life_.idle_seconds, row.opened + life_.whole_seconds);
}

void Sessions::make_room(std::int64_t now) {
  std::erase_if(rows_, [&](const auto& item) { return expires(item.second) <= now; });
  while (rows_.size() >= life_.most) {
    rows_.erase(std::min_element(rows_.begin(), rows_.end(), [](const auto& one, const auto& other) {
      return one.second.used < other.second.used;
    }));
  }
}

Sessions::Opened Sessions::open(const std::string& token_id, std::int64_t now) {
  const std::lock_guard lock(mutex_);
  make_room(now);
  Opened opened{random_cookie(), random_cookie(), 0};
  const Row row{token_id, opened.csrf, now, now};
  opened.expires = expires(row);
  rows_.emplace(row_key(opened.cookie), row);
  return opened;
}

std::optional<Sessions::Found> Sessions::find(std::string_view cookie, std::int64_t now) {
  const std::lock_guard lock(mutex_);
  const auto found = rows_.find(row_key(cookie));
  if (found == rows_.end()) return std::nullopt;
  // After a clock was set back, nobody knows how old a session from before is.
  if (expires(found->second) <= now || found->second.opened > now + kSkew) {
    rows_.erase(found);
    return std::nullopt;
  }
  found->second.used = std::max(found->second.used, now);
  return Found{found->second.token, found->second.csrf, expires(found->second)};
}

void Sessions::close(std::string_view cookie) {
  const std::lock_guard lock(mutex_);
  rows_.erase(row_key(cookie));
}

bool Sessions::csrf_fits(const Found& session, std::string_view sent) {
  return sent.size() == session.csrf.size() && sodium_memcmp(sent.data(), session.csrf.data(), sent.size()) == 0;
}

}  // namespace unscatter::service
