// unscatter verify and key, as a user meets them.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "workspace_fixture.h"

namespace unscatter {
namespace {

namespace fs = std::filesystem;
using testing::has;
using testing::Outcome;
using testing::run_program;

class Verify : public testing::CliWorkspaceTest {
 protected:
  void SetUp() override {
    CliWorkspaceTest::SetUp();
    subject_ = groups().graphs[3].node_id(0);
    ASSERT_EQ(forget({"--subject", subject_, "--receipt", path("r.json"), "--openings", path("o.jsonl")}).exit_code, 0);
  }
  [[nodiscard]] std::string public_key() const { return fs::path(key()).replace_extension(".pub").string(); }
  [[nodiscard]] Outcome verify(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "verify");
    return run_program(arguments, {{"XDG_CONFIG_HOME", path("empty")}});
  }
  // `name` with the first `from` replaced.
  void alter(const char* name, const std::string& from, const std::string& to) const {
    std::string text = testing::read_whole_file(path(name));
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    folder_.write(name, text.replace(at, from.size(), to));
  }

  std::string subject_;
};

TEST_F(Verify, ListsItsChecksAndSaysVerified) {
  const Outcome outcome = verify({"--workspace", workspace(), "--retrain", "--key", public_key()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.ends_with("\nverified\n")) << outcome.out;
  for (const char* check : {"chain", "signatures", "data", "model", "residual", "retrain"})
    EXPECT_TRUE(has(outcome.out, check)) << check;
  EXPECT_FALSE(has(verify({"--workspace", workspace()}).out, "retrain"));
}

TEST_F(Verify, AnotherKeyDoesNotVerify) {
  ASSERT_EQ(run({"key", "--key", path("other.key")}).exit_code, 0);
  for (const std::vector<std::string>& what :
       {std::vector<std::string>{"--workspace", workspace()}, {"--receipt", path("r.json")}}) {
    std::vector<std::string> arguments = what;
    arguments.insert(arguments.end(), {"--key", path("other.pub"), "--json"});
    const Outcome outcome = verify(arguments);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_FALSE(outcome.json().at("verified"));
    EXPECT_TRUE(outcome.json().contains("error"));
    EXPECT_TRUE(has(outcome.err, "not verified")) << outcome.err;
  }
}

TEST_F(Verify, ADamagedWorkspaceDoesNotVerify) {
  std::string bytes = testing::read_whole_file(workspace());
  const std::size_t at = bytes.find("\"kind\":\"forgotten\"");
  ASSERT_NE(at, std::string::npos);
  const std::size_t time = bytes.find("\"time\":\"2", at) + 8;
  bytes[time] = '3';
  folder_.write("w.unscatter", bytes);
  const Outcome outcome = verify({"--workspace", workspace(), "--json"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_FALSE(outcome.json().at("verified")) << outcome.out;
}

TEST_F(Verify, AReceiptStandsOnItsOwn) {
  const Outcome good = verify({"--receipt", path("r.json"), "--key", public_key(), "--json"});
  EXPECT_EQ(good.exit_code, 0) << good.err;
  EXPECT_EQ(good.json().at("receipts").at(0).at("entry"), 1);
  EXPECT_EQ(good.json().at("receipts").at(0).at("requests"), 1);
  // The digits of the key do as well as its file.
  const std::string digits = read_public_key(public_key()).value().hex();
  EXPECT_EQ(verify({"--receipt", path("r.json"), "--key", digits}).exit_code, 0);

  alter("r.json", "\"subjects\": 1", "\"subjects\": 2");
  const Outcome forged = verify({"--receipt", path("r.json"), "--key", public_key()});
  EXPECT_EQ(forged.exit_code, 1);
  EXPECT_TRUE(has(forged.out, "NOT verified")) << forged.out;
  folder_.write("r.json", "{}");
  EXPECT_EQ(verify({"--receipt", path("r.json"), "--key", public_key()}).exit_code, 1);
}

TEST_F(Verify, AnOpeningShowsWhatAReceiptIsAbout) {
  const nlohmann::json opening = nlohmann::json::parse(testing::read_whole_file(path("o.jsonl")));
  const std::string salt = opening.at("salt");
  const auto about = [&](const std::string& request, const std::string& with) {
    return verify({"--receipt", path("r.json"), "--key", public_key(), "--request", request, "--salt", with});
  };
  const std::string request = R"({"forget": "subject", "id": ")" + subject_ + "\"}";
  const Outcome good = about(request, salt);
  EXPECT_EQ(good.exit_code, 0) << good.err;
  EXPECT_TRUE(has(good.out, subject_)) << good.out;
  EXPECT_EQ(about(R"({"forget": "subject", "id": "somebody"})", salt).exit_code, 1);
  EXPECT_EQ(about(request, std::string(64, '0')).exit_code, 1);
  EXPECT_EQ(about("subject", salt).exit_code, 1);
}

TEST_F(Verify, AReceiptBelongsToOneLedger) {
  EXPECT_EQ(verify({"--receipt", path("r.json"), "--workspace", workspace()}).exit_code, 0);
  fs::copy_file(testing::SmallWorkspace::instance().workspace(), path("twin"));
  // With a copy of the key elsewhere: the record beside the first one knows the other copy of this workspace.
  fs::create_directory(path("elsewhere"));
  fs::copy_file(key(), path("elsewhere/signing.key"));
  ASSERT_EQ(run({"forget", "--workspace", path("twin"), "--subject", subject_, "--key", path("elsewhere/signing.key")})
                .exit_code,
            0);
  const Outcome other = verify({"--receipt", path("r.json"), "--workspace", path("twin")});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_TRUE(has(other.out, "signature   ok")) << other.out;
  EXPECT_TRUE(has(other.out, "FAILED")) << other.out;
}

TEST_F(Verify, ALineOfAListOfReceiptsCannotBeForged) {
  folder_.write("requests.jsonl", "{\"forget\": \"graph\", \"graph\": 5}\n{\"forget\": \"graph\", \"graph\": 6}\n");
  ASSERT_EQ(forget({"--requests", path("requests.jsonl"), "--batch", "1", "--receipts", path("list.jsonl")}).exit_code,
            0);
  EXPECT_EQ(verify({"--receipt", path("list.jsonl"), "--key", public_key()}).exit_code, 0);
  alter("list.jsonl", "\"graphs\":1", "\"graphs\":0");
  EXPECT_EQ(verify({"--receipt", path("list.jsonl"), "--key", public_key()}).exit_code, 1);
  alter("list.jsonl", "\"graphs\":0", "\"graphs\": 1");  // as JSON the same, but not as it is written
  EXPECT_EQ(verify({"--receipt", path("list.jsonl"), "--key", public_key()}).exit_code, 1);
}

// Without the workspace: who signed this model?  With it: is it on record, and is it still the present one?
TEST_F(Verify, APublishedModelStandsOnItsOwn) {
  ASSERT_EQ(run({"release", "--workspace", workspace(), "--out", path("model.json"), "--receipt", path("release.json")})
                .exit_code,
            0);
  const Outcome alone = verify({"--model", path("model.json"), "--key", public_key(), "--json"});
  EXPECT_EQ(alone.exit_code, 0) << alone.err;
  EXPECT_EQ(alone.json().at("published").at("release_number"), 1);
  EXPECT_TRUE(alone.json().at("published").at("removals_since").is_null());
  EXPECT_EQ(verify({"--receipt", path("release.json"), "--key", public_key()}).exit_code, 0);
  EXPECT_EQ(verify({"--receipt", path("release.json"), "--workspace", workspace()}).exit_code, 0);
  const Outcome within = verify({"--model", path("model.json"), "--workspace", workspace()});
  EXPECT_EQ(within.exit_code, 0) << within.err;
  EXPECT_TRUE(has(within.out, "nothing was removed since")) << within.out;

  ASSERT_EQ(forget({"--graph", "5"}).exit_code, 0);
  const Outcome stale = verify({"--model", path("model.json"), "--workspace", workspace(), "--json"});
  EXPECT_EQ(stale.exit_code, 0) << stale.err;
  EXPECT_EQ(stale.json().at("published").at("removals_since"), 1);
  EXPECT_TRUE(has(stale.out, "this model is from before 1 removal")) << stale.out;

  ASSERT_EQ(run({"key", "--key", path("other.key")}).exit_code, 0);
  EXPECT_EQ(verify({"--model", path("model.json"), "--key", path("other.pub")}).exit_code, 1);
  alter("model.json", "\"release_number\": 1", "\"release_number\": 2");
  const Outcome forged = verify({"--model", path("model.json"), "--key", public_key()});
  EXPECT_EQ(forged.exit_code, 1);
  EXPECT_TRUE(has(forged.out, "NOT verified")) << forged.out;
  folder_.write("model.json", "{}");
  EXPECT_EQ(verify({"--model", path("model.json"), "--key", public_key()}).exit_code, 1);
}

TEST_F(Verify, AHeadThatWasWrittenDownIsExpected) {
  const std::string before = testing::read_whole_file(workspace());
  const std::string head = status().at("hash");
  EXPECT_EQ(verify({"--workspace", workspace(), "--expect-head", head}).exit_code, 0);
  ASSERT_EQ(forget({"--graph", "5"}).exit_code, 0);
  EXPECT_EQ(verify({"--workspace", workspace(), "--expect-head", head}).exit_code, 0);
  const std::string later = status().at("hash");
  folder_.write("w.unscatter", before);
  const Outcome older = verify({"--workspace", workspace(), "--expect-head", later});
  EXPECT_EQ(older.exit_code, 1);
  EXPECT_TRUE(has(older.err, "an older copy")) << older.err;
  EXPECT_EQ(verify({"--workspace", workspace(), "--expect-head", "12"}).exit_code, 1);
}

// The public key names the record as well: both lie beside the signing key.
TEST_F(Verify, ARestoredBackupDoesNotVerify) {
  const std::string backup = testing::read_whole_file(workspace());
  ASSERT_EQ(forget({"--graph", "5"}).exit_code, 0);
  EXPECT_EQ(verify({"--workspace", workspace(), "--key", public_key()}).exit_code, 0);
  folder_.write("w.unscatter", backup);
  const Outcome older = verify({"--workspace", workspace(), "--key", public_key()});
  EXPECT_EQ(older.exit_code, 1);
  EXPECT_TRUE(has(older.err, "older than the record")) << older.err;
  EXPECT_EQ(run({"verify", "--workspace", workspace()}).exit_code, 1);
  // Whoever has neither record nor head cannot tell.
  EXPECT_EQ(verify({"--workspace", workspace()}).exit_code, 0);
}

TEST_F(Verify, WrongUsageIsNamed) {
  const std::vector<std::pair<std::vector<std::string>, const char*>> mistakes = {
      {{}, "nothing to verify is named"},
      {{"--receipt", "r.json"}, "needs --key"},
      {{"--model", "m.json"}, "needs --key"},
      {{"--receipt", "r.json", "--key", "k", "--expect-head", "00"}, "--expect-head needs --workspace"},
      {{"--receipt", "r.json", "--key", "k", "--retrain"}, "--retrain needs --workspace"},
      {{"--receipt", "r.json", "--key", "k", "--salt", "00"}, "--request and --salt go together"},
      {{"--workspace", "w", "--request", "{}", "--salt", "00"}, "need --receipt"},
  };
  for (const auto& [arguments, says] : mistakes) {
    const Outcome outcome = verify(arguments);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(has(outcome.err, says)) << outcome.err;
  }
}

class Key : public testing::CliWorkspaceTest {};

TEST_F(Key, IsMadeOnceAndShown) {
  const testing::Environment fresh = {{"XDG_CONFIG_HOME", path("config")}};
  const nlohmann::json made = run_program({"key", "--public", path("out.pub"), "--json"}, fresh).json();
  EXPECT_TRUE(made.at("created"));
  EXPECT_EQ(made.at("path"), (folder_.path() / "config" / "unscatter" / "signing.key").string());
  EXPECT_EQ(read_public_key(path("out.pub")).value().hex(), made.at("public_key"));
  const nlohmann::json again = run_program({"key", "--json"}, fresh).json();
  EXPECT_FALSE(again.at("created"));
  EXPECT_EQ(again.at("public_key"), made.at("public_key"));
}

TEST_F(Key, TheOptionGoesBeforeTheVariableAndThatBeforeTheFolder) {
  const testing::Environment home = {{"HOME", path("home")}, {"XDG_CONFIG_HOME", ""}};
  testing::Environment variable = home;
  variable["UNSCATTER_KEY"] = path("variable.key");
  const auto place = [](const Outcome& outcome) { return outcome.json().at("path").get<std::string>(); };
  EXPECT_EQ(place(run_program({"key", "--json"}, home)), path("home/.config/unscatter/signing.key"));
  EXPECT_EQ(place(run_program({"key", "--json"}, variable)), path("variable.key"));
  EXPECT_EQ(place(run_program({"key", "--json", "--key", path("option.key")}, variable)), path("option.key"));
}

}  // namespace
}  // namespace unscatter
