#include "service/webhooks.h"

#include <gtest/gtest.h>

namespace unscatter::service {
namespace {

TEST(Webhooks, AttemptsGetRarerAndEnd) {
  std::int64_t before = 0;
  std::int64_t all = 0;
  std::uint32_t attempts = 1;
  for (; retry_after(attempts, 0); ++attempts) {
    const std::int64_t pause = *retry_after(attempts, 0);
    EXPECT_GE(pause, before);
    EXPECT_LE(*retry_after(attempts, 0.999), pause + pause / 2);
    before = pause;
    all += pause;
    ASSERT_LT(attempts, 1000U);
  }
  EXPECT_EQ(*retry_after(1, 0), 5);
  EXPECT_EQ(before, 3600);
  EXPECT_GT(all, 2 * 86400);
  EXPECT_LT(all, 5 * 86400);
}

TEST(Webhooks, WhatIsSignedHasTimeNumberAndBody) {
  EXPECT_NE(webhook_message(1, 2, "x"), webhook_message(2, 2, "x"));
  EXPECT_NE(webhook_message(1, 2, "x"), webhook_message(1, 3, "x"));
  EXPECT_NE(webhook_message(1, 2, "x"), webhook_message(1, 2, "y"));
  // No receipt, entry or model begins like this.
  EXPECT_TRUE(webhook_message(1, 2, "x").starts_with("unscatter webhook 1\n"));
}

TEST(Webhooks, AnExtensionIsAnEventOfItsOwn) {
  QueueEvent event;
  event.state = RequestState::kQueued;
  EXPECT_EQ(Json::parse(webhook_body(event)).at("event"), "queued");
  event.note = RequestNote::kComplex;
  EXPECT_EQ(Json::parse(webhook_body(event)).at("event"), "extended");
}

}  // namespace
}  // namespace unscatter::service
