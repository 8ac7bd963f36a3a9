#include "fuzz/check_receipt.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace unscatter::fuzz;
  return abort_on(check_receipt(as_text(data, size)));
}
