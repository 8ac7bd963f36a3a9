// Additions and corrections through the file: what is recorded, what is refused, what later openings find.
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>

#include "store/rollback_record.h"
#include "store/sample_workspace.h"
#include "unscatter/store/request_text.h"
#include "unscatter/store/workspace.h"

namespace unscatter {
namespace {

using testing::SampleWorkspace;

Dataset more_graphs(std::size_t count = 3) { return testing::sample_setup(2, {}, count).dataset; }

// Of every kind, one after the other, on graphs of the sample and on those that more_graphs() adds.
std::vector<Correction> some_corrections(const Dataset& data) {
  const Graph& graph = data.graphs[1];
  NodeIndex from = 0;
  while (graph.degree(from) == 0) ++from;
  const NodeIndex to = graph.neighbours(from)[0];
  return {SetFeatures{0u, 1u, std::vector<double>{0.5, -1.25}}, DropEdge{1u, std::size_t{from}, std::size_t{to}},
          AddEdge{1u, std::size_t{from}, std::size_t{to}}, SetLabel{2u, data.class_names[1 - data.labels[2]]}};
}

TEST(WorkspaceAdd, IsRecordedByCountAndCommitmentAndFoundAgain) {
  const SampleWorkspace sample;
  Forgotten added;
  Digest data;
  Matrix weights;
  {
    Workspace workspace = sample.create();
    ASSERT_TRUE(workspace.release().ok());
    added = workspace.add(more_graphs()).value();
    EXPECT_FALSE(workspace.published_document().ok());  // the published model goes, as with a removal
    data = content_digest(workspace.session().value()->remaining());
    weights = workspace.session().value()->weights();
  }
  auto opened = std::make_unique<Workspace>(sample.open());
  const Workspace& kept = *opened;
  const LedgerRecord record = kept.entry(2).value();
  EXPECT_EQ(record.kind, EntryKind::kAdded);
  EXPECT_EQ(record.graphs_added, 3u);
  EXPECT_EQ(record.graphs_edited, 0u);
  EXPECT_EQ(record.graphs, 17u);
  EXPECT_EQ(record.requests.graphs, 3u);
  EXPECT_EQ(ledger_text(record), ledger_text(added.entry));
  ASSERT_EQ(record.commitments.size(), 3u);
  const Dataset more = more_graphs();
  for (std::size_t i = 0; i < 3; ++i) {
    const AddedGraph graph{std::size_t{14 + i}, addition_digest(more.graphs[i], more.class_names[more.labels[i]])};
    EXPECT_EQ(record.commitments[i], commitment(graph, added.salts[i]));
    EXPECT_EQ(added.asked[i], request_text(graph));
  }
  EXPECT_EQ(receipt_text(kept.receipt(2).value()), receipt_text(added.receipt));
  EXPECT_EQ(added.receipt.kind, EntryKind::kAdded);
  EXPECT_EQ(kept.info().slots, 17u);
  EXPECT_EQ(kept.info().graphs, 17u);
  EXPECT_EQ(content_digest(opened->session().value()->remaining()), data);
  EXPECT_EQ(opened->session().value()->weights(), weights);
  opened.reset();  // a verification waits for whoever writes
  EXPECT_TRUE(sample.verify().passed) << testing::all_details(sample.verify());
  // What was added can be forgotten, and a later addition goes on counting.
  {
    Workspace workspace = sample.open();
    const RemovalRequest request = ForgetGraph{15u};
    ASSERT_TRUE(workspace.forget(std::span(&request, 1)).ok());
    ASSERT_TRUE(workspace.add(more_graphs(1)).ok());
    EXPECT_EQ(workspace.session().value()->remaining().numbers.back(), 17u);
  }
  EXPECT_TRUE(sample.verify().passed) << testing::all_details(sample.verify());
}

TEST(WorkspaceCorrect, EveryKindIsRecordedByCountAndCommitment) {
  const SampleWorkspace sample;
  const std::vector<Correction> corrections = some_corrections(sample.original());
  static_cast<void>(sample.create());
  for (std::size_t i = 0; i < corrections.size(); ++i) {
    SCOPED_TRACE(describe(corrections[i]));
    Workspace workspace = sample.open();
    const Result<Forgotten> done = workspace.correct(std::span(&corrections[i], 1));
    ASSERT_TRUE(done.ok()) << done.error().message;
    const LedgerRecord record = workspace.entry(i + 1).value();
    EXPECT_EQ(record.kind, EntryKind::kCorrected);
    EXPECT_EQ(record.requests.features, i == 0 ? 1u : 0u);
    EXPECT_EQ(record.requests.edges, i == 1 || i == 2 ? 1u : 0u);
    EXPECT_EQ(record.requests.graphs, i == 3 ? 1u : 0u);
    EXPECT_EQ(record.graphs_edited, 1u);
    EXPECT_EQ(record.graphs, 14u);
    EXPECT_NE(record.data_before, record.data_after);
    EXPECT_EQ(record.commitments.at(0), commitment(corrections[i], done->salts.at(0)));
    EXPECT_EQ(done->receipt.kind, EntryKind::kCorrected);
  }
  const Dataset left = sample.open().session().value()->remaining();
  EXPECT_EQ(left.graphs[0].attributes(1)[1], -1.25);
  EXPECT_NE(left.labels[2], sample.original().labels[2]);
  EXPECT_EQ(left.graphs[3], sample.original().graphs[3]);
  EXPECT_TRUE(sample.verify().passed) << testing::all_details(sample.verify());
}

TEST(WorkspaceCorrect, ARefusedOneChangesNothing) {
  const SampleWorkspace sample;
  auto created = std::make_unique<Workspace>(sample.create());
  Workspace& workspace = *created;
  const std::string before = sample.bytes();
  const std::vector<Correction> wrong = {SetLabel{0u, "unheard-of"}};
  EXPECT_FALSE(workspace.correct(wrong).ok());
  EXPECT_FALSE(workspace.add(Dataset{}).ok());
  Dataset strange = more_graphs(1);
  strange.class_names = {"unheard-of", "too"};
  EXPECT_FALSE(workspace.add(strange).ok());
  // A preview is dropped, and so is an update whose salts cannot be handed out.
  { ASSERT_TRUE(workspace.prepare_addition(more_graphs()).ok()); }
  ForgetOptions refuse;
  refuse.hand_out = [](const Forgotten&) -> Status { return Error{ErrorCode::kIo, "no room"}; };
  EXPECT_FALSE(workspace.add(more_graphs(), refuse).ok());
  const std::vector<Correction> right = some_corrections(sample.original());
  EXPECT_FALSE(workspace.correct(right, refuse).ok());
  EXPECT_EQ(sample.bytes(), before);
  EXPECT_EQ(workspace.info().entries, 1u);
  EXPECT_EQ(workspace.info().slots, 14u);
  ASSERT_TRUE(workspace.add(more_graphs()).ok());
  ASSERT_TRUE(workspace.correct(right).ok());
  created.reset();
  EXPECT_TRUE(sample.verify().passed) << testing::all_details(sample.verify());
}

// A backup from before is told, and a replay says why it cannot help.
TEST(WorkspaceAdd, ACopyFromBeforeIsOutdatedAndCannotBeReplayed) {
  for (const bool corrects : {false, true}) {
    SampleWorkspace sample;
    sample.keep_record();
    { const Workspace created = sample.create(); }
    const std::string backup = sample.bytes();
    {
      Workspace workspace = sample.open();
      const std::vector<Correction> corrections = some_corrections(sample.original());
      ASSERT_TRUE((corrects ? workspace.correct(corrections) : workspace.add(more_graphs())).ok());
    }
    EXPECT_TRUE(sample.verify().passed);
    sample.replace(backup);
    Workspace old = sample.open();
    ASSERT_TRUE(old.info().outdated.has_value());
    EXPECT_EQ(old.add(more_graphs()).error().code, ErrorCode::kOutdated);
    const Result<Forgotten> replayed = old.replay({});
    ASSERT_FALSE(replayed.ok());
    EXPECT_NE(replayed.error().message.find(corrects ? "entry 1 corrected data" : "entry 1 added graphs"),
              std::string::npos)
        << replayed.error().message;
    EXPECT_NE(replayed.error().message.find(corrects ? "'unscatter correct'" : "Openings hold digests"),
              std::string::npos)
        << replayed.error().message;
    EXPECT_NE(replayed.error().message.find("Use a newer copy"), std::string::npos) << replayed.error().message;
  }
}

TEST(Corrections, HaveOneSpellingThatIsReadBack) {
  const std::vector<std::pair<Correction, std::string>> spelled = {
      {SetFeatures{17u, 3u, std::vector<double>{0.5, 2}, -4},
       R"({"attributes":[0.5,2.0],"correct":"features","graph":17,"label":-4,"node":3})"},
      {SetFeatures{"g", "u", {}, 4}, R"({"correct":"features","graph":"g","label":4,"node":"u"})"},
      {AddEdge{17u, 3u, "u", 0.25}, R"({"correct":"add-edge","from":3,"graph":17,"to":"u","weight":0.25})"},
      {AddEdge{17u, 3u, 5u}, R"({"correct":"add-edge","from":3,"graph":17,"to":5})"},
      {DropEdge{17u, 3u, 5u}, R"({"correct":"drop-edge","from":3,"graph":17,"to":5})"},
      {SetLabel{"\xff", "2"}, R"({"class":"2","correct":"class","graph":{"bytes":"ff"}})"},
  };
  for (const auto& [correction, text] : spelled) {
    EXPECT_EQ(request_text(correction), text);
    const Result<Correction> read = parse_correction(text);
    ASSERT_TRUE(read.ok()) << text << ": " << read.error().message;
    EXPECT_EQ(request_text(*read), text);
  }
  for (const char* text :
       {"", "[]", "{}", R"({"correct":"node","graph":1})", R"({"correct":"class","graph":1})",
        R"({"correct":"class","graph":1,"class":"a","node":3})",
        R"({"correct":"class","graph":1,"graph":2,"class":"a"})", R"({"correct":"class","graph":-1,"class":"a"})",
        R"({"correct":"class","graph":1.0,"class":"a"})", R"({"correct":"class","graph":"","class":"a"})",
        R"({"correct":"features","graph":1,"node":2,"attributes":"x"})",
        R"({"correct":"features","graph":1,"node":2,"label":0.5})",
        R"({"correct":"features","graph":1,"node":2,"label":9223372036854775808})",
        R"({"correct":"add-edge","graph":1,"from":2,"to":3,"weight":1e999})"}) {
    EXPECT_FALSE(parse_correction(text).ok()) << text;
  }
  const Result<CorrectionFile> file =
      parse_corrections("\n" + spelled[4].second + "\n{}\n" + spelled[3].second + "\nnot JSON\n", "list");
  ASSERT_FALSE(file.ok());
  EXPECT_NE(file.error().message.find("list:3: \"correct\" is missing\nlist:5: "), std::string::npos)
      << file.error().message;
  const CorrectionFile good = parse_corrections(spelled[4].second + "\n\n" + spelled[3].second, "list").value();
  EXPECT_EQ(good.lines, (std::vector<std::size_t>{1, 3}));
}

TEST(Corrections, AnAddedGraphHasOneSpellingThatIsReadBack) {
  for (const AddedGraph& added : {AddedGraph{17u, Digest{{1, 2, 3}}}, AddedGraph{"\xff", {}}, AddedGraph{"17", {}}}) {
    const Result<AddedGraph> read = parse_added_graph(request_text(added));
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(request_text(*read), request_text(added));
  }
  const std::string start = R"({"add":"graph","content":")" + std::string(64, '0') + '"';
  const std::vector<std::string> wrong = {"[]",
                                          R"({"add":"graph","graph":1})",
                                          start + "}",
                                          R"({"add":"node","content":")" + std::string(64, '0') + R"(","graph":1})",
                                          R"({"add":"graph","content":"00","graph":1})",
                                          start + R"(,"graph":-1})",
                                          start + R"(,"graph":1,"class":"a"})",
                                          start + R"(,"graph":1,"graph":2})"};
  ASSERT_TRUE(parse_added_graph(start + R"(,"graph":1})").ok());
  for (const std::string& text : wrong) {
    const Result<AddedGraph> read = parse_added_graph(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kMalformedInput);
    EXPECT_NE(read.error().message, "");
  }
}

// Lines of additions and corrections may stand in a file of openings.  They are held against their salts.
TEST(Corrections, OpeningsAreCheckedAndPassedOver) {
  const SampleWorkspace sample;
  Workspace workspace = sample.create();
  const std::vector<Correction> corrections = some_corrections(sample.original());
  std::string lines;
  for (const Forgotten& done : {workspace.add(more_graphs(1)).value(), workspace.correct(corrections).value()}) {
    for (std::size_t i = 0; i < done.salts.size(); ++i) {
      lines += opening_text(done.entry.sequence, done.entry.commitments[i], done.asked[i], done.salts[i]) + "\n";
    }
  }
  EXPECT_TRUE(parse_openings(lines, "openings").value().empty());
  const std::size_t digit = lines.find("\"salt\":\"") + 8;
  lines[digit] = lines[digit] == '0' ? '1' : '0';
  EXPECT_FALSE(parse_openings(lines, "openings").ok());
}

}  // namespace
}  // namespace unscatter
