// The readers over an Input, so that tests and fuzz targets can feed them from memory.  Contracts are those of
// unscatter/graph/read.h.
#pragma once

#include <exception>
#include <ios>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "graph/readers/byte_source.h"
#include "graph/readers/read_ahead.h"
#include "unscatter/base/invariant.h"
#include "unscatter/base/result.h"
#include "unscatter/graph/dataset.h"
#include "unscatter/graph/read.h"

namespace unscatter::readers {

[[nodiscard]] Result<Dataset> read_tu(const Input& input, const ReadOptions& options);
[[nodiscard]] Result<Dataset> read_gin(const Input& input, const ReadOptions& options);
[[nodiscard]] Result<Dataset> read_superpixels(const Input& input, const ReadOptions& options);
[[nodiscard]] Result<Dataset> read_jsonl(const Input& input, const ReadOptions& options);
[[nodiscard]] Result<DataFormat> detect_format(const Input& input);

// Runs `body`.  If the standard library throws because memory or threads are missing, the exception comes back as an
// Error.  A broken invariant is our own bug and passes through.
template <typename Body>
[[nodiscard]] auto without_exceptions(const std::string& name, Body&& body) -> decltype(body()) {
  try {
    return std::forward<Body>(body)();
  } catch (const InvariantViolation&) {
    throw;
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kLimitExceeded, name + ": not enough memory"};
  } catch (const std::length_error&) {
    return Error{ErrorCode::kLimitExceeded, name + ": not enough memory"};
  } catch (const std::exception& failure) {
    return Error{ErrorCode::kIo, name + ": " + failure.what()};
  }
}

// A large text is decompressed by a second thread while the first one parses.  For a small one, starting a thread costs
// more than it saves.
[[nodiscard]] inline std::unique_ptr<ByteSource> maybe_ahead(std::unique_ptr<ByteSource> source,
                                                             const ReadOptions& options) {
  constexpr std::uint64_t kWorthAThread = std::uint64_t{1} << 20;
  if (options.threads == 1 || source->claimed_size() < kWorthAThread) return source;
  return read_ahead(std::move(source));
}

}  // namespace unscatter::readers
