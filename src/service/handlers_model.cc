// The published model, and predictions with it.
#include <fmt/format.h>

#include <utility>

#include "graph/readers/graph_builder.h"
#include "graph/readers/jsonl_line.h"
#include "service/handlers.h"
#include "service/service.h"

namespace unscatter::service {
namespace {

constexpr std::size_t kMostGraphs = 1000;
constexpr std::size_t kMostNodes = std::size_t{1} << 20;  // of one graph

Refusal no_model() {
  return Refusal{.status = 404, .detail = "No model is published; an operator publishes one with POST /v1/releases."};
}

Refusal wrong_graph(std::size_t place, const char* detail) {
  return Refusal{.status = 422, .detail = detail, .request = place};
}

Outcome<Json> prediction_of(const Published& model, const Json& document, std::size_t place, bool scores) {
  auto line = readers::parse_jsonl_line(document.dump(-1, ' ', false, Json::error_handler_t::replace));
  if (!line.ok() || line->parts.node_count > kMostNodes) {
    return wrong_graph(place, "This is no graph as docs/data-formats.md describes one, or it is too large.");
  }
  readers::Dropped dropped;
  const auto graph = readers::build_graph(std::move(line->parts), dropped);
  if (!graph.ok()) return wrong_graph(place, "The parts of this graph do not fit each other.");
  const auto prediction = model.predictor.predict(*graph);
  if (!prediction.ok()) return wrong_graph(place, "This graph lacks what the features of the model need.");
  const auto& names = model.predictor.class_names();
  Json json = {{"predicted", names[prediction->predicted]}, {"lead", prediction->lead}};
  if (scores) {
    json["scores"] = Json::object();
    for (std::size_t k = 0; k < names.size(); ++k) json["scores"][names[k]] = prediction->scores[k];
  }
  return json;
}

Outcome<HttpResponse> predictions(Service& service, const Call& call) {
  const auto model = service.writer().published();
  if (!model) return no_model();
  UNSCATTER_TRY(body, json_body(call.request));
  if (auto wrong = check_fields(body, {"graphs", "scores"})) return *std::move(wrong);
  UNSCATTER_TRY(scores, flag_field(body, "scores"));
  const auto graphs = body.find("graphs");
  if (graphs == body.end() || !graphs->is_array() || graphs->empty() || graphs->size() > kMostGraphs) {
    return Refusal{.status = 422,
                   .detail = fmt::format("The field 'graphs' is a list of 1 to {} graphs.", kMostGraphs)};
  }
  Json list = Json::array();
  for (const Json& graph : *graphs) {
    UNSCATTER_TRY(one, prediction_of(*model, graph, list.size(), scores));
    list.push_back(std::move(one));
  }
  service.metrics().predicted_graphs += list.size();
  return json_response({{"predictions", std::move(list)},
                        {"release_number", model->release_number},
                        {"classes", model->predictor.class_names()}});
}

Outcome<HttpResponse> release_model(Service& service, Workspace& workspace, const std::function<void()>& refresh,
                                    bool fresh) {
  const std::size_t before = workspace.info().published;
  const auto released = workspace.release(fresh);
  if (!released.ok()) {
    if (released.error().code == ErrorCode::kLimitExceeded) {
      return Refusal{.status = 409,
                     .detail = "The guarantee covers no further model; 'unscatter renew' begins another count."};
    }
    return refusal_of(released.error());
  }
  refresh();
  auto model = published_of(workspace);
  if (!model.ok()) return refusal_of(model.error());
  service.writer().set_published(*model);
  const WorkspaceInfo info = workspace.info();
  const bool counted = info.options.mechanism == Mechanism::kRelease;
  HttpResponse response =
      json_response({{"release_number", (*model)->release_number},
                     {"entry", (*model)->entry},
                     {"hash", (*model)->hash},
                     {"new", info.published > before},
                     {"models_left", counted ? Json(info.options.releases - info.published_in_count) : Json(nullptr)},
                     {"model", "/v1/model"},
                     {"receipt", fmt::format("/v1/receipts/{}", (*model)->entry)}},
                    201);
  response.headers.emplace_back("Location", "/v1/model");
  return response;
}

Outcome<bool> wants_fresh(const Call& call) {
  UNSCATTER_TRY(body, optional_json_body(call.request));
  if (auto wrong = check_fields(body, {"fresh"})) return *std::move(wrong);
  return flag_field(body, "fresh");
}

}  // namespace

void get_model(Service& service, const CallPtr& call) {
  const auto model = service.writer().published();
  if (!model) return call->finish(no_model());
  HttpResponse response;
  response.body = model->text;
  response.headers.emplace_back("ETag", model->etag);
  call->finish(std::move(response));
}

void publish_model(Service& service, const CallPtr& call) {
  const auto fresh = wants_fresh(*call);
  if (!fresh.ok()) return call->finish(fresh.error());
  service.on_writer(call, [&service, call, fresh = *fresh](Workspace& workspace, RequestQueue& queue) {
    call->finish(release_model(
        service, workspace, [&queue] { queue.refresh_info(); }, fresh));
  });
}

void predict(Service& service, const CallPtr& call) { call->finish(predictions(service, *call)); }

}  // namespace unscatter::service
