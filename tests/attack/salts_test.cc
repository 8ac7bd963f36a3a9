// Who was forgotten?  Somebody has the workspace file, nothing else, and a list of 300 candidates.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "store/sample_workspace.h"
#include "store/tables.h"
#include "unscatter/store/request_text.h"

namespace unscatter {
namespace {

using testing::SampleWorkspace;

constexpr std::size_t kCandidates = 300;
constexpr std::size_t kForgottenGraph = 217;

// Candidates that some salt in the file opens a commitment for.
std::vector<std::size_t> opened_by_salts(const SampleWorkspace& sample) {
  std::vector<std::size_t> found;
  sample.edit([&](const Database& database) {
    ASSERT_TRUE(visit_salts(database, [&](std::size_t sequence, std::vector<Salt>& salts) -> Status {
                  UNSCATTER_TRY(row, read_entry(database, sequence));
                  UNSCATTER_TRY(record, parse_ledger_text(row.body));
                  for (std::size_t i = 0; i < salts.size(); ++i) {
                    for (std::size_t g = 0; g < kCandidates; ++g) {
                      if (commitment(ForgetGraph{g}, salts[i]) == record.commitments[i]) found.push_back(g);
                    }
                  }
                  return ok_status();
                }).ok());
  });
  return found;
}

Digest digest_with_the_key_in_the_file(const RemovalRequest& request, const Salt& list_key) {
  const Digest start = Hasher(list_key).add(std::string_view("unscatter list 1")).finish();
  Hasher hasher(list_key);
  hasher.add_bytes(std::as_bytes(std::span(start.bytes)));
  return hasher.add(request_text(request)).finish();
}

// Candidates whose list of one request has a digest in the file.
std::vector<std::size_t> opened_by_lists(const SampleWorkspace& sample) {
  std::vector<std::size_t> found;
  sample.edit([&](const Database& database) {
    const Salt list_key = read_identity(database).value().list_key;
    const std::vector<ListRow> rows = read_lists(database).value();
    for (std::size_t g = 0; g < kCandidates; ++g) {
      const Digest guess = digest_with_the_key_in_the_file(ForgetGraph{g}, list_key);
      if (std::any_of(rows.begin(), rows.end(), [&](const ListRow& row) { return row.done == guess; })) {
        found.push_back(g);
      }
    }
  });
  return found;
}

class DictionarySearch : public ::testing::Test {
 protected:
  DictionarySearch() : sample_(testing::sample_setup(1, {}, kCandidates)) {
    const Workspace created = sample_.create();
  }

  SampleWorkspace sample_;
  const RemovalRequest request_ = ForgetGraph{kForgottenGraph};
};

// The old behaviour, planted.
TEST_F(DictionarySearch, NamesTheGraphIfSaltsAreKept) {
  static_cast<void>(sample_.open().forget(std::span(&request_, 1), {.keep_salts = true}).value());
  EXPECT_EQ(opened_by_salts(sample_), std::vector<std::size_t>{kForgottenGraph});
}

TEST_F(DictionarySearch, FindsNothingByDefault) {
  const Forgotten done = sample_.open().forget(std::span(&request_, 1)).value();
  EXPECT_EQ(opened_by_salts(sample_), std::vector<std::size_t>{});
  // Whoever was handed the salt can still show it.
  EXPECT_EQ(commitment(request_, done.salts.at(0)), done.entry.commitments.at(0));
  const std::string_view salt(reinterpret_cast<const char*>(done.salts[0].bytes.data()), done.salts[0].bytes.size());
  EXPECT_EQ(sample_.bytes().find(salt), std::string::npos);
}

// The digest that lets a list go on.  With a key from the file, as it was, it is as good as a salt.
TEST_F(DictionarySearch, FindsNothingInTheDigestOfAList) {
  static_cast<void>(sample_.open().forget_list(std::span(&request_, 1), {}).value());
  EXPECT_EQ(opened_by_salts(sample_), std::vector<std::size_t>{});
  EXPECT_EQ(opened_by_lists(sample_), std::vector<std::size_t>{});
  sample_.edit([&](const Database& database) {
    const Digest old = digest_with_the_key_in_the_file(request_, read_identity(database).value().list_key);
    ASSERT_TRUE(write_list(database, {old, {{1, 1}}}).ok());
  });
  EXPECT_EQ(opened_by_lists(sample_), std::vector<std::size_t>{kForgottenGraph});
}

}  // namespace
}  // namespace unscatter
