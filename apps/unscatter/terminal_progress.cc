#include "terminal_progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "output.h"

namespace unscatter::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kRedrawInterval = 100ms;
constexpr std::string_view kEraseLine = "\r\x1b[K";

std::string short_number(double value) {
  if (value < 1000) return fmt::format("{:.0f}", value);
  if (value < 1e6) return fmt::format("{:.1f}k", value / 1e3);
  if (value < 1e9) return fmt::format("{:.1f}M", value / 1e6);
  return fmt::format("{:.1f}G", value / 1e9);
}

std::string duration(double seconds) {
  const auto whole = std::lround(std::min(seconds, 359999.0));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string bar(double share, std::size_t width) {
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
  return '[' + std::string(filled, '#') + std::string(width - filled, '-') + ']';
}

std::size_t terminal_columns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

void write_to_stderr(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

std::string progress_line(std::string_view stage, std::size_t done, std::size_t total, double seconds,
                          std::size_t columns) {
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  std::string line(stage);
  if (total == 0) {
    line += fmt::format("  {}  {}/s", short_number(static_cast<double>(done)), short_number(rate));
  } else {
    // Totals may be estimates.  More done than announced is shown as all done.
    const std::size_t shown = std::min(done, total);
    const double share = static_cast<double>(shown) / static_cast<double>(total);
    std::string tail = fmt::format("{:3.0f} %  {}/s", 100 * share, short_number(rate));
    if (rate > 0) tail += fmt::format("  {} left", duration(static_cast<double>(total - shown) / rate));
    constexpr std::size_t kBarWidth = 20;
    const bool fits = line.size() + kBarWidth + 6 + tail.size() <= columns;
    line += fits ? fmt::format("  {}  {}", bar(share, kBarWidth), tail) : "  " + tail;
  }
  if (line.size() > columns) line.resize(columns);
  return line;
}

void TerminalProgress::begin(std::string_view stage, std::size_t total) {
  const std::scoped_lock lock(mutex_);
  wipe();
  // A stage may have the name of a member of an archive, which anyone may have packed.
  stage_ = printable(stage);
  std::replace(stage_.begin(), stage_.end(), '\n', '?');
  total_ = total;
  begun_ = surface_.now();
  done_.store(0, std::memory_order_relaxed);
  next_draw_.store((begun_ + kRedrawInterval).time_since_epoch().count(), std::memory_order_relaxed);
}

void TerminalProgress::advance(std::size_t units) {
  // Relaxed order is enough: the count is only shown, and nothing else depends on it.
  done_.fetch_add(units, std::memory_order_relaxed);
  const Clock::time_point now = surface_.now();
  Clock::rep due = next_draw_.load(std::memory_order_relaxed);
  if (now.time_since_epoch().count() < due) return;
  // Several threads may find that a redraw is due.  The one that moves the date draws, and nobody waits.
  const Clock::rep next = (now + kRedrawInterval).time_since_epoch().count();
  if (!next_draw_.compare_exchange_strong(due, next, std::memory_order_relaxed)) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) draw(now);
}

void TerminalProgress::end() {
  const std::scoped_lock lock(mutex_);
  wipe();
}

void TerminalProgress::draw(Clock::time_point now) {
  const double seconds = std::chrono::duration<double>(now - begun_).count();
  // The last column stays free, since some terminals wrap after a full line.
  const std::size_t columns = std::max<std::size_t>(surface_.columns(), 2) - 1;
  std::string text(kEraseLine);
  text += progress_line(stage_, done_.load(std::memory_order_relaxed), total_, seconds, columns);
  surface_.write(text);
  drawn_ = true;
}

void TerminalProgress::wipe() {
  if (std::exchange(drawn_, false)) surface_.write(kEraseLine);
}

std::unique_ptr<Progress> make_progress(bool quiet) {
  const char* terminal = std::getenv("TERM");
  const bool can_redraw = isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
  if (quiet || !can_redraw) return std::make_unique<Progress>();
  return std::make_unique<TerminalProgress>(TerminalProgress::Surface{write_to_stderr, terminal_columns});
}

}  // namespace unscatter::cli
