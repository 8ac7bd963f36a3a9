#include "unscatter/store/request_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fuzz/check_requests.h"
#include "support/temporary_folder.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

// Every id a program could hand over, UTF-8 or not.
std::string random_id(Sequence& random) {
  static const std::vector<std::string> pieces_of_ids = {"a",
                                                         "Z",
                                                         "7",
                                                         " ",
                                                         "\"",
                                                         "\\",
                                                         "\n",
                                                         "\x7f",
                                                         "\x01",
                                                         "{}",
                                                         "é",
                                                         "\xf0\x9f\x98\x80",
                                                         "\xff",
                                                         "\xc3",
                                                         "\x80",
                                                         "ff",
                                                         "/",
                                                         "\xed\xa0\x80",
                                                         "\xe2\x80\xa8",
                                                         "\xc0\x80",
                                                         std::string(1, '\0')};
  std::string id;
  for (std::uint64_t pieces = 1 + random.below(4); pieces > 0; --pieces)
    id += pieces_of_ids[random.below(pieces_of_ids.size())];
  return id;
}

GraphKey random_key(Sequence& random) {
  if (random.chance(0.3)) return random_id(random);
  return static_cast<std::size_t>(random.chance(0.1) ? random.next() : random.below(4));
}

RemovalRequest any_request(Sequence& random) {
  switch (random.below(5)) {
    case 0: return ForgetFeatures{random_key(random), random_key(random)};
    case 1: return ForgetNode{random_key(random), random_key(random)};
    case 2: return ForgetEdge{random_key(random), random_key(random), random_key(random)};
    case 3: return ForgetGraph{random_key(random)};
    default: return ForgetSubject{random_id(random)};
  }
}

// Kind and values, without going through request_text().
std::vector<GraphKey> values_of(const RemovalRequest& request) {
  struct Values {
    std::vector<GraphKey> operator()(const ForgetFeatures& r) const { return {r.graph, r.node}; }
    std::vector<GraphKey> operator()(const ForgetNode& r) const { return {r.graph, r.node}; }
    std::vector<GraphKey> operator()(const ForgetEdge& r) const { return {r.graph, r.from, r.to}; }
    std::vector<GraphKey> operator()(const ForgetGraph& r) const { return {r.graph}; }
    std::vector<GraphKey> operator()(const ForgetSubject& r) const { return {r.id}; }
  };
  std::vector<GraphKey> values = std::visit(Values(), request);
  values.insert(values.begin(), request.index());
  return values;
}

TEST(RequestText, IsTheDocumentedSpelling) {
  EXPECT_EQ(request_text(ForgetFeatures{std::size_t{17}, std::size_t{3}}),
            R"({"forget":"features","graph":17,"node":3})");
  EXPECT_EQ(request_text(ForgetNode{"group-0017", "user-3"}),
            R"({"forget":"node","graph":"group-0017","node":"user-3"})");
  EXPECT_EQ(request_text(ForgetEdge{std::size_t{17}, std::size_t{3}, std::size_t{5}}),
            R"({"forget":"edge","from":3,"graph":17,"to":5})");
  EXPECT_EQ(request_text(ForgetGraph{std::size_t{17}}), R"({"forget":"graph","graph":17})");
  EXPECT_EQ(request_text(ForgetSubject{"J\xc3\xb6rg \"x\"\n"}),
            "{\"forget\":\"subject\",\"id\":\"J\xc3\xb6rg \\\"x\\\"\\n\"}");
  EXPECT_EQ(request_text(ForgetSubject{"\xff"}), R"({"forget":"subject","id":{"bytes":"ff"}})");
}

TEST(RequestText, EveryRequestIsReadBack) {
  Sequence random(41);
  for (int trial = 0; trial < 3000; ++trial) {
    const RemovalRequest request = any_request(random);
    const std::string text = request_text(request);
    const Result<RemovalRequest> read = parse_request(text);
    ASSERT_TRUE(read.ok()) << text << ": " << read.error().message;
    EXPECT_EQ(values_of(*read), values_of(request)) << text;
    EXPECT_EQ(request_text(*read), text);
  }
}

TEST(RequestText, DifferentRequestsAreSpelledDifferently) {
  Sequence random(42);
  std::map<std::string, std::vector<GraphKey>> seen;
  for (int trial = 0; trial < 5000; ++trial) {
    const RemovalRequest request = any_request(random);
    const auto [at, fresh] = seen.emplace(request_text(request), values_of(request));
    EXPECT_EQ(at->second, values_of(request)) << at->first;
  }
  EXPECT_LT(seen.size(), 5000u);  // equal requests did occur
  EXPECT_NE(request_text(ForgetSubject{"\xff"}), request_text(ForgetSubject{"\xfe"}));
  EXPECT_NE(request_text(ForgetSubject{"\xff"}), request_text(ForgetSubject{"ff"}));
  EXPECT_NE(request_text(ForgetGraph{std::size_t{3}}), request_text(ForgetGraph{"3"}));
}

TEST(RequestKey, DigitsAreANumberAndAnythingElseIsAnId) {
  EXPECT_EQ(parse_key("17").value(), NodeKey(std::size_t{17}));
  EXPECT_EQ(parse_key("0").value(), NodeKey(std::size_t{0}));
  EXPECT_EQ(parse_key("id:17").value(), NodeKey(std::string("17")));
  EXPECT_EQ(parse_key("id:id:17").value(), NodeKey(std::string("id:17")));
  for (const char* id : {"user-17", "-17", "+17", "1.5", "0x11", "17 ", "id"}) {
    EXPECT_EQ(parse_key(id).value(), NodeKey(std::string(id))) << id;
  }
  EXPECT_EQ(parse_key("18446744073709551615").value(), NodeKey(std::size_t{18446744073709551615u}));
  for (const char* wrong : {"", "id:", "18446744073709551616", "007", "00"})
    EXPECT_FALSE(parse_key(wrong).ok()) << wrong;
}

TEST(RequestFile, PassesOverEmptyLinesAndKeepsTheirCount) {
  const std::string line = R"({"forget":"graph","graph":1})";
  const RequestFile file = parse_requests("\xef\xbb\xbf" + line + "\r\n\r\n  \t\n" + line + "\n" + line, "x").value();
  EXPECT_EQ(file.requests.size(), 3u);
  EXPECT_EQ(file.lines, (std::vector<std::size_t>{1, 4, 5}));
  for (const std::string_view nothing : {"", "\n", "\r\n\r\n", "   "}) {
    EXPECT_TRUE(parse_requests(nothing, "x").value().requests.empty());
  }
}

TEST(RequestFile, ErrorsNameFileAndLine) {
  const testing::TemporaryFolder folder;
  const std::string line = R"({"forget":"graph","graph":1})";
  const auto path =
      folder.write("requests.jsonl", line + "\n\n" + line + "\n{\"forget\":\"graph\",\"graph\":-5}\n" + line);
  const Result<RequestFile> file = read_requests(path);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().code, ErrorCode::kMalformedInput);
  EXPECT_EQ(file.error().message.rfind(path.string() + ":4: \"graph\": -5", 0), 0u) << file.error().message;
  EXPECT_EQ(parse_requests(line + "\n" + line + line, "list").error().message.rfind("list:2: ", 0), 0u);

  EXPECT_EQ(read_requests(folder.path() / "nothing").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(read_requests(folder.path()).error().code, ErrorCode::kIo);
  EXPECT_EQ(read_requests(folder.write("good.jsonl", line + "\r\n" + line)).value().requests.size(), 2u);
}

TEST(RequestFile, AllWrongLinesAreNamedAtOnce) {
  const std::string good = R"({"forget":"graph","graph":1})";
  std::string text = good + "\n{}\n" + good + "\nnonsense\n";
  EXPECT_EQ(parse_requests(text, "x").error().message, "x:2: \"forget\" is missing\nx:4: byte 2: not valid JSON");
  const RequestFile file = scan_requests(text, "x").value();
  EXPECT_EQ(file.lines, (std::vector<std::size_t>{1, 3}));
  ASSERT_EQ(file.wrong.size(), 2u);
  EXPECT_EQ(file.wrong[1].line, 4u);
  // A hundred of them, and how many more.
  for (int i = 0; i < 250; ++i) text += "{}\n";
  const std::string message = parse_requests(text, "x").error().message;
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 100);
  EXPECT_TRUE(message.ends_with("and 152 more wrong lines")) << message;
  // A file of something else is not read to its end.
  std::string other = "graph\n";
  for (int i = 0; i < 100100; ++i) other += "1,2\n";
  EXPECT_EQ(scan_requests(other, "x").error().code, ErrorCode::kLimitExceeded);
}

TEST(RequestFile, FieldsOfOnesOwnArePassedOver) {
  const std::string line =
      R"({"forget":"node","reason":"said \"no\"","graph":17,"more":{"node":[1,{"id":[]}]},"node":3,"ticket":7})";
  const RequestFile file = parse_requests(line + "\n", "x").value();
  EXPECT_EQ(request_text(file.requests.front()), R"({"forget":"node","graph":17,"node":3})");
  EXPECT_TRUE(file.kept.empty());
  const RequestFile kept = parse_requests(line, "x", {.keep = {"ticket", "reason"}}).value();
  EXPECT_EQ(kept.kept.front(), R"({"reason":"said \"no\"","ticket":7})");
  // A single request, as `verify --request` takes it, has none.
  EXPECT_FALSE(parse_request(line).ok());
  EXPECT_NE(parse_requests(line, "x", {.keep = {"more"}}).error().message.find("cannot be kept"), std::string::npos);
  EXPECT_FALSE(parse_requests(R"({"forget":"graph","graph":17,"grpah":3})", "x").ok());
  EXPECT_FALSE(parse_requests(R"({"forget":"graph","graph":17,"user":"me"})", "x").ok());
  EXPECT_TRUE(parse_requests(R"({"forget":"subject","id":"me","user":"me"})", "x").ok());
  const std::string deep = R"({"forget":"graph","graph":17,"x":)" + std::string(100000, '[');
  EXPECT_NE(parse_requests(deep, "x").error().message.find("nested too deeply"), std::string::npos);
}

TEST(RequestFile, LinesHaveALimit) {
  const std::string head = R"({"forget":"subject","id":")";
  const std::string tail = "\"}";
  constexpr std::size_t kLimit = std::size_t{1} << 20;
  const std::string longest = head + std::string(kLimit - head.size() - tail.size(), 'x') + tail;
  EXPECT_TRUE(parse_requests(longest + "\n", "x").ok());
  const Result<RequestFile> beyond = parse_requests("\n" + longest + " \n", "x");
  ASSERT_FALSE(beyond.ok());
  EXPECT_EQ(beyond.error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(beyond.error().message.rfind("x:2: ", 0), 0u);
}

// A file with a hole takes no room on disk, and is refused by its size, unread.
TEST(RequestFile, FilesHaveALimit) {
  const testing::TemporaryFolder folder;
  const auto path = folder.write("large", "");
  std::filesystem::resize_file(path, (std::uintmax_t{1} << 30) + 1);
  EXPECT_EQ(read_requests(path).error().code, ErrorCode::kLimitExceeded);
}

TEST(RequestFile, WhateverTheTextIsItIsRefusedOrReadBack) {
  Sequence random(43);
  constexpr std::string_view kLikely = "0123456789\"{}[],: \n.e-\\u";
  std::size_t accepted = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    std::string text = request_text(any_request(random)) + "\n" + request_text(any_request(random)) + "\n";
    for (std::uint64_t edits = random.below(3); edits > 0; --edits) {
      const std::size_t at = random.below(text.size());
      if (random.chance(0.3))
        text.erase(at, 1);
      else if (random.chance(0.5))
        text.insert(at, 1, kLikely[random.below(kLikely.size())]);
      else
        text[at] = static_cast<char>(random.below(256));
    }
    EXPECT_EQ(fuzz::check_requests(text), "") << text;
    accepted += parse_requests(text, "x").ok() ? 1u : 0u;
  }
  EXPECT_GT(accepted, 1000u);
}

Salt numbered_salt(std::uint8_t number) {
  Salt salt;
  salt.bytes.fill(number);
  return salt;
}

TEST(RequestFile, AnOpeningStandsForItsRequest) {
  Opening opening{3, {}, ForgetSubject{"user-3"}, numbered_salt(9)};
  opening.commitment = commitment(opening.request, opening.salt);
  for (const std::string_view kept : {"", R"({"reason":"no"})"}) {
    const std::string line = opening_text(opening, kept);
    EXPECT_EQ(parse_openings(line, "x").value().size(), 1u) << line;
    EXPECT_EQ(request_text(parse_requests(line, "x").value().requests.front()), request_text(opening.request));
  }
  opening.salt = numbered_salt(8);
  EXPECT_EQ(parse_requests(opening_text(opening), "x").error().message,
            "x:1: request and salt do not give this commitment");
}

TEST(RequestFile, OtherEncodingsAreNamed) {
  const std::string_view utf16("\xff\xfe{\0}\0", 6);
  EXPECT_EQ(parse_requests(utf16, "x").error().message, "x:1: this is UTF-16 text; save it as UTF-8");
}

TEST(Commitment, DependsOnRequestAndSalt) {
  const RemovalRequest request = ForgetSubject{"user-3"};
  EXPECT_EQ(commitment(request, numbered_salt(1)), commitment(ForgetSubject{"user-3"}, numbered_salt(1)));
  EXPECT_NE(commitment(request, numbered_salt(1)), commitment(request, numbered_salt(2)));
  EXPECT_NE(commitment(request, numbered_salt(1)), commitment(ForgetSubject{"user-4"}, numbered_salt(1)));
  EXPECT_NE(commitment(ForgetSubject{"\xff"}, numbered_salt(1)), commitment(ForgetSubject{"\xfe"}, numbered_salt(1)));
}

// The recipe of docs/receipts.md, byte by byte.
TEST(Commitment, IsWhatTheDocumentSays) {
  const std::string text = request_text(ForgetSubject{"user-3"});
  std::string bytes;
  for (const std::string_view part : {std::string_view("unscatter request 1"), std::string_view(text)}) {
    for (unsigned i = 0; i < 8; ++i) bytes += static_cast<char>(part.size() >> (8 * i));
    bytes += part;
  }
  const Digest expected = Hasher(numbered_salt(9)).add_bytes(std::as_bytes(std::span(bytes))).finish();
  EXPECT_EQ(commitment(ForgetSubject{"user-3"}, numbered_salt(9)), expected);
  // Computed by another implementation of BLAKE2b.
  EXPECT_EQ(expected.hex(), "8a080124d247cbd6e254e8eea3bd3cbac63ed08d2d14945859d2bd75b4d5241b");
}

}  // namespace
}  // namespace unscatter
