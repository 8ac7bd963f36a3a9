#include "fuzz/check_http.h"

// The body alone, so that the fuzzer need not find a header first.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace unscatter::fuzz;
  unscatter::service::HttpRequest request;
  request.method = "POST";
  request.target = "/v1/requests";
  request.headers = {{"content-type", "application/json"}};
  request.body = as_text(data, size);
  return abort_on(check_http_request(request));
}
