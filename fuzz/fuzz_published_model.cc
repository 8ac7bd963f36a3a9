#include "fuzz/check_published_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace unscatter::fuzz;
  return abort_on(check_published_model(as_text(data, size)));
}
