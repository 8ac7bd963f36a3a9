#include "fuzz/check_http.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace unscatter::fuzz;
  return abort_on(check_http(as_text(data, size)));
}
