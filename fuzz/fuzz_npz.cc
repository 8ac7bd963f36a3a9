#include "fuzz/fuzz_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return unscatter::fuzz::read_and_check(unscatter::readers::read_superpixels, data, size);
}
