// The functions of the network part.  Only for sources that are linked with it.
#pragma once

#include "service/gzip.h"
#include "service/network.h"

namespace unscatter::service {

inline constexpr Network kNetwork = {&is_loopback_address, &listen, &post_webhook, &gzipped};

}  // namespace unscatter::service
