#include "experiment/cell.h"

#include <gtest/gtest.h>

#include "support/temporary_folder.h"

namespace unscatter::experiment {
namespace {

using testing::read_whole_file;
using testing::TemporaryFolder;

const CellKey kKey{"unlearning", "groups", "gst", "uu", "epsilon-0.5", 3};

class Cell : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(write_cell(folder_.path(), kKey, settings_, {{"date", "then"}}, result_).ok()); }
  [[nodiscard]] FoundCell found(const Json& settings) const { return read_cell(folder_.path(), kKey, settings); }
  [[nodiscard]] std::filesystem::path path() const { return cell_path(folder_.path(), kKey); }

  TemporaryFolder folder_;
  Json settings_ = {{"lambda", 1e-3}, {"third", 1.0 / 3}};
  Json result_ = {{"accuracy", 68.56}, {"points", {1, 2, 3}}};
};

TEST_F(Cell, ComesBackAsItWasWritten) {
  const FoundCell cell = found(settings_);
  EXPECT_EQ(cell.state, CellState::kGood) << cell.problem;
  EXPECT_EQ(cell.cell.at("result"), result_);
  EXPECT_EQ(cell.cell.at("settings"), settings_);
  EXPECT_EQ(cell.cell.at("key"), key_json(kKey));
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path().parent_path())) ++files;
  EXPECT_EQ(files, 1u) << "the temporary file stayed";
}

TEST_F(Cell, AnotherCellIsMissing) {
  CellKey other = kKey;
  ++other.split;
  EXPECT_EQ(read_cell(folder_.path(), other, settings_).state, CellState::kMissing);
}

TEST_F(Cell, OtherSettingsAreNoticed) {
  Json other = settings_;
  other["lambda"] = 1e-4;
  EXPECT_EQ(found(other).state, CellState::kOtherSettings);
  other = settings_;
  other["more"] = 1;
  EXPECT_EQ(found(other).state, CellState::kOtherSettings);
}

TEST_F(Cell, AnErrorIsAFailedCell) {
  ASSERT_TRUE(write_cell(folder_.path(), kKey, settings_, {}, {{"error", {{"code", "io"}}}}).ok());
  EXPECT_EQ(found(settings_).state, CellState::kFailed);
}

TEST_F(Cell, EveryCutIsDamage) {
  const std::string whole = read_whole_file(path());
  for (std::size_t length = 0; length + 2 < whole.size();
       length += 7) {  // the last newline and brace may go together only
    ASSERT_TRUE(replace_text(path(), whole.substr(0, length)).ok());
    const FoundCell cell = found(settings_);
    ASSERT_EQ(cell.state, CellState::kDamaged) << length;
    ASSERT_NE(cell.problem.find(path().string()), std::string::npos) << cell.problem;
  }
}

TEST_F(Cell, AChangedNumberIsDamage) {
  std::string text = read_whole_file(path());
  text.replace(text.find("68.56"), 5, "69.56");
  ASSERT_TRUE(replace_text(path(), text).ok());
  EXPECT_EQ(found(settings_).state, CellState::kDamaged);
}

TEST_F(Cell, TheCellOfSomethingElseIsDamage) {
  CellKey other = kKey;
  other.method = "retrain";
  ASSERT_TRUE(replace_text(cell_path(folder_.path(), other), read_whole_file(path())).ok());
  EXPECT_EQ(read_cell(folder_.path(), other, settings_).state, CellState::kDamaged);
}

TEST_F(Cell, AFolderThatCannotBeMadeIsAnError) {
  const auto file = folder_.write("plain", "a file");
  const Status status = write_cell(file, kKey, settings_, {}, result_);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kIo);
}

}  // namespace
}  // namespace unscatter::experiment
