// Two bytes say how long the array is; what follows it is the file of labels.
#include <algorithm>

#include "fuzz/fuzz_reader.h"
#include "graph/readers/rows_reader.h"

namespace {

using namespace unscatter;

// One input, so that the fuzzer can change both files.
Result<Dataset> read_both(const readers::Input& input, const ReadOptions& options) {
  const auto bytes = std::get<std::span<const char>>(input.content);
  if (bytes.size() < 2) return Error{ErrorCode::kMalformedInput, "no length"};
  const std::size_t claimed =
      std::size_t{static_cast<unsigned char>(bytes[0])} | std::size_t{static_cast<unsigned char>(bytes[1])} << 8;
  const std::span<const char> rest = bytes.subspan(2);
  const std::size_t length = std::min(claimed, rest.size());
  return readers::read_rows(
      {readers::Input::memory("rows", rest.first(length)), readers::Input::memory("labels", rest.subspan(length))},
      options);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::read_and_check(read_both, data, size);
}
