// One function per operation of docs/openapi.json.  Each answers its call exactly once, now or from another thread.
#pragma once

#include "service/call.h"

namespace unscatter::service {

class Service;

// handlers_session.cc
void open_session(Service& service, CallPtr call);
void get_session(Service& service, CallPtr call);
void close_session(Service& service, CallPtr call);
// handlers_requests.cc
void submit_request(Service& service, CallPtr call);
void submit_batch(Service& service, CallPtr call);
void list_requests(Service& service, CallPtr call);
void get_request(Service& service, CallPtr call);
// handlers_decisions.cc
void verify_request(Service& service, CallPtr call);
void refuse_request(Service& service, CallPtr call);
void cancel_request(Service& service, CallPtr call);
void extend_request(Service& service, CallPtr call);
void retry_request(Service& service, CallPtr call);
// handlers_preview.cc
void preview(Service& service, CallPtr call);
// handlers_workspace.cc
void get_status(Service& service, CallPtr call);
void get_statistics(Service& service, CallPtr call);
void get_events(Service& service, CallPtr call);
// handlers_ledger.cc
void list_ledger(Service& service, CallPtr call);
void get_entry(Service& service, CallPtr call);
void get_receipt(Service& service, CallPtr call);
void verify_receipt(Service& service, CallPtr call);
void get_key(Service& service, CallPtr call);
// handlers_model.cc
void get_model(Service& service, CallPtr call);
void publish_model(Service& service, CallPtr call);
void predict(Service& service, CallPtr call);
// handlers_subjects.cc
void list_subjects(Service& service, CallPtr call);
void get_subject(Service& service, CallPtr call);
// handlers_settings.cc
void get_policy(Service& service, CallPtr call);
void put_policy(Service& service, CallPtr call);
void list_webhooks(Service& service, CallPtr call);
void add_webhook(Service& service, CallPtr call);
void put_webhook(Service& service, CallPtr call);
void delete_webhook(Service& service, CallPtr call);
// handlers_operations.cc
void get_openapi(Service& service, CallPtr call);
void get_health(Service& service, CallPtr call);
void get_ready(Service& service, CallPtr call);
void get_metrics(Service& service, CallPtr call);

}  // namespace unscatter::service
