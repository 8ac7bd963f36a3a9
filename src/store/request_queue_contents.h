// All of a queue as its tables say it, read and held against the signed summary.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "store/contents.h"
#include "store/request_queue_rows.h"
#include "store/request_queue_texts.h"
#include "unscatter/base/result.h"

namespace unscatter {

// A request that is not finished.
struct OpenRequest {
  std::shared_ptr<const QueuedRequest> request;  // with its text
  std::uint64_t slot = 0;                        // of its key
  Digest text_digest;                            // of the text as it is enciphered
  Digest seal;                                   // of its row
};

struct QueueContents {
  QueueSummary summary;
  std::map<std::uint64_t, OpenRequest> open;  // by number
  std::map<std::int64_t, DayRow> days;
  TextKeys keys;
  std::uint64_t finished = 0;
  std::uint64_t pending_events = 0;
};

// Reads every row, checks every seal, and that all rows together are those that were signed.  Open requests are kept.
// `see_finished`, unless null, is shown the others.  Errors: kMalformedInput.
[[nodiscard]] Result<QueueContents> read_queue(const Database& database, const Identity& identity,
                                               const std::function<Status(const QueuedRequest&)>& see_finished = {});

// For `check` and `verify`: the same, and that requests that are done are in the ledger (invariant 14).  Returns words,
// none for a file without a queue, or what is wrong.
[[nodiscard]] Result<std::string> check_queue(const Database& database, const Contents& contents);

}  // namespace unscatter
