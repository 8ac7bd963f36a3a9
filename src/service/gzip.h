// gzip (RFC 1952) for answers, by zlib.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace unscatter::service {

// Does an Accept-Encoding header ask for gzip?  A weight of 0 says no.
[[nodiscard]] bool accepts_gzip(std::string_view accept_encoding);
// Nothing if it would not get shorter.  Called by the table of service/network.h.
[[nodiscard]] std::optional<std::string> gzipped(std::string_view text);

}  // namespace unscatter::service
