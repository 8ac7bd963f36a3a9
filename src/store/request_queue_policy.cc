// What the operator of a queue may decide, and how the file spells it.
#include <fmt/format.h>

#include "store/json_fields.h"
#include "store/request_queue_rows.h"

namespace unscatter {
namespace {

Status check_range(std::string_view field, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value >= least && value <= most) return ok_status();
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("{} of the policy is {}, and {} to {} is allowed", field, value, least, most)};
}

}  // namespace

Status check_policy(const QueuePolicy& policy) {
  constexpr std::int64_t kTenYears = 3650;
  UNSCATTER_CHECK_OK(check_range("days", policy.days, 1, kTenYears));
  UNSCATTER_CHECK_OK(check_range("extension_days", policy.extension_days, 0, kTenYears));
  UNSCATTER_CHECK_OK(check_range("most_days", policy.most_days, 1, 2 * kTenYears));
  UNSCATTER_CHECK_OK(check_range("most_open", policy.most_open, 1, 1000000));
  UNSCATTER_CHECK_OK(check_range("key_hours", policy.key_hours, 24, 8760));
  if (policy.keep_days) UNSCATTER_CHECK_OK(check_range("keep_days", *policy.keep_days, 1, 10 * kTenYears));
  if (policy.days + policy.extension_days > policy.most_days) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("days and extension_days of the policy are {} together, and most_days is {}",
                             policy.days + policy.extension_days, policy.most_days)};
  }
  return ok_status();
}

std::string policy_text(const QueuePolicy& policy) {
  nlohmann::json json = {
      {"days", policy.days},           {"events", policy.events},       {"extension_days", policy.extension_days},
      {"key_hours", policy.key_hours}, {"most_days", policy.most_days}, {"most_open", policy.most_open},
      {"verify", policy.verify}};
  if (policy.keep_days) json["keep_days"] = *policy.keep_days;
  return json.dump();
}

Result<QueuePolicy> parse_policy(std::string_view text) {
  const auto read = [](const nlohmann::json& json) -> Result<QueuePolicy> {
    const auto number = [&](const char* name) { return static_cast<std::int64_t>(whole_number(json.at(name))); };
    QueuePolicy policy;
    policy.days = number("days");
    policy.extension_days = number("extension_days");
    policy.most_days = number("most_days");
    policy.most_open = number("most_open");
    policy.key_hours = number("key_hours");
    if (json.contains("keep_days")) policy.keep_days = number("keep_days");
    policy.verify = json.at("verify").get<bool>();
    policy.events = json.at("events").get<bool>();
    UNSCATTER_CHECK_OK(check_policy(policy));
    return policy;
  };
  return read_canonical<QueuePolicy>(text, "policy of a queue", read, policy_text);
}

}  // namespace unscatter
