// unscatter forget with one request, as a user meets it.
#include <gtest/gtest.h>

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "unscatter/store/request_text.h"
#include "workspace_fixture.h"

namespace unscatter {
namespace {

using testing::has;
using testing::Outcome;

class Forget : public testing::CliWorkspaceTest {
 protected:
  // The first edge of graph `g`.
  [[nodiscard]] std::pair<std::size_t, std::size_t> edge_of(std::size_t g) const {
    std::size_t node = 0;
    while (groups().graphs[g].degree(node) == 0) ++node;
    return {node, groups().graphs[g].neighbours(node)[0]};
  }
};

struct Form {
  std::vector<std::string> arguments;
  RemovalRequest request;
  const char* counted;
};

// The same requests by the program and by the library, each opening the workspace anew: the same data, weights and
// ledger.
TEST_F(Forget, EveryFormDoesWhatTheLibraryDoes) {
  const std::string group = groups().graph_ids[7];
  const std::string user = groups().graphs[7].node_id(2);
  const std::string subject = groups().graphs[11].node_id(4);
  const auto [u, v] = edge_of(9);
  const std::string edge_ids =
      groups().graphs[30].node_id(edge_of(30).first) + "," + groups().graphs[30].node_id(edge_of(30).second);
  const std::vector<Form> forms = {
      {{"--graph", "5", "--node", "3"}, ForgetNode{5u, 3u}, "nodes"},
      {{"--graph", group, "--node", user}, ForgetNode{group, user}, "nodes"},
      {{"--graph", "id:" + groups().graph_ids[8], "--node", "0"}, ForgetNode{groups().graph_ids[8], 0u}, "nodes"},
      {{"--graph", "6", "--node", "1", "--features-only"}, ForgetFeatures{6u, 1u}, "features"},
      {{"--graph", "9", "--edge", std::to_string(u) + "," + std::to_string(v)}, ForgetEdge{9u, u, v}, "edges"},
      {{"--graph", "30", "--edge", edge_ids},
       ForgetEdge{30u, groups().graphs[30].node_id(edge_of(30).first), groups().graphs[30].node_id(edge_of(30).second)},
       "edges"},
      {{"--graph", "12"}, ForgetGraph{12u}, "graphs"},
      {{"--subject", subject}, ForgetSubject{subject}, "subjects"},
  };
  const std::string twin = path("twin.unscatter");
  std::filesystem::copy_file(workspace(), twin);
  std::size_t entry = 1;
  for (const Form& form : forms) {
    SCOPED_TRACE(describe(form.request));
    std::vector<std::string> arguments = {"forget", "--workspace", workspace()};
    arguments.insert(arguments.end(), form.arguments.begin(), form.arguments.end());
    const nlohmann::json report = document(arguments);
    EXPECT_EQ(report.at("entry"), entry++);
    EXPECT_EQ(report.at("requests").at(form.counted), 1);
    EXPECT_TRUE(report.at("certificate").at("satisfied"));
    Workspace library = open(twin);
    ASSERT_TRUE(library.forget(std::span(&form.request, 1)).ok());
  }
  EXPECT_EQ(state_digest(workspace()), state_digest(twin));
  EXPECT_EQ(testing::run_program({"verify", "--workspace", workspace()}).exit_code, 0);
}

TEST_F(Forget, SaysItInWords) {
  const Outcome outcome = forget({"--graph", "5", "--node", "3"});
  for (const char* words : {"node 3 of graph 5", "(epsilon, delta) = (1, 1e-08)", "from training from scratch",
                            "1 edited", "entry 1, hash", "certificate --workspace"}) {
    EXPECT_TRUE(has(outcome.out, words)) << words << '\n' << outcome.out;
  }
  EXPECT_TRUE(outcome.err.empty()) << outcome.err;
}

TEST_F(Forget, ARefusedRequestChangesNothing) {
  ASSERT_EQ(forget({"--graph", "5", "--node", "3"}).exit_code, 0);
  const nlohmann::json before = status();
  const std::vector<std::vector<std::string>> refused = {
      {"--graph", "5", "--node", "3"}, {"--graph", "5", "--node", "999"}, {"--graph", "60"},  {"--graph", "nobody"},
      {"--subject", "user-99999"},     {"--graph", "5", "--edge", "3,3"}, {"--graph", "id:5"}};
  for (const std::vector<std::string>& arguments : refused) {
    std::vector<std::string> with_files = arguments;
    with_files.insert(with_files.end(), {"--openings", path("o.jsonl"), "--receipt", path("r.json")});
    const Outcome outcome = forget(with_files);
    EXPECT_EQ(outcome.exit_code, 1) << arguments.back();
    EXPECT_TRUE(has(outcome.err, "unscatter: ")) << outcome.err;
    EXPECT_TRUE(outcome.out.empty());
  }
  EXPECT_EQ(status(), before);
  for (const char* file : {"o.jsonl", "r.json"}) EXPECT_FALSE(std::filesystem::exists(path(file))) << file;
}

TEST_F(Forget, WrongUsageExitsWith2AndOneClearSentence) {
  const nlohmann::json before = status();
  const std::vector<std::pair<std::vector<std::string>, const char*>> mistakes = {
      {{}, "nothing to forget is named"},
      {{"--graph", "5", "--subject", "user-00001"}, "exclude one another"},
      {{"--graph", "5", "--skip-refused"}, "--skip-refused goes with --requests"},
      {{"--graph", "5", "--receipts", "r.jsonl"}, "--receipts goes with --requests"},
      {{"--requests", "r.jsonl", "--receipt", "r.json"}, "--receipt goes with one request"},
      {{"--requests", "r.jsonl", "--batch", "-1"}, "'-1' is not a whole number from 0"},
      {{"--subject", "user-00001", "--batch", "5"}, "--batch goes with --requests"},
      {{"--graph", "5", "--list-format", "csv"}, "--list-format goes with --requests"},
      {{"--requests", "r.jsonl", "--keep-fields", "reason"}, "give --openings FILE too"},
      {{"--graph", "5", "--shred", "--openings", "o.jsonl"}, "--shred"},
      {{"--graph", "5", "--shred", "--keep-salts"}, "--shred"},
  };
  for (const auto& [arguments, says] : mistakes) {
    const Outcome outcome = forget(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << says << outcome.out;
    EXPECT_TRUE(has(outcome.err, says)) << outcome.err;
    EXPECT_TRUE(has(outcome.err, "Try 'unscatter forget --help'.")) << outcome.err;
  }
  EXPECT_EQ(status(), before);
}

TEST_F(Forget, ADryRunTellsTheTruthAndChangesNothing) {
  const nlohmann::json before = status();
  const std::vector<std::string> arguments = {"forget", "--workspace", workspace(), "--graph", "12"};
  std::vector<std::string> dry = arguments;
  dry.emplace_back("--dry-run");
  const nlohmann::json preview = document(dry);
  EXPECT_TRUE(preview.at("dry_run"));
  EXPECT_EQ(preview.at("graphs_removed"), 1);
  EXPECT_EQ(status(), before);
  EXPECT_EQ(document(arguments).at("certificate"), preview.at("certificate"));
}

TEST_F(Forget, WritesAReceiptAndAnOpening) {
  ASSERT_EQ(
      forget({"--subject", groups().graphs[3].node_id(0), "--receipt", path("r.json"), "--openings", path("o.jsonl")})
          .exit_code,
      0);
  const Receipt receipt = parse_receipt(testing::read_whole_file(path("r.json"))).value();
  EXPECT_TRUE(check_signature(receipt, SigningKey::load(key()).value().public_key()).ok());
  EXPECT_EQ(receipt.entry, open(workspace()).info().head);
  const nlohmann::json opening = nlohmann::json::parse(testing::read_whole_file(path("o.jsonl")));
  const RemovalRequest request = parse_request(opening.at("request").dump()).value();
  EXPECT_EQ(commitment(request, parse_salt(opening.at("salt").get<std::string>()).value()), receipt.commitments.at(0));
  const auto mode = std::filesystem::status(path("o.jsonl")).permissions();
  EXPECT_EQ(mode, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);

  // A receipt is not overwritten, and nothing is forgotten if it cannot be written.
  const nlohmann::json before = status();
  EXPECT_EQ(forget({"--graph", "5", "--receipt", path("r.json")}).exit_code, 1);
  EXPECT_EQ(forget({"--graph", "5", "--openings", path("nowhere/o.jsonl")}).exit_code, 1);
  EXPECT_EQ(status(), before);
}

TEST_F(Forget, AReceiptThatCannotBeOpenedStopsTheRemoval) {
  const nlohmann::json before = status();
  for (const std::string& where : {path("nowhere/r.json"), workspace() + "/r.json"}) {
    const Outcome outcome = forget({"--graph", "5", "--receipt", where, "--json"});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_TRUE(has(outcome.err, where)) << outcome.err;
    EXPECT_EQ(outcome.json().at("error").at("code"), "io");
  }
  EXPECT_EQ(status(), before);
}

// The device takes nothing, as a disk that fills up between the removal and its receipt.
TEST_F(Forget, AReceiptThatIsLostDoesNotHideTheRemoval) {
  const Outcome outcome = forget({"--graph", "5", "--receipt", "/dev/full", "--json"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(has(outcome.err, "the removal is in force, as ledger entry 1")) << outcome.err;
  EXPECT_EQ(outcome.json().at("entry"), 1);
  EXPECT_EQ(outcome.json().at("error").at("code"), "io");
  EXPECT_FALSE(outcome.json().contains("receipt_path"));
  EXPECT_EQ(status().at("graphs"), 59);
  EXPECT_EQ(run({"certificate", "--workspace", workspace(), "--id", "1", "--receipt", path("r.json")}).exit_code, 0);
  EXPECT_TRUE(parse_receipt(testing::read_whole_file(path("r.json"))).ok());
}

TEST_F(Forget, ShreddingKeepsNoSaltNowOrLater) {
  const std::string now = groups().graphs[3].node_id(0);
  const std::string later = groups().graphs[40].node_id(0);
  ASSERT_EQ(forget({"--subject", now, "--shred"}).exit_code, 0);
  const Outcome nothing_left = forget({"--subject", now, "--shred"});
  EXPECT_EQ(nothing_left.exit_code, 1) << nothing_left.out;

  ASSERT_EQ(forget({"--subject", later, "--keep-salts"}).exit_code, 0);
  const nlohmann::json before = status();
  const nlohmann::json shredded = document({"forget", "--workspace", workspace(), "--subject", later, "--shred"});
  EXPECT_EQ(shredded.at("salts_destroyed"), 1);
  EXPECT_TRUE(shredded.at("entry").is_null());
  EXPECT_EQ(status().at("hash"), before.at("hash"));
  EXPECT_EQ(forget({"--subject", later, "--shred"}).exit_code, 1);
}

TEST_F(Forget, NoSaltIsKeptUnlessAsked) {
  ASSERT_EQ(forget({"--graph", "5", "--openings", path("o.jsonl")}).exit_code, 0);
  ASSERT_EQ(forget({"--graph", "6", "--keep-salts"}).exit_code, 0);
  const auto salts_of = [&](const char* entry) {
    return document({"certificate", "--workspace", workspace(), "--id", entry, "--salts"}).at("salts").at(0);
  };
  EXPECT_TRUE(salts_of("1").is_null());
  EXPECT_TRUE(salts_of("2").is_string());
}

// A backup is put back.  Everything that would count or remove from there is refused, until it is up to date.
TEST_F(Forget, ARestoredBackupIsRefusedAndCanBeBroughtUpToDate) {
  ASSERT_EQ(forget({"--graph", "5", "--openings", path("o.jsonl")}).exit_code, 0);
  const std::string backup = testing::read_whole_file(workspace());
  ASSERT_EQ(forget({"--graph", "6", "--openings", path("o.jsonl")}).exit_code, 0);
  ASSERT_EQ(run({"release", "--workspace", workspace(), "--out", path("one.json")}).exit_code, 0);

  folder_.write("w.unscatter", backup);
  EXPECT_TRUE(status().at("outdated"));
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"forget", "--workspace", workspace(), "--graph", "7"},
        {"release", "--workspace", workspace(), "--out", path("two.json")},
        // What a preview says of exposure, and that nothing is due, would be about a state that is gone.
        {"forget", "--workspace", workspace(), "--graph", "7", "--dry-run"},
        {"expire", "--workspace", workspace()},
        {"predict", "--workspace", workspace(), "--data", data()}}) {
    std::vector<std::string> with_json = arguments;
    with_json.emplace_back("--json");
    const Outcome refused = run(with_json);
    EXPECT_EQ(refused.exit_code, 1) << arguments[0];
    EXPECT_EQ(refused.json().at("error").at("code"), "outdated");
    EXPECT_TRUE(has(refused.err, "--replay")) << refused.err;
  }
  EXPECT_EQ(testing::read_whole_file(workspace()), backup);

  folder_.write("none.jsonl", "");
  const Outcome missing = forget({"--replay", path("none.jsonl")});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_TRUE(has(missing.err, "the openings of entry 2 are missing")) << missing.err;

  const nlohmann::json again =
      document({"forget", "--workspace", workspace(), "--replay", path("o.jsonl"), "--openings", path("o.jsonl")});
  EXPECT_EQ(again.at("entry"), 2);
  EXPECT_EQ(again.at("requests").at("graphs"), 1);
  EXPECT_FALSE(status().at("outdated"));
  EXPECT_EQ(status().at("published"), 1);
  EXPECT_EQ(run({"verify", "--workspace", workspace(), "--retrain"}).exit_code, 0);
  EXPECT_EQ(document({"release", "--workspace", workspace(), "--out", path("two.json")}).at("release_number"), 2);
  EXPECT_EQ(forget({"--replay", path("o.jsonl")}).exit_code, 1) << "there is nothing left to replay";
  EXPECT_EQ(forget({"--replay", path("o.jsonl"), "--graph", "9"}).exit_code, 2);
}

TEST_F(Forget, NeedsTheWorkspacesOwnKey) {
  const nlohmann::json before = status();
  const std::vector<std::string> arguments = {"forget", "--workspace", workspace(), "--graph", "5"};
  const auto with = [&](const std::string& file) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"--key", file});
    return run(all);
  };
  const Outcome missing = with(path("none.key"));
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_TRUE(has(missing.err, "there is no signing key at")) << missing.err;

  ASSERT_EQ(run({"key", "--key", path("other.key")}).exit_code, 0);
  const Outcome other = with(path("other.key"));
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_TRUE(has(other.err, "key")) << other.err;

  std::filesystem::copy_file(key(), path("open.key"));
  std::filesystem::permissions(path("open.key"),
                               std::filesystem::perms::owner_all | std::filesystem::perms::group_read);
  const Outcome readable = with(path("open.key"));
  EXPECT_EQ(readable.exit_code, 1);
  EXPECT_TRUE(has(readable.err, "open.key")) << readable.err;
  EXPECT_EQ(status(), before);
  EXPECT_EQ(run(arguments).exit_code, 0);
}

// Before and after, in words and as a number.
TEST_F(Forget, TellsWhatEarlierModelsGiveAway) {
  EXPECT_TRUE(has(forget({"--graph", "4", "--dry-run"}).out, "nobody has seen a model that had learned from it"));
  ASSERT_EQ(run({"release", "--workspace", workspace(), "--out", path("one.json")}).exit_code, 0);
  const Outcome preview = forget({"--graph", "4", "--dry-run"});
  EXPECT_TRUE(has(preview.out, "whoever kept the model published so far can tell")) << preview.out;
  const nlohmann::json previewed =
      document({"forget", "--workspace", workspace(), "--graph", "4", "--dry-run"}).at("exposure");
  const nlohmann::json done = document({"forget", "--workspace", workspace(), "--graph", "4"}).at("exposure");
  EXPECT_EQ(previewed.at("models"), 1);
  EXPECT_GT(previewed.at("best_guess").get<double>(), 0.5);
  EXPECT_EQ(previewed.at("shift"), done.at("shift"));
}

}  // namespace
}  // namespace unscatter
