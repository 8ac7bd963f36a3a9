#include "fuzz/check_graph_blob.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace unscatter::fuzz;
  return abort_on(check_graph_blob(std::as_bytes(std::span(data, size))));
}
