// How long work reports its progress.  The library only reports; a program decides what a person sees.
#pragma once

#include <cstddef>
#include <string_view>

namespace unscatter {

// Implementations must be thread-safe: workers call advance() at the same time.  The default does nothing, so that
// passing no sink costs nothing.
class Progress {
 public:
  Progress() = default;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  virtual ~Progress() = default;

  // A new stage begins.  `total` units of work, 0 if unknown.
  virtual void begin(std::string_view /*stage*/, std::size_t /*total*/) {}
  // `units` more are done.
  virtual void advance(std::size_t /*units*/) {}
  // The stage is over.
  virtual void end() {}
};

// A sink for callers that want no reports.
[[nodiscard]] Progress& no_progress() noexcept;

}  // namespace unscatter
