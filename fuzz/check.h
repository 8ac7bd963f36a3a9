// What must hold for every input of a format that is read back.  The functions return what is wrong, or an empty text.
// The fuzz targets and the tests call the same functions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "unscatter/base/result.h"

namespace unscatter::fuzz {

// The result must be an error of the documented kind with a message, or a value that is written exactly as it was read.
template <typename Bytes, typename Parse, typename Write>
[[nodiscard]] std::string check_one_spelling(Bytes input, const Parse& parse, const Write& write) {
  const auto value = parse(input);
  if (!value.ok()) {
    if (value.error().message.empty()) return "an error without a message";
    return value.error().code == ErrorCode::kMalformedInput ? "" : "an error of another kind: " + value.error().message;
  }
  const auto again = write(*value);
  const bool same = std::equal(again.begin(), again.end(), input.begin(), input.end());
  return same ? "" : "accepted, but written in another way";
}

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}
// For fuzz targets.  A finding ends the process, which is how libFuzzer notices it.
inline int abort_on(const std::string& finding) {
  if (!finding.empty()) std::abort();
  return 0;
}

}  // namespace unscatter::fuzz
