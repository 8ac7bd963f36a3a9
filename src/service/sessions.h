// Sessions of the page: a cookie in place of the token, for a short time.
//
// They live in memory only, so a restart signs everybody out.  The table is searched by a digest of the cookie.  So the
// time of a search tells nothing about cookies that are there.  Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace unscatter::service {

struct SessionLife {
  std::int64_t idle_seconds = std::int64_t{30} * 60;  // without a request
  std::int64_t whole_seconds = std::int64_t{8} * 3600;
  std::size_t most = 1000;  // beyond them the oldest goes
};

class Sessions {
 public:
  struct Opened {
    std::string cookie;  // for the browser only
    std::string csrf;
    std::int64_t expires = 0;
  };
  struct Found {
    std::string token;  // id of the token that opened it
    std::string csrf;
    std::int64_t expires = 0;
  };
  explicit Sessions(SessionLife life = {}) : life_(life) {}

  [[nodiscard]] Opened open(const std::string& token_id, std::int64_t now);
  // Begins the idle time anew.
  [[nodiscard]] std::optional<Found> find(std::string_view cookie, std::int64_t now);
  void close(std::string_view cookie);
  // Is `sent` the session's value?  In constant time.
  [[nodiscard]] static bool csrf_fits(const Found& session, std::string_view sent);

 private:
  struct Row {
    std::string token;
    std::string csrf;
    std::int64_t opened = 0;
    std::int64_t used = 0;
  };
  [[nodiscard]] std::int64_t expires(const Row& row) const;
  void make_room(std::int64_t now);

  const SessionLife life_;
  std::mutex mutex_;
  std::map<std::string, Row, std::less<>> rows_;  // by digest of the cookie
};

}  // namespace unscatter::service
