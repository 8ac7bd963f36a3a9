// What a token may do.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "unscatter/base/result.h"

namespace unscatter::service {

enum class Scope : std::uint8_t {
  kSubmit = 1,   // send requests, and look at those that the same token has sent
  kOperate = 2,  // decide about requests, publish models, look at what is held about a subject, change settings
  kRead = 4,     // look at requests, ledger and status
  kPredict = 8,  // classify graphs, fetch the published model
};
inline constexpr std::array kScopes = {
    std::pair{Scope::kSubmit, std::string_view("submit")}, std::pair{Scope::kOperate, std::string_view("operate")},
    std::pair{Scope::kRead, std::string_view("read")}, std::pair{Scope::kPredict, std::string_view("predict")}};

class Scopes {
 public:
  Scopes() = default;
  Scopes& add(Scope scope) {
    bits_ = static_cast<std::uint8_t>(bits_ | static_cast<std::uint8_t>(scope));
    return *this;
  }
  [[nodiscard]] bool has(Scope scope) const { return (bits_ & static_cast<std::uint8_t>(scope)) != 0; }
  [[nodiscard]] bool empty() const { return bits_ == 0; }
  [[nodiscard]] std::string text() const;  // "submit,read"
  friend bool operator==(const Scopes&, const Scopes&) = default;

 private:
  std::uint8_t bits_ = 0;
};
// "submit,read".  Errors: kInvalidArgument for an unknown name, for none, and for one that stands twice.
[[nodiscard]] Result<Scopes> parse_scopes(std::string_view text);

}  // namespace unscatter::service
