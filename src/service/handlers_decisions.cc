// What operators decide about a request.
#include <functional>
#include <utility>

#include "service/handlers.h"
#include "service/request_document.h"
#include "service/service.h"

namespace unscatter::service {
namespace {

using Decision = std::function<Result<QueuedRequest>(RequestQueue& queue, const RequestId& id, const std::string& actor,
                                                     RequestNote)>;

struct NoteRule {
  std::vector<RequestNote> allowed;       // none: there is no note
  std::optional<RequestNote> usual = {};  // without it the note is required
};

Outcome<RequestNote> note_of(const Call& call, const NoteRule& rule) {
  UNSCATTER_TRY(body, optional_json_body(call.request));
  if (auto wrong = rule.allowed.empty() ? check_fields(body, {}) : check_fields(body, {"note"}))
    return *std::move(wrong);
  UNSCATTER_TRY(text, text_field(body, {"note", 64, !rule.usual}));
  if (text.empty()) return *rule.usual;
  const auto note = parse_request_note(text);
  for (const RequestNote one : rule.allowed) {
    if (note.ok() && *note == one) return one;
  }
  return Refusal{.status = 422,
                 .detail = "This note has no place here; the document of the interface lists those that have."};
}

void decide(Service& service, const CallPtr& call, const NoteRule& rule, Decision decision) {
  const auto id = parse_request_id(call->parameters.at(0));
  if (!id.ok()) return call->finish(Refusal{.status = 404, .detail = "There is no such request."});
  auto note = note_of(*call, rule);
  if (!note.ok()) return call->finish(note.error());
  service.on_writer(
      call, [&service, call, id = *id, note = *note, decision = std::move(decision)](Workspace&, RequestQueue& queue) {
        const auto changed = decision(queue, id, call->principal.token, note);
        if (changed.ok()) {
          service.writer().tell(*changed);
          return call->finish(tagged_response(request_json(*changed, service.now())));
        }
        if (changed.error().code == ErrorCode::kNotFound) {
          return call->finish(Refusal{.status = 404, .detail = "There is no such request."});
        }
        if (changed.error().code == ErrorCode::kInvalidArgument) {
          return call->finish(
              Refusal{.status = 409, .detail = "The state or the due date of the request does not allow this."});
        }
        call->finish(refusal_of(changed.error()));
      });
}

}  // namespace

void verify_request(Service& service, const CallPtr& call) {
  using enum RequestNote;
  decide(service, call, {{kIdentityShown, kNone}, kIdentityShown},
         [](RequestQueue& queue, const RequestId& id, const std::string& actor, RequestNote note) {
           return queue.verify(id, actor, note);
         });
}

void refuse_request(Service& service, const CallPtr& call) {
  using enum RequestNote;
  decide(service, call, {{kIdentityNotShown, kMustBeKept, kExcessive}},
         [](RequestQueue& queue, const RequestId& id, const std::string& actor, RequestNote note) {
           return queue.refuse(id, actor, note);
         });
}

void cancel_request(Service& service, const CallPtr& call) {
  using enum RequestNote;
  decide(service, call, {{kWithdrawn, kMistake, kNone}, kWithdrawn},
         [](RequestQueue& queue, const RequestId& id, const std::string& actor, RequestNote note) {
           return queue.cancel(id, actor, note);
         });
}

void extend_request(Service& service, const CallPtr& call) {
  using enum RequestNote;
  decide(service, call, {{kComplex, kManyRequests}},
         [](RequestQueue& queue, const RequestId& id, const std::string& actor, RequestNote note) {
           return queue.extend(id, actor, note);
         });
}

void retry_request(Service& service, const CallPtr& call) {
  decide(service, call, {{}, RequestNote::kNone},
         [](RequestQueue& queue, const RequestId& id, const std::string& actor, RequestNote) {
           return queue.try_again(id, actor);
         });
}

}  // namespace unscatter::service
