// A queue that was tampered with is noticed: planted faults, each behind the program's back.
#include "store/request_queue_contents.h"

#include <gtest/gtest.h>

#include "store/queue_fixture.h"
#include "unscatter/store/request_text.h"

namespace unscatter {
namespace {

class RequestQueueContents : public testing::QueueFixture {
 protected:
  RequestQueueContents() {
    QueuePolicy policy;
    policy.events = true;
    change_policy(policy);
    static_cast<void>(queue().submit(asking({ForgetSubject{"u1"}, ForgetGraph{2u}}, "key", "body")).value());
    static_cast<void>(queue().process().value());
    done_ = queue().finished({}).value().requests.at(0).id;
    open_ = submit(ForgetSubject{"u2"});
    cancelled_ = submit(ForgetSubject{"u3"});
    static_cast<void>(queue().cancel(cancelled_, "operator").value());
    close();
    good_ = sample_.bytes();
  }

  // What `check`, `verify` and the queue itself say of the file.
  void expect_noticed(const std::string& sql) {
    SCOPED_TRACE(sql);
    sample_.edit(sql);
    ASSERT_NE(sample_.bytes(), good_) << "nothing was changed";
    EXPECT_FALSE(check_workspace(sample_.path(), {}).value().passed);
    EXPECT_FALSE(sample_.verify().passed);
    Workspace workspace = sample_.open();
    const auto opened = RequestQueue::open(workspace);
    EXPECT_FALSE(opened.ok());
    if (!opened.ok()) {
      EXPECT_EQ(opened.error().code, ErrorCode::kMalformedInput) << opened.error().message;
    }
  }
  void expect_each_noticed(const std::vector<std::string>& faults) {
    for (const std::string& sql : faults) {
      expect_noticed(sql);
      sample_.replace(good_);
    }
  }

  RequestId done_, open_, cancelled_;
  std::string good_;
};

TEST_F(RequestQueueContents, AGoodFilePasses) {
  EXPECT_TRUE(check_workspace(sample_.path(), {}).value().passed);
  EXPECT_TRUE(sample_.verify().passed);
  EXPECT_NE(testing::all_details(sample_.verify()).find("1 open and 3 finished requests"), std::string::npos);
}

TEST_F(RequestQueueContents, NoRowCanBeChangedAddedOrTakenOut) {
  expect_each_noticed({
      "DELETE FROM queue_requests WHERE state = 2",
      "DELETE FROM queue_requests WHERE state = 4",
      "DELETE FROM queue_events WHERE number = 1",
      "DELETE FROM queue_keys",
      "DELETE FROM queue_days",
      "DELETE FROM queue_summary",
      "UPDATE queue_requests SET state = 7 WHERE state = 2",
      "UPDATE queue_requests SET finished = finished + 1 WHERE state = 4",
      "UPDATE queue_requests SET number = 77 WHERE state = 2",
      "UPDATE queue_requests SET id = randomblob(16) WHERE state = 2",
      "UPDATE queue_requests SET details = replace(details, '\"due\":18', '\"due\":19')",
      "UPDATE queue_requests SET details = replace(details, 'token-1', 'token-2')",
      "UPDATE queue_requests SET text = NULL WHERE state = 2",
      "UPDATE queue_requests SET text = randomblob(60) WHERE state = 2",
      "UPDATE queue_requests SET seal = randomblob(32) WHERE state = 2",
      "UPDATE queue_events SET next_attempt = next_attempt + 1 WHERE number = 1",
      "UPDATE queue_events SET content = randomblob(30) WHERE number = 1",
      "UPDATE queue_keys SET expires = expires + 1",
      "UPDATE queue_keys SET requests = randomblob(32)",
      "UPDATE queue_keys SET body = randomblob(32)",
      "UPDATE queue_days SET counts = zeroblob(144)",
      "UPDATE queue_days SET day = day + 1",
      "UPDATE queue_summary SET next_request = 1000",
      "UPDATE queue_summary SET next_event = 1000",
      "UPDATE queue_summary SET rows = rows + 1",
      "UPDATE queue_summary SET digest = zeroblob(2048)",
      "UPDATE queue_summary SET policy = replace(policy, '\"days\":30', '\"days\":31')",
      "INSERT INTO queue_days SELECT day + 1, counts, seal FROM queue_days",
  });
}

TEST_F(RequestQueueContents, NoKeyCanBeChangedAddedOrTakenOut) {
  expect_each_noticed({
      "DELETE FROM queue_text_keys",
      "UPDATE queue_text_keys SET keys = zeroblob(3840)",
      "UPDATE queue_text_keys SET keys = randomblob(3840)",
      "UPDATE queue_text_keys SET block = 1",
      "INSERT INTO queue_text_keys SELECT 1, zeroblob(3839)",
      // A key that was not overwritten when its request was finished.
      "INSERT INTO queue_text_keys SELECT 1, keys FROM queue_text_keys",
  });
}

// Whoever knows how seals are computed can make one, but cannot sign.
TEST_F(RequestQueueContents, ARowWithAGoodSealIsNotEnough) {
  sample_.edit([&](const Database& database) {
    DayRow row;
    row.day.day = 5;
    row.day.done = 1000;
    seal_row(row);
    ASSERT_TRUE(write_day(database, row).ok());
  });
  EXPECT_FALSE(sample_.verify().passed);
}

// A summary of another workspace, signed by the same key, does not pass.
TEST_F(RequestQueueContents, ASummaryBelongsToItsWorkspace) {
  const testing::SampleWorkspace other(testing::sample_setup(2));
  {
    Workspace workspace = other.create();
    ASSERT_TRUE(RequestQueue::open(workspace).ok());
  }
  std::vector<std::byte> signature;
  other.edit([&](const Database& database) {
    Statement statement = database.prepare("SELECT signature FROM queue_summary");
    ASSERT_TRUE(statement.step().value());
    signature = statement.blob(0).value();
  });
  sample_.edit([&](const Database& database) {
    ASSERT_TRUE(database.prepare("UPDATE queue_summary SET signature = ?")
                    .bind(1, std::span<const std::byte>(signature))
                    .run()
                    .ok());
  });
  EXPECT_FALSE(sample_.verify().passed);
}

// The holder of the key who says that a request is done must have an entry that says so.
TEST_F(RequestQueueContents, ARequestThatIsDoneIsInTheLedger) {
  const auto rewrite = [&](const Database& database) {
    Contents contents;
    ASSERT_TRUE(read_constants(database, contents).ok());
    QueueSummary summary = read_summary(database, contents.identity).value();
    RequestRow row;
    {
      Statement statement =
          database.prepare("SELECT " + std::string(kRequestColumns) + " FROM queue_requests WHERE state = 4");
      ASSERT_TRUE(statement.step().value());
      row = request_row_at(statement).value();
    }
    summary.total.subtract(row.seal);
    row.request.result->commitment.bytes[0] ^= 1;
    seal_row(row);
    summary.total.add(row.seal);
    ASSERT_TRUE(update_request(database, row).ok());
    ASSERT_TRUE(write_summary(database, contents.identity, *sample_.how.key, summary).ok());
  };
  sample_.edit(rewrite);
  EXPECT_EQ(testing::failed_checks(sample_.verify()), std::vector<std::string>{"other"});
  EXPECT_EQ(testing::failed_checks(check_workspace(sample_.path(), {}).value()), std::vector<std::string>{"seals"});
}

TEST_F(RequestQueueContents, TablesComeTogetherOrNotAtAll) {
  for (const char* table :
       {"queue_days", "queue_events", "queue_keys", "queue_requests", "queue_summary", "queue_text_keys"}) {
    sample_.edit("DROP TABLE " + std::string(table));
    EXPECT_FALSE(Workspace::open(sample_.path(), sample_.how).ok()) << table;
    sample_.replace(good_);
  }
  sample_.edit("CREATE TABLE queue_more(a INTEGER) STRICT");
  EXPECT_FALSE(Workspace::open(sample_.path(), sample_.how).ok());
}

}  // namespace
}  // namespace unscatter
