// Promise, certificate, exposure and ledger entries in sentences and as JSON, in the words of the command line.
#pragma once

#include <string>

#include "service/json_body.h"
#include "unscatter/store/ledger_record.h"
#include "unscatter/store/workspace.h"
#include "unscatter/unlearn/certificate.h"
#include "unscatter/unlearn/prepared_removal.h"
#include "unscatter/unlearn/promise.h"
#include "unscatter/unlearn/words.h"

namespace unscatter::service {

[[nodiscard]] std::string promise_words(const Promise& promise);
[[nodiscard]] std::string protection_words(const SessionOptions& options);
[[nodiscard]] std::string certificate_words(const Certificate& certificate);
[[nodiscard]] std::string cost_words(const Certificate& certificate);
[[nodiscard]] std::string edits_words(const EditCounts& edits);
[[nodiscard]] std::string entry_words(const LedgerRecord& record);

// As the program prints it with --json.
[[nodiscard]] Json certificate_json(const Certificate& certificate);
[[nodiscard]] Json edits_json(const EditCounts& edits);
[[nodiscard]] Json exposure_json(const Exposure& exposure, const Promise& promise);

}  // namespace unscatter::service
