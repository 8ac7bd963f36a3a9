#include "store/schema.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "store/sample_workspace.h"

namespace unscatter {
namespace {

using testing::SampleWorkspace;

constexpr std::chrono::milliseconds kNoWait(0);

std::string reason(const std::filesystem::path& path) {
  const Result<Database> opened = open_database(path, kNoWait);
  if (opened.ok()) return "opened";
  EXPECT_EQ(opened.error().code, ErrorCode::kMalformedInput) << opened.error().message;
  // What every opening says, whoever opens.
  EXPECT_EQ(Workspace::open(path, {}).error().message, opened.error().message);
  return opened.error().message;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Schema, EveryFileThatIsNoWorkspaceHasItsSentence) {
  const testing::TemporaryFolder folder;
  EXPECT_TRUE(contains(reason(folder.write("text", std::string(5000, 'x'))), "is not a workspace"));
  // Nobody should be told to delete a short note.
  EXPECT_TRUE(contains(reason(folder.write("short", "x")), "is not a workspace"));
  EXPECT_TRUE(contains(reason(folder.write("note", std::string(511, 'x'))), "is not a workspace"));
  EXPECT_TRUE(contains(reason(folder.write("empty", "")), "making it was interrupted"));
  {
    const Database other = Database::open(folder.path() / "other", Database::Mode::kCreate, kNoWait).value();
    ASSERT_TRUE(other.run("CREATE TABLE t(i INTEGER)").ok());
  }
  EXPECT_TRUE(contains(reason(folder.path() / "other"), "is a database, but no workspace"));
  EXPECT_EQ(open_database(folder.path() / "none", kNoWait).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(open_database(folder.path(), kNoWait).error().code, ErrorCode::kIo);
}

TEST(Schema, AnotherFormatIsNamed) {
  const SampleWorkspace sample;
  static_cast<void>(sample.create());
  sample.edit("PRAGMA user_version = 3");
  EXPECT_TRUE(contains(reason(sample.path()), "has format 3, and this program knows formats 1 and 2"));
  // Each format has its own tables.
  sample.edit("PRAGMA user_version = 1");
  EXPECT_TRUE(contains(reason(sample.path()), "its tables are not those of a workspace"));
  sample.edit("PRAGMA user_version = 2; PRAGMA application_id = 7");
  EXPECT_TRUE(contains(reason(sample.path()), "is a database, but no workspace"));
  sample.edit("PRAGMA application_id = 1970172771");
  EXPECT_EQ(reason(sample.path()), "opened");
}

// SQL that runs by itself, or rows where nobody looks.
TEST(Schema, NothingMayBeAddedOrMissing) {
  for (const char* sql :
       {"CREATE TABLE extra(i INTEGER)", "CREATE VIEW seen AS SELECT * FROM ledger", "CREATE INDEX i ON ledger(hash)",
        "CREATE TRIGGER t AFTER INSERT ON ledger BEGIN DELETE FROM receipts; END", "DROP TABLE lists",
        "ALTER TABLE model ADD COLUMN note TEXT", "DROP TABLE salts; CREATE VIEW salts AS SELECT 1"}) {
    SCOPED_TRACE(sql);
    const SampleWorkspace sample;
    static_cast<void>(sample.create());
    sample.edit(sql);
    EXPECT_TRUE(contains(reason(sample.path()), "its tables are not those of a workspace"));
  }
}

TEST(Schema, AWorkspaceKeepsAWriteAheadLog) {
  const SampleWorkspace sample;
  static_cast<void>(sample.create());
  {
    const Database database = Database::open(sample.path(), Database::Mode::kExisting, kNoWait).value();
    ASSERT_EQ(database.text("PRAGMA journal_mode = DELETE").value(), "delete");
  }
  EXPECT_TRUE(contains(reason(sample.path()), "keeps no write-ahead log"));
}

TEST(Schema, OneUserAtATime) {
  const SampleWorkspace sample;
  const Workspace holder = sample.create();
  const Result<Database> refused = open_database(sample.path(), kNoWait);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(verify_workspace(sample.path(), {}, {.wait = kNoWait}).error().code, ErrorCode::kUnavailable);
}

TEST(Schema, ANewFileIsPrivateAndNeverReplacesOne) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "new";
  {
    const Database made = create_database(path, kNoWait).value();
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777u, 0600u);
    EXPECT_EQ(made.integer("PRAGMA secure_delete").value(), 1);
    EXPECT_EQ(made.integer("PRAGMA synchronous").value(), 2);
  }
  EXPECT_TRUE(contains(reason(path), "making it was interrupted"));
  EXPECT_EQ(create_database(path, kNoWait).error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_EQ(create_database(folder.path() / "no" / "folder", kNoWait).error().code, ErrorCode::kIo);
  remove_database(path);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Schema, FrozenValues) {
  EXPECT_EQ(kApplicationId, 0x756e7363);
  EXPECT_EQ(kFormatVersion, 2);
}

}  // namespace
}  // namespace unscatter
