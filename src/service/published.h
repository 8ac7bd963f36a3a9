// The published model that the service predicts with.  Immutable: predictions never wait for a removal.
#pragma once

#include <memory>
#include <string>

#include "unscatter/base/result.h"
#include "unscatter/store/receipt.h"
#include "unscatter/store/workspace.h"

namespace unscatter::service {

struct Published {
  Predictor predictor;
  std::string text;  // the file
  std::string etag;
  std::size_t release_number = 0;
  std::uint64_t entry = 0;
  std::string hash;  // of the entry
};

// What the workspace has published since its last removal.  Errors: as Workspace::published_document() and
// Predictor::create().
[[nodiscard]] Result<std::shared_ptr<const Published>> published_of(const Workspace& workspace);

// "HEX", in quotes: the same for the same bytes.
[[nodiscard]] std::string etag_of(std::string_view body);

}  // namespace unscatter::service
