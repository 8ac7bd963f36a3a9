// The demo's workspace behind the service.  In builds with the service.
#pragma once

#include <filesystem>
#include <memory>

#include "context.h"
#include "unscatter/base/result.h"
#include "unscatter/store/signing_key.h"

namespace unscatter::cli {

// Called first of all: signals that end the service must not end other threads' work.
void prepare_to_serve();
// Makes a token, prints it with the URL, and serves until Ctrl-C.
[[nodiscard]] Status serve_demo(const std::filesystem::path& workspace, std::shared_ptr<const SigningKey> key,
                                Context& context);

}  // namespace unscatter::cli
