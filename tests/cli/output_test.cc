#include "output.h"

#include <gtest/gtest.h>

namespace unscatter::cli {
namespace {

TEST(Table, ColumnsLineUp) {
  Table table({{"name"}, {"graphs", Table::Align::kRight}, {"note"}});
  table.add_row({"MUTAG", "188", "small"});
  table.add_row({"Überlang", "5,000"});
  EXPECT_EQ(table.str(),
            "name      graphs  note\n"
            "MUTAG        188  small\n"
            "Überlang   5,000\n");
}

TEST(Table, WithoutTitlesThereIsNoHeader) {
  Table table({{""}, {""}});
  table.add_row({"graphs", "3"});
  EXPECT_EQ(table.str(), "graphs  3\n");
}

TEST(Output, Numbers) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(12'345'678), "12,345,678");
}

TEST(Output, NamesFromFilesCannotSteerTheTerminal) {
  EXPECT_EQ(printable("a\x1b[2Jb\tc\x7f\n"), "a?[2Jb?c?\n");
  EXPECT_EQ(printable("Köln"), "Köln");
}

TEST(Output, ErrorDocument) {
  EXPECT_EQ(error_document("not-found", "no such file").dump(),
            R"({"error":{"code":"not-found","message":"no such file."}})");
}

TEST(Output, BytesThatAreNotUtf8StillGiveJson) {
  const std::string text = document_text(Json{{"name", "a\xffz"}});
  EXPECT_EQ(nlohmann::json::parse(text).at("name"), "a\xEF\xBF\xBDz");
}

}  // namespace
}  // namespace unscatter::cli
