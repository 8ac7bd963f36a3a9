#include "unscatter/base/error.h"

namespace unscatter {

std::string_view error_code_name(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kInvalidArgument: return "invalid-argument";
    case ErrorCode::kNotFound: return "not-found";
    case ErrorCode::kMalformedInput: return "malformed-input";
    case ErrorCode::kLimitExceeded: return "limit-exceeded";
    case ErrorCode::kIo: return "io";
    case ErrorCode::kNotConverged: return "not-converged";
    case ErrorCode::kFrameCondition: return "frame-condition";
    case ErrorCode::kUnsupported: return "unsupported";
    case ErrorCode::kUnavailable: return "unavailable";
    case ErrorCode::kOutdated: return "outdated";
  }
  return "unknown";
}

}  // namespace unscatter
