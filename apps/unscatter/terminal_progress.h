// A progress bar for people:  reading MUTAG  [#########-----------]  45 %  1.2k/s  0:12 left
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "unscatter/base/progress.h"

namespace unscatter::cli {

// Redraws one line in place, at most ten times a second, and wipes it when the stage ends.  A stage shorter than a
// tenth of a second shows nothing.  Any number of threads may call advance().
class TerminalProgress final : public Progress {
 public:
  using Clock = std::chrono::steady_clock;
  // Where to draw, how wide, and by which clock.  Tests bring their own.
  struct Surface {
    std::function<void(std::string_view)> write;
    std::function<std::size_t()> columns;
    std::function<Clock::time_point()> now = Clock::now;
  };

  explicit TerminalProgress(Surface surface) : surface_(std::move(surface)) {}
  ~TerminalProgress() override { end(); }

  void begin(std::string_view stage, std::size_t total) override;
  void advance(std::size_t units) override;
  void end() override;

 private:
  void draw(Clock::time_point now);  // needs mutex_
  void wipe();                       // needs mutex_

  Surface surface_;
  std::atomic<std::size_t> done_{0};
  std::atomic<Clock::rep> next_draw_{0};  // ticks since the clock's epoch
  std::mutex mutex_;                      // guards what follows and the surface
  std::string stage_;
  std::size_t total_ = 0;
  Clock::time_point begun_;
  bool drawn_ = false;
};

// One line of at most `columns` characters.  If the total is unknown, the count replaces bar, percentage and time left.
[[nodiscard]] std::string progress_line(std::string_view stage, std::size_t done, std::size_t total, double seconds,
                                        std::size_t columns);

// A TerminalProgress on stderr, or a silent sink if stderr is not a terminal, the terminal cannot redraw a line
// (TERM=dumb), or `quiet`.
[[nodiscard]] std::unique_ptr<Progress> make_progress(bool quiet);

}  // namespace unscatter::cli
