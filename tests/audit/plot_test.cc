#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "unscatter/audit/audit.h"

namespace unscatter {
namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

GameReport small_report() {
  GameReport game;
  game.about = "one & the <other>";
  game.guarantee = {1, 1e-4};
  game.promised_shift = 0.0099;
  game.shift_lower_bound = 0.002;
  game.looks.push_back({"all weights", 0.5, 0.25, 30, 20, 10, 0.002, 0});
  game.histogram = {-4, 4, {0, 5, 20, 5, 0}, {0, 3, 17, 10, 0}};
  return game;
}

TEST(AuditPlot, IsAWholeDocumentWithTheNumbersInWords) {
  const std::string svg = draw_game(small_report(), 0.95);
  EXPECT_TRUE(svg.starts_with("<svg "));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(std::count(svg.begin(), svg.end(), '<'), std::count(svg.begin(), svg.end(), '>'));
  EXPECT_TRUE(has(svg, "0.0099"));
  EXPECT_TRUE(has(svg, "0.002"));
  EXPECT_TRUE(has(svg, "95 %"));
  EXPECT_TRUE(has(svg, "one &amp; the &lt;other&gt;"));
  for (const char* bad : {"nan", "inf\"", "ABOVE"}) EXPECT_FALSE(has(svg, bad)) << bad;
}

TEST(AuditPlot, SaysWhenAPromiseIsBroken) {
  GameReport game = small_report();
  game.exceeded = true;
  EXPECT_TRUE(has(draw_game(game, 0.95), "ABOVE THE PROMISE"));
  game.promised_shift.reset();
  EXPECT_TRUE(has(draw_game(game, 0.95), "promised: nothing"));
}

TEST(AuditPlot, WorldsFarApartFitToo) {
  GameReport game = small_report();
  game.looks[0].known_shift = 3000;
  game.histogram.high = 3005;
  const std::string svg = draw_game(game, 0.95);
  EXPECT_LT(svg.size(), 40000u);
  EXPECT_FALSE(has(svg, "nan"));
}

}  // namespace
}  // namespace unscatter
