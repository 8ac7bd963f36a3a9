// Errors that the outside world can cause, as values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace unscatter {

// What kind of thing went wrong.  The enumerators are part of the JSON contract of the command line (by name).
enum class ErrorCode {
  kInvalidArgument,  // a parameter outside its documented range
  kNotFound,         // a file, data set, graph, node or edge that is not there
  kMalformedInput,   // a file whose content breaks its format
  kLimitExceeded,    // input larger than the stated limits allow
  kIo,               // the operating system refused to read or write
  kNotConverged,     // an iteration ended before reaching its tolerance
  kFrameCondition,   // a wavelet bank whose frame bounds are not acceptable
  kUnsupported,      // a valid request that this combination of options does not offer
  kUnavailable,      // in use by another process; later it may work
  kOutdated,         // an older copy of something, of which a newer state is on record
};

// Stable lower-case name, for example "malformed-input".
[[nodiscard]] std::string_view error_code_name(ErrorCode code) noexcept;

struct Error {
  ErrorCode code;
  std::string message;  // one sentence for a person, naming file, line and value where there are such
  // Where several requests were given: the place of the one that this is about, from 0.  Programs read it instead of
  // looking for a number in the sentence.
  std::optional<std::size_t> request = std::nullopt;
};

}  // namespace unscatter
