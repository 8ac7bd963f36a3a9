#include "store/schema.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

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

// For a user who may only read it.  Root may do anything, so root becomes somebody else for a while.
class OrdinaryUser {
 public:
  OrdinaryUser() : was_root_(::geteuid() == 0) {
    if (was_root_) {
      EXPECT_EQ(::seteuid(65534), 0);
    }
  }
  OrdinaryUser(const OrdinaryUser&) = delete;
  OrdinaryUser& operator=(const OrdinaryUser&) = delete;
  ~OrdinaryUser() {
    if (was_root_) {
      EXPECT_EQ(::seteuid(0), 0);
    }
  }

 private:
  bool was_root_;
};

TEST(Schema, AFileThatMayOnlyBeReadIsReadAndNotWritten) {
  const SampleWorkspace sample;
  sample.fill();
  const std::filesystem::path folder = sample.path().parent_path();
  struct Modes {
    mode_t file;
    mode_t folder;
    const char* words;
  };
  for (const Modes& modes : {Modes{0444, 0777, "the file is read-only for this user"},
                             Modes{0666, 0555, "its folder, where a log has to lie, is read-only for this user"}}) {
    SCOPED_TRACE(modes.words);
    ASSERT_EQ(::chmod(sample.path().c_str(), modes.file), 0);
    ASSERT_EQ(::chmod(folder.c_str(), modes.folder), 0);
    {
      const OrdinaryUser user;
      const Result<Database> alone = open_database(sample.path(), kNoWait);
      ASSERT_FALSE(alone.ok());
      EXPECT_EQ(alone.error().code, ErrorCode::kIo);
      EXPECT_TRUE(contains(alone.error().message, modes.words)) << alone.error().message;
      EXPECT_TRUE(contains(alone.error().message, "nothing was changed")) << alone.error().message;
      EXPECT_EQ(open_database(sample.path(), kNoWait, Access::kReader)
                    .value()
                    .integer("SELECT max(slot) FROM graphs")
                    .value(),
                13);
      const Verification found = check_workspace(sample.path(), {}).value();
      EXPECT_TRUE(found.passed) << testing::all_details(found);
    }
    ASSERT_EQ(::chmod(folder.c_str(), 0700), 0);
    // A log that a crash left cannot be put in order.
    std::ofstream(sample.path().string() + "-wal") << "a log";
    ASSERT_EQ(::chmod(folder.c_str(), modes.folder), 0);
    {
      const OrdinaryUser user;
      const Result<Database> reader = open_database(sample.path(), kNoWait, Access::kReader);
      ASSERT_FALSE(reader.ok());
      EXPECT_TRUE(contains(reader.error().message, "has a log")) << reader.error().message;
    }
    ASSERT_EQ(::chmod(folder.c_str(), 0700), 0);
    std::filesystem::remove(sample.path().string() + "-wal");
  }
  ASSERT_EQ(::chmod(sample.path().c_str(), 0600), 0);
  EXPECT_TRUE(sample.verify().passed);
}

}  // namespace
}  // namespace unscatter
