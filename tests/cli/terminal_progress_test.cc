#include "terminal_progress.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace unscatter::cli {
namespace {

using namespace std::chrono_literals;

// A terminal that remembers, and a clock that moves when told.
struct FakeTerminal {
  std::vector<std::string> written;
  TerminalProgress::Clock::time_point time{1h};
  std::size_t width = 80;

  TerminalProgress::Surface surface() {
    return {[this](std::string_view text) { written.emplace_back(text); }, [this] { return width; },
            [this] { return time; }};
  }
};

TEST(ProgressLine, ShowsStageShareRateAndTimeLeft) {
  EXPECT_EQ(progress_line("reading", 4500, 10000, 3.75, 80),
            "reading  [#########-----------]   45 %  1.2k/s  0:05 left");
  EXPECT_EQ(progress_line("reading", 0, 10, 0, 80), "reading  [--------------------]    0 %  0/s");
  EXPECT_EQ(progress_line("reading", 20, 10, 1, 80), "reading  [####################]  100 %  20/s  0:00 left");
  EXPECT_EQ(progress_line("reading", 1, 7201, 1, 80), "reading  [--------------------]    0 %  1/s  2:00:00 left");
  EXPECT_EQ(progress_line("reading", 2'500'000, 0, 2, 80), "reading  2.5M  1.2M/s");
}

TEST(ProgressLine, NeverWiderThanTheTerminal) {
  for (std::size_t columns = 1; columns < 90; ++columns) {
    EXPECT_LE(progress_line("a stage with a long name", 5, 10, 1, columns).size(), columns);
  }
  EXPECT_EQ(progress_line("reading", 5, 10, 1, 40), "reading   50 %  5/s  0:01 left");
}

TEST(TerminalProgress, RedrawsAtMostTenTimesASecondAndClearsItself) {
  FakeTerminal terminal;
  {
    TerminalProgress progress(terminal.surface());
    progress.begin("reading", 1000);
    for (int i = 0; i < 1000; ++i) {
      terminal.time += 1ms;
      progress.advance(1);
    }
    EXPECT_GE(terminal.written.size(), 9u);
    EXPECT_LE(terminal.written.size(), 10u);
    EXPECT_NE(terminal.written.back().find("reading  ["), std::string::npos);
    progress.end();
    EXPECT_EQ(terminal.written.back(), "\r\x1b[K");
  }
  EXPECT_LE(terminal.written.size(), 11u);  // nothing more to clear
}

TEST(TerminalProgress, AShortStageLeavesNoTrace) {
  FakeTerminal terminal;
  TerminalProgress progress(terminal.surface());
  progress.begin("reading", 10);
  terminal.time += 99ms;
  progress.advance(10);
  progress.end();
  EXPECT_TRUE(terminal.written.empty());
}

TEST(TerminalProgress, ANewStageStartsFromNothing) {
  FakeTerminal terminal;
  TerminalProgress progress(terminal.surface());
  progress.begin("one", 10);
  progress.advance(10);
  progress.begin("two", 4);
  terminal.time += 1s;
  progress.advance(1);
  ASSERT_EQ(terminal.written.size(), 1u);
  EXPECT_NE(terminal.written[0].find("two"), std::string::npos);
  EXPECT_NE(terminal.written[0].find(" 25 %"), std::string::npos);
}

TEST(TerminalProgress, AStageNameCannotSteerTheTerminal) {
  FakeTerminal terminal;
  TerminalProgress progress(terminal.surface());
  progress.begin("a\x1b[2J\nb", 4);
  terminal.time += 1s;
  progress.advance(1);
  ASSERT_EQ(terminal.written.size(), 1u);
  EXPECT_EQ(terminal.written[0].find("\r\x1b[Ka?[2J?b  ["), 0u) << terminal.written[0];
}

TEST(TerminalProgress, CountsWhatAllThreadsReport) {
  std::string last;
  std::atomic<int> writers{0};
  bool overlapped = false;
  TerminalProgress progress({[&](std::string_view text) {
                               overlapped |= ++writers != 1;
                               last = text;
                               --writers;
                             },
                             [] { return std::size_t{80}; }});
  progress.begin("work", 40'001);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10'000; ++i) progress.advance(1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::this_thread::sleep_for(110ms);
  progress.advance(1);
  EXPECT_NE(last.find("100 %"), std::string::npos) << last;
  EXPECT_FALSE(overlapped);
}

}  // namespace
}  // namespace unscatter::cli
