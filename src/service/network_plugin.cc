// The network part as a library: unscatter-network.so has this one symbol.
#include "service/network_table.h"

extern "C" __attribute__((visibility("default"))) const unscatter::service::Network* unscatter_network(
    const char* build) {
  const bool same = std::string_view(build) == UNSCATTER_BUILD;
  return same ? &unscatter::service::kNetwork : nullptr;
}
