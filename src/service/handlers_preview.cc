// What a removal would do.  The writer computes it, and nothing is written.
#include <utility>

#include "base/stopwatch.h"
#include "service/handlers.h"
#include "service/preview_picture.h"
#include "service/removal_body.h"
#include "service/service.h"
#include "service/words.h"

namespace unscatter::service {
namespace {

struct PreviewOrder {
  std::vector<RemovalRequest> requests;
  bool picture = false;
};

Outcome<PreviewOrder> order_of(const HttpRequest& request) {
  UNSCATTER_TRY(body, json_body(request));
  if (auto wrong = check_fields(body, {"requests", "picture"})) return *std::move(wrong);
  UNSCATTER_TRY(requests, removals_of(body));
  UNSCATTER_TRY(picture, flag_field(body, "picture"));
  return PreviewOrder{std::move(requests), picture};
}

Outcome<HttpResponse> preview_answer(Workspace& workspace, const PreviewOrder& order) {
  Stopwatch watch;
  const auto removal = workspace.prepare(order.requests);
  if (!removal.ok()) return refusal_of(removal.error());
  const double seconds = watch.lap();
  Pictures pictures;
  if (order.picture) {
    UNSCATTER_TRY(made, pictures_of(workspace, *removal));
    pictures = std::move(made);
  }
  const Certificate& certificate = removal->certificate();
  Json per_request = Json::array();
  for (const EditCounts& edits : removal->edits()) per_request.push_back(edits_json(edits));
  return json_response({{"requests", order.requests.size()},
                        {"edits", edits_json(removal->edits_together())},
                        {"edits_per_request", std::move(per_request)},
                        {"words", edits_words(removal->edits_together())},
                        {"certificate", certificate_json(certificate)},
                        {"certificate_words", certificate_words(certificate)},
                        {"exposure", exposure_json(removal->exposure(), certificate.promise)},
                        {"seconds", seconds},
                        {"cost_words", cost_words(certificate)},
                        {"pictures", std::move(pictures.list)},
                        {"pictures_left_out", pictures.left_out}});
}

}  // namespace

void preview(Service& service, const CallPtr& call) {
  auto order = order_of(call->request);
  if (!order.ok()) return call->finish(order.error());
  service.on_writer(call, [call, order = std::move(order).value()](Workspace& workspace, RequestQueue&) {
    call->finish(preview_answer(workspace, order));
  });
}

}  // namespace unscatter::service
