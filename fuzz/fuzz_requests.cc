#include "fuzz/check_requests.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace unscatter::fuzz;
  return abort_on(check_requests(as_text(data, size)));
}
