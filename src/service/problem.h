// Problem documents (RFC 9457): what every error is answered with.
#pragma once

#include <string>

#include "service/http_message.h"
#include "service/outcome.h"

namespace unscatter::service {

// {"type", "title", "status", "detail", "instance"}.  `instance` has random digits that the log names too.
[[nodiscard]] HttpResponse problem(const Refusal& refusal);
// "Not Found"
[[nodiscard]] std::string_view status_title(int status);

}  // namespace unscatter::service
