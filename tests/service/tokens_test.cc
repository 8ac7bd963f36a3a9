#include "service/tokens.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <vector>

#include "support/temporary_folder.h"

namespace unscatter::service {
namespace {

Scopes read_only() { return *parse_scopes("read"); }

TEST(Tokens, AreFoundByTheirSecretOnly) {
  const NewToken one = make_token(read_only());
  const NewToken other = make_token(*parse_scopes("submit,predict"));
  const auto table = TokenTable::parse("# tokens\n\n" + one.line + other.line);
  ASSERT_TRUE(table.ok());
  ASSERT_TRUE(table->find(one.text).has_value());
  EXPECT_EQ(table->find(one.text)->id, one.id);
  EXPECT_TRUE(table->find(one.text)->scopes.has(Scope::kRead));
  EXPECT_FALSE(table->find(one.text)->scopes.has(Scope::kSubmit));
  EXPECT_TRUE(table->find(other.text)->scopes.has(Scope::kPredict));
  // The file does not have what a client has to send.
  EXPECT_EQ(one.line.find(one.text.substr(one.text.size() - 64)), std::string::npos);
  for (std::size_t i = 0; i < one.text.size(); ++i) {
    std::string changed = one.text;
    changed[i] = changed[i] == '0' ? '1' : '0';
    EXPECT_FALSE(table->find(changed).has_value()) << i;
  }
  // The secret of one with the id of the other.
  std::string mixed = one.text;
  mixed.replace(10, 16, other.id);
  EXPECT_FALSE(table->find(mixed).has_value());
}

TEST(Tokens, WrongLinesAreRefusedByNumber) {
  const std::string good = make_token(read_only()).line;
  for (const std::string& bad : {std::string("x\n"), good + good, "0123456789abcdef read\n" + good, good.substr(1),
                                 "0123456789abcdef write " + good.substr(good.size() - 65)}) {
    const auto table = TokenTable::parse(bad);
    ASSERT_FALSE(table.ok()) << bad;
    EXPECT_EQ(table.error().code, ErrorCode::kMalformedInput);
    EXPECT_EQ(table.error().message.find(good.substr(22)), std::string::npos);
  }
}

TEST(Tokens, AFileThatOthersMayUseIsRefused) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "tokens";
  EXPECT_EQ(TokenTable::load(path).error().code, ErrorCode::kNotFound);
  ASSERT_TRUE(append_token(path, make_token(read_only())).ok());
  ASSERT_TRUE(append_token(path, make_token(read_only())).ok());
  EXPECT_EQ(TokenTable::load(path)->size(), 2U);
  ASSERT_EQ(chmod(path.c_str(), 0644), 0);
  EXPECT_EQ(TokenTable::load(path).error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(append_token(path, make_token(read_only())).ok());
}

TEST(Tokens, AnIdIsClaimedByTheFormAlone) {
  const NewToken token = make_token(read_only());
  const auto table = TokenTable::parse(token.line);
  std::string wrong = token.text;
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  EXPECT_EQ(table->claimed_id(token.text), token.id);
  EXPECT_EQ(table->claimed_id(wrong), token.id);
  EXPECT_EQ(table->claimed_id(make_token(read_only()).text), "");
  EXPECT_EQ(table->claimed_id(token.id), "");
}

// One after the other, again and again: what else the machine does slows all of them.
std::array<double, 3> median_nanoseconds(const TokenTable& table, const std::array<std::string, 3>& texts) {
  std::array<std::vector<double>, 3> times;
  for (int i = 0; i < 4000; ++i) {
    for (std::size_t k = 0; k < texts.size(); ++k) {
      const auto began = std::chrono::steady_clock::now();
      const auto found = table.find(texts[k]);
      times[k].push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - began).count());
      EXPECT_FALSE(found.has_value());
    }
  }
  std::array<double, 3> medians{};
  for (std::size_t k = 0; k < texts.size(); ++k) {
    std::nth_element(times[k].begin(), times[k].begin() + 2000, times[k].end());
    medians[k] = times[k][2000];
  }
  return medians;
}

// A comparison that stops at the first difference would be faster for the first than for the second, and a search that
// stops at an unknown id faster for the third.
TEST(Tokens, TheTimeDoesNotTellHowMuchWasRight) {
  const NewToken token = make_token(read_only());
  const auto table = TokenTable::parse(token.line);
  std::string early = token.text;
  early[27] = early[27] == '0' ? '1' : '0';
  std::string late = token.text;
  late.back() = late.back() == '0' ? '1' : '0';
  std::string nobody = token.text;
  nobody.replace(10, 16, "ffffffffffffffff");
  double worst = 10;
  for (int attempt = 0; attempt < 5 && worst > 1.25; ++attempt) {
    const auto times = median_nanoseconds(*table, {early, late, nobody});
    const auto [least, most] = std::minmax_element(times.begin(), times.end());
    worst = std::min(worst, *most / *least);
  }
  EXPECT_LT(worst, 1.25);
}

}  // namespace
}  // namespace unscatter::service
