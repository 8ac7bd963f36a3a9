#include "service/webhook_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/temporary_folder.h"

namespace unscatter::service {
namespace {

TEST(WebhookUrl, HttpsOrLoopback) {
  const auto url = parse_webhook_url("https://hooks.example.org:8443/a?b=c");
  ASSERT_TRUE(url.ok());
  EXPECT_TRUE(url->secure);
  EXPECT_EQ(url->host, "hooks.example.org");
  EXPECT_EQ(url->port, "8443");
  EXPECT_EQ(url->target, "/a?b=c");
  EXPECT_EQ(parse_webhook_url("http://[::1]:80")->host, "::1");
  EXPECT_EQ(parse_webhook_url("https://example.org?x")->target, "/?x");
  EXPECT_EQ(parse_webhook_url("http://localhost")->port, "80");
}

TEST(WebhookUrl, EverythingElseIsRefused) {
  for (const char* text :
       {"", "ftp://localhost/", "http://example.org/", "http://127.0.0.1.example.org/", "https://", "https:///a",
        "https://user@example.org/", "http://localhost@example.org/", "https://example.org/#a", "https://exa mple.org/",
        "https://example.org:x/", "https://example.org:123456/", "https://example.org:65536/", "https://example.org:0/",
        "https://[::1", "http://[::1]x/", "file:///etc/passwd", "https://example.org/\n"}) {
    EXPECT_FALSE(parse_webhook_url(text).ok()) << text;
  }
}

TEST(WebhookFile, ReadsBackAndIsPrivate) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "webhooks";
  EXPECT_TRUE(read_webhooks(path)->empty());
  ASSERT_TRUE(write_webhooks(path, {{"00", "https://example.org/", {"done"}, false}}).ok());
  const auto read = read_webhooks(path);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->at(0).url, "https://example.org/");
  EXPECT_FALSE(read->at(0).wants("done")) << "it is not active";
  struct stat about {};
  ASSERT_EQ(stat(path.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
}

}  // namespace
}  // namespace unscatter::service
