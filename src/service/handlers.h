// One function per operation of docs/openapi.json.  Each answers its call exactly once, now or from another thread.
#pragma once

#include "service/call.h"

namespace unscatter::service {

class Service;

// handlers_session.cc
void open_session(Service& service, const CallPtr& call);
void get_session(Service& service, const CallPtr& call);
void close_session(Service& service, const CallPtr& call);
// handlers_requests.cc
void submit_request(Service& service, const CallPtr& call);
void submit_batch(Service& service, const CallPtr& call);
void list_requests(Service& service, const CallPtr& call);
void get_request(Service& service, const CallPtr& call);
// handlers_decisions.cc
void verify_request(Service& service, const CallPtr& call);
void refuse_request(Service& service, const CallPtr& call);
void cancel_request(Service& service, const CallPtr& call);
void extend_request(Service& service, const CallPtr& call);
void retry_request(Service& service, const CallPtr& call);
// handlers_preview.cc
void preview(Service& service, const CallPtr& call);
// handlers_workspace.cc
void get_status(Service& service, const CallPtr& call);
void get_statistics(Service& service, const CallPtr& call);
void get_events(Service& service, const CallPtr& call);
// handlers_ledger.cc
void list_ledger(Service& service, const CallPtr& call);
void get_entry(Service& service, const CallPtr& call);
void get_receipt(Service& service, const CallPtr& call);
void verify_receipt(Service& service, const CallPtr& call);
void get_key(Service& service, const CallPtr& call);
// handlers_model.cc
void get_model(Service& service, const CallPtr& call);
void publish_model(Service& service, const CallPtr& call);
void predict(Service& service, const CallPtr& call);
// handlers_subjects.cc
void list_subjects(Service& service, const CallPtr& call);
void get_subject(Service& service, const CallPtr& call);
// handlers_settings.cc
void get_policy(Service& service, const CallPtr& call);
void put_policy(Service& service, const CallPtr& call);
void list_webhooks(Service& service, const CallPtr& call);
void add_webhook(Service& service, const CallPtr& call);
void put_webhook(Service& service, const CallPtr& call);
void delete_webhook(Service& service, const CallPtr& call);
// handlers_operations.cc
void get_openapi(Service& service, const CallPtr& call);
void get_health(Service& service, const CallPtr& call);
void get_ready(Service& service, const CallPtr& call);
void get_metrics(Service& service, const CallPtr& call);

}  // namespace unscatter::service
