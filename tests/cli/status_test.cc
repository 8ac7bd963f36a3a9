// unscatter status and certificate, as a user meets them.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "unscatter/store/request_text.h"
#include "workspace_fixture.h"

namespace unscatter {
namespace {

using testing::has;
using testing::Outcome;

class Inspect : public testing::CliWorkspaceTest {};

TEST_F(Inspect, StatusTellsWhatTheLibraryKnows) {
  ASSERT_EQ(forget({"--graph", "5"}).exit_code, 0);
  const nlohmann::json report = status();
  const Workspace library = open(workspace());
  const WorkspaceInfo& info = library.info();
  EXPECT_EQ(report.at("id"), info.id);
  EXPECT_EQ(report.at("signer"), info.signer.hex());
  EXPECT_EQ(report.at("graphs_at_creation"), 60);
  EXPECT_EQ(report.at("graphs"), 59);
  EXPECT_EQ(report.at("entries"), 2);
  EXPECT_EQ(report.at("hash"), info.head.hex());
  EXPECT_EQ(report.at("updates"), 1);
  EXPECT_EQ(report.at("published"), 0);
  EXPECT_EQ(report.at("bytes"), std::filesystem::file_size(workspace()));
  EXPECT_EQ(report.at("certificate").at("distance_upper_bound"), info.certificate.distance_upper_bound);
  EXPECT_EQ(report.at("options").at("releases"), info.options.releases);
  EXPECT_FALSE(report.contains("replay_digest"));
  EXPECT_FALSE(report.contains("state_digest"));
}

TEST_F(Inspect, StatusSpeaksToPeople) {
  const Outcome outcome = run({"status", "--workspace", workspace(), "--replay-digest"});
  for (const char* words :
       {"60 of 60 left", "0 of the 1,000 models", "1 entry, last hash", "replay digest", "state digest "}) {
    EXPECT_TRUE(has(outcome.out, words)) << words << '\n' << outcome.out;
  }
}

// A process for every removal, and one session for all of them.
TEST_F(Inspect, TheReplayDigestIsTheSameColdAndWarm) {
  const std::string twin = path("twin.unscatter");
  std::filesystem::copy_file(workspace(), twin);
  const std::string before = document({"status", "--workspace", twin, "--replay-digest"}).at("replay_digest");
  {
    Workspace warm = open(twin);
    ASSERT_TRUE(warm.session().ok());
    for (const std::size_t graph : {4u, 7u, 20u}) {
      ASSERT_EQ(forget({"--graph", std::to_string(graph)}).exit_code, 0);
      const RemovalRequest request = ForgetGraph{graph};
      ASSERT_TRUE(warm.forget(std::span(&request, 1)).ok());
    }
  }
  const nlohmann::json cold = document({"status", "--workspace", workspace(), "--replay-digest"});
  EXPECT_EQ(cold.at("replay_digest"), document({"status", "--workspace", twin, "--replay-digest"}).at("replay_digest"));
  EXPECT_NE(cold.at("replay_digest"), before);
}

TEST_F(Inspect, ReadingNeedsNoKey) {
  for (const std::vector<std::string>& command : {std::vector<std::string>{"status"}, {"certificate"}, {"verify"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--workspace", workspace()});
    EXPECT_EQ(testing::run_program(arguments, {{"XDG_CONFIG_HOME", path("empty")}}).exit_code, 0) << command.front();
  }
}

TEST_F(Inspect, AWorkspaceInUseIsUnavailable) {
  const Workspace held = open(workspace());
  const Outcome outcome = run({"status", "--workspace", workspace(), "--wait", "0.1", "--json"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.json().at("error").at("code"), "unavailable");
}

TEST_F(Inspect, StatusTellsWhomPublishedModelsProtect) {
  const nlohmann::json options = status().at("options");
  EXPECT_EQ(options.at("protection"), "removed");
  EXPECT_EQ(options.at("per_subject"), 0);
  EXPECT_TRUE(options.at("ridge").is_null());
  const Outcome words = run({"status", "--workspace", workspace()});
  EXPECT_TRUE(has(words.out, "protects") && has(words.out, "with 60 graphs")) << words.out;
}

// While one looks, others look too.
TEST_F(Inspect, ReadersDoNotLockOutReaders) {
  WorkspaceOptions how;
  how.read_only = true;
  const Workspace held = Workspace::open(workspace(), how).value();
  for (const std::vector<std::string>& command : {std::vector<std::string>{"status"},
                                                  {"certificate"},
                                                  {"verify"},
                                                  {"graphs"},
                                                  {"export", "--out", path("left.jsonl")},
                                                  {"forget", "--graph", "3", "--dry-run"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--workspace", workspace(), "--wait", "0"});
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << command.front() << ": " << outcome.err;
  }
  const Outcome writer = forget({"--graph", "3", "--wait", "0.1"});
  EXPECT_EQ(writer.exit_code, 1);
  EXPECT_TRUE(has(writer.err, "--wait")) << writer.err;
}

TEST_F(Inspect, WhatIsNoWorkspaceIsRefused) {
  const Outcome missing = run({"status", "--workspace", path("none"), "--json"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_EQ(missing.json().at("error").at("code"), "not-found");
  const Outcome other = run({"status", "--workspace", data(), "--json"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_EQ(other.json().at("error").at("code"), "malformed-input");
}

TEST_F(Inspect, CertificateShowsAnEntryOfTheLedger) {
  ASSERT_EQ(forget({"--graph", "5", "--node", "3"}).exit_code, 0);
  const std::vector<std::string> arguments = {"certificate", "--workspace", workspace()};
  const nlohmann::json last = document(arguments);
  EXPECT_EQ(last.at("kind"), "forgotten");
  EXPECT_EQ(last.at("sequence"), 1);
  EXPECT_EQ(last.at("requests").at("nodes"), 1);
  EXPECT_EQ(last.at("hash"), status().at("hash"));
  EXPECT_TRUE(last.at("certificate").at("satisfied"));
  EXPECT_FALSE(last.at("assumptions").empty());
  const nlohmann::json first = document({"certificate", "--workspace", workspace(), "--id", "0"});
  EXPECT_EQ(first.at("kind"), "created");
  EXPECT_EQ(last.at("previous"), first.at("hash"));

  const Outcome words = run(arguments);
  for (const char* part : {"forgot 1 node", "1 edited", "certified", "rests on", "only published models"}) {
    EXPECT_TRUE(has(words.out, part)) << part << '\n' << words.out;
  }
}

TEST_F(Inspect, CertificateShowsSaltsWhileThereAreSome) {
  const std::string subject = groups().graphs.front().node_id(0);
  const auto salts = [&] {
    return document({"certificate", "--workspace", workspace(), "--id", "1", "--salts"}).at("salts");
  };
  ASSERT_EQ(forget({"--subject", subject, "--receipt", path("r.json"), "--keep-salts"}).exit_code, 0);
  ASSERT_EQ(salts().size(), 1u);
  const auto salt = salts().front().get<std::string>();
  EXPECT_EQ(commitment(ForgetSubject{subject}, parse_salt(salt).value()),
            open(workspace()).entry(1).value().commitments.front());
  ASSERT_EQ(forget({"--subject", subject, "--shred"}).exit_code, 0);
  EXPECT_TRUE(salts().front().is_null());
}

TEST_F(Inspect, CertificateWritesReceiptsOfRemovalsOnly) {
  ASSERT_EQ(forget({"--graph", "5", "--receipt", path("first.json")}).exit_code, 0);
  ASSERT_EQ(run({"certificate", "--workspace", workspace(), "--receipt", path("second.json")}).exit_code, 0);
  EXPECT_EQ(testing::read_whole_file(path("first.json")), testing::read_whole_file(path("second.json")));
  EXPECT_EQ(run({"certificate", "--workspace", workspace(), "--receipt", path("second.json")}).exit_code, 1);
  const Outcome created =
      run({"certificate", "--workspace", workspace(), "--id", "0", "--receipt", path("third.json")});
  EXPECT_EQ(created.exit_code, 1);
  EXPECT_TRUE(has(created.err, "entry 0 (created) has no receipt")) << created.err;
  EXPECT_FALSE(std::filesystem::exists(path("third.json")));
  EXPECT_EQ(run({"certificate", "--workspace", workspace(), "--id", "9"}).exit_code, 1);
}

}  // namespace
}  // namespace unscatter
