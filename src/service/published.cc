#include "service/published.h"

#include <fmt/format.h>

#include <utility>

#include "unscatter/base/digest.h"

namespace unscatter::service {

std::string etag_of(std::string_view body) {
  return fmt::format("\"{}\"", Hasher().add(std::string_view("unscatter etag 1")).add(body).finish().hex().substr(0, 32));
}

Result<std::shared_ptr<const Published>> published_of(const Workspace& workspace) {
  UNSCATTER_TRY(document, workspace.published_document());
  UNSCATTER_TRY(predictor, Predictor::create(document));
  std::string text = published_model_text(document);
  std::string etag = etag_of(text);
  return std::make_shared<const Published>(Published{std::move(predictor), std::move(text), std::move(etag),
                                                     document.model.release_number, document.sequence,
                                                     document.entry.hex()});
}

}  // namespace unscatter::service
