#include "crash/disk_image.h"

#include <gtest/gtest.h>

#include <set>

namespace unscatter::testing {
namespace {

constexpr PowerLoss kEveryLoss[] = {PowerLoss::kPrefix, PowerLoss::kSubset, PowerLoss::kNothing};

// What `tries` power losses leave of file "a"; "-" where it is gone.
std::set<std::string> outcomes(const DiskImage& disk, PowerLoss loss, std::size_t tries = 200) {
  Sequence random(7);
  std::set<std::string> found;
  for (std::size_t i = 0; i < tries; ++i) {
    const DiskContent content = disk.after(loss, random);
    found.insert(content.contains("a") ? content.at("a") : "-");
  }
  return found;
}

TEST(DiskImage, SyncedContentSurvivesAnyPowerLoss) {
  DiskImage disk;
  const auto a = disk.open("a");
  disk.write(a, 0, "first");
  disk.write(a, 5, " second");
  disk.truncate(a, 8);
  disk.sync(a);
  disk.sync_folder();
  EXPECT_EQ(disk.pending(), 0);
  for (const PowerLoss loss : kEveryLoss) EXPECT_EQ(outcomes(disk, loss), std::set<std::string>{"first se"});
}

TEST(DiskImage, UnsyncedWritesArriveOrNot) {
  DiskImage disk(DiskContent{{"a", "old"}});
  disk.write(disk.open("a"), 0, "new");
  EXPECT_EQ(disk.present().at("a"), "new");
  EXPECT_EQ(outcomes(disk, PowerLoss::kNothing), std::set<std::string>{"old"});
  EXPECT_EQ(outcomes(disk, PowerLoss::kPrefix), (std::set<std::string>{"old", "new"}));
  EXPECT_EQ(outcomes(disk, PowerLoss::kSubset), (std::set<std::string>{"old", "new"}));
}

TEST(DiskImage, OnlyASubsetLosesAnEarlierWriteAndKeepsALater) {
  DiskImage disk(DiskContent{{"a", "--"}});
  disk.write(disk.open("a"), 0, "1");
  disk.write(disk.open("a"), 1, "2");
  EXPECT_EQ(outcomes(disk, PowerLoss::kPrefix), (std::set<std::string>{"--", "1-", "12"}));
  EXPECT_EQ(outcomes(disk, PowerLoss::kSubset), (std::set<std::string>{"--", "1-", "-2", "12"}));
}

TEST(DiskImage, WritesTearBetweenSectorsAndNowhereElse) {
  const std::string before(1024, 'o');
  DiskImage disk(DiskContent{{"a", before}});
  disk.write(disk.open("a"), 256, std::string(512, 'n'));  // half of each sector
  const std::string front = before.substr(0, 256) + std::string(256, 'n') + before.substr(512);
  const std::string back = before.substr(0, 512) + std::string(256, 'n') + before.substr(768);
  const std::string both = before.substr(0, 256) + std::string(512, 'n') + before.substr(768);
  for (const PowerLoss loss : {PowerLoss::kPrefix, PowerLoss::kSubset}) {
    EXPECT_EQ(outcomes(disk, loss), (std::set<std::string>{before, front, back, both}));
  }
}

TEST(DiskImage, NamesNeedTheFolderSynced) {
  DiskImage disk;
  const auto a = disk.open("a");
  disk.write(a, 0, "x");
  disk.sync(a);
  EXPECT_EQ(outcomes(disk, PowerLoss::kSubset), (std::set<std::string>{"-", "x"}));
  disk.sync_folder();
  EXPECT_EQ(outcomes(disk, PowerLoss::kSubset), std::set<std::string>{"x"});
  disk.remove("a");
  EXPECT_FALSE(disk.present().contains("a"));
  EXPECT_EQ(outcomes(disk, PowerLoss::kSubset), (std::set<std::string>{"-", "x"}));
  disk.sync_folder();
  EXPECT_EQ(outcomes(disk, PowerLoss::kSubset), std::set<std::string>{"-"});
}

TEST(DiskImage, ARemovedFileDoesNotLendItsBytesToTheNextOfThatName) {
  DiskImage disk(DiskContent{{"a", "old"}});
  disk.remove("a");
  const auto again = disk.open("a");
  disk.write(again, 0, "n");
  disk.sync(again);
  EXPECT_EQ(disk.present().at("a"), "n");
  // The removal may be lost, or the creation, or both; the two contents never mix.
  EXPECT_EQ(outcomes(disk, PowerLoss::kSubset), (std::set<std::string>{"-", "old", "n"}));
}

TEST(DiskImage, AnUnnamedOpenFileTakesWritesThatNobodySees) {
  DiskImage disk(DiskContent{{"a", "old"}});
  const auto a = disk.open("a");
  disk.remove("a");
  disk.write(a, 0, "new");
  disk.sync(a);
  disk.sync_folder();
  EXPECT_TRUE(disk.present().empty());
  EXPECT_EQ(outcomes(disk, PowerLoss::kSubset), std::set<std::string>{"-"});
}

}  // namespace
}  // namespace unscatter::testing
