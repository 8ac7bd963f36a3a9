#include "store/request_queue_texts.h"

#include <gtest/gtest.h>

#include <set>

#include "store/queue_fixture.h"
#include "store/request_queue_rows.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

class RequestQueueTexts : public testing::QueueFixture {
 protected:
  // All keys in the file that are not zero.
  std::set<std::string> keys_in_file() {
    std::set<std::string> keys;
    sample_.edit([&](const Database& database) {
      const TextKeys all = TextKeys::read(database).value();
      for (std::size_t slot = 0; slot < all.slots(); ++slot) {
        const Result<TextKey> key = all.key(slot);
        if (key.ok()) keys.emplace(reinterpret_cast<const char*>(key->bytes.data()), key->bytes.size());
      }
    });
    return keys;
  }
};

TEST_F(RequestQueueTexts, ATextIsReadWithItsKeyOnly) {
  const TextKey key{{1, 2, 3}};
  const std::vector<std::byte> cipher = encipher("somebody", key);
  EXPECT_EQ(decipher(cipher, key), "somebody");
  EXPECT_EQ(decipher(encipher("", key), key), "");
  EXPECT_FALSE(decipher(cipher, TextKey{{1, 2, 4}}).has_value());
  for (std::size_t i = 0; i < cipher.size(); ++i) {
    std::vector<std::byte> changed = cipher;
    changed[i] ^= std::byte{1};
    EXPECT_FALSE(decipher(changed, key).has_value()) << i;
  }
  EXPECT_FALSE(decipher(std::span(cipher).first(15), key).has_value());
}

TEST_F(RequestQueueTexts, AKeyIsGoneFromTheFileOnceItsRequestIsFinished) {
  std::vector<RequestId> ids;
  for (int i = 0; i < 300; ++i) ids.push_back(submit(ForgetSubject{"person-" + std::to_string(i)}));
  close();
  const std::set<std::string> before = keys_in_file();
  ASSERT_EQ(before.size(), 300u);
  reopen();
  for (std::size_t i = 0; i < ids.size(); i += 2) ASSERT_TRUE(queue().cancel(ids[i], "operator").ok());
  close();
  const std::set<std::string> after = keys_in_file();
  EXPECT_EQ(after.size(), 150u);
  const std::string file = sample_.bytes();
  for (const std::string& key : before) {
    EXPECT_EQ(file.find(key) == std::string::npos, !after.contains(key));
  }
  reopen();
}

TEST_F(RequestQueueTexts, SlotsAreUsedAgain) {
  for (int round = 0; round < 5; ++round) {
    std::vector<RequestId> ids;
    for (int i = 0; i < 100; ++i) ids.push_back(submit(ForgetSubject{"u"}));
    for (const RequestId& id : ids) ASSERT_TRUE(queue().cancel(id, "operator").ok());
    if (round % 2 == 0) reopen();
  }
  close();
  sample_.edit(
      [](const Database& database) { EXPECT_EQ(database.integer("SELECT count(*) FROM queue_text_keys").value(), 1); });
  reopen();
}

// SQLite leaves copies of rows that it moves, and clean_pages.h clears them.  Were it not for that, the cipher would
// still hide the texts.
TEST_F(RequestQueueTexts, NoCopyOfARowThatMovedIsLeft) {
  const testing::TemporaryFolder folder(testing::memory_folder());
  const auto path = folder.path() / "rows";
  const auto name = [](std::uint64_t i) {
    return "SENTINEL-" + std::to_string(100000 + i) + "-" + std::string(60, 'x');
  };
  constexpr std::uint64_t kRows = 3000;
  Sequence random(5);
  {
    const Database database = Database::open(path, Database::Mode::kCreate, std::chrono::milliseconds(0)).value();
    ASSERT_TRUE(
        database.run("PRAGMA secure_delete = ON; CREATE TABLE t(key TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID").ok());
    ASSERT_TRUE(database.run("BEGIN").ok());
    for (std::uint64_t i = 0; i < kRows; ++i) {
      const std::string key = std::to_string((i * 1103515245) % 65536) + "-" + std::to_string(i);
      ASSERT_TRUE(database.prepare("INSERT INTO t VALUES(?, ?)")
                      .bind(1, std::string_view(key))
                      .bind(2, std::string_view(name(i).substr(0, 20 + random.below(50))))
                      .run()
                      .ok());
    }
    ASSERT_TRUE(database.run("COMMIT; DELETE FROM t WHERE length(text) % 3 > 0; UPDATE t SET text = 'none'").ok());
  }
  const std::string file = testing::read_whole_file(path);
  std::size_t left = 0;
  for (std::uint64_t i = 0; i < kRows; ++i) left += file.find(name(i).substr(0, 15)) == std::string::npos ? 0u : 1u;
  EXPECT_EQ(left, 0u);
}

}  // namespace
}  // namespace unscatter
