// Certificates and ledger entries in words and as JSON, the same for every subcommand that shows one.
#pragma once

#include <cstddef>
#include <string>

#include "output.h"
#include "unscatter/store/ledger_record.h"
#include "unscatter/store/promise_text.h"
#include "unscatter/store/receipt.h"
#include "unscatter/unlearn/certificate.h"
#include "unscatter/unlearn/prepared_removal.h"
#include "unscatter/unlearn/promise.h"
#include "unscatter/unlearn/request.h"
#include "unscatter/unlearn/words.h"

namespace unscatter::cli {

// "7 edited, 1 removed, 492 left"
[[nodiscard]] std::string graphs_words(std::size_t edited, std::size_t removed, std::size_t left);
// What a rung did: "fast: a step with the kept factor, no other graph looked at".  `binding`: the bound that holds at
// its end.
[[nodiscard]] std::string rung_words(Rung rung, std::size_t newton_steps, ResidualBound binding);
// "(epsilon, delta) = (1, 1e-08), by noise of 0.03 on every published model"
[[nodiscard]] std::string guarantee_words(const Promise& promise);
// "at most 3.1e-10 from those of training from scratch; published models use 0.002 % of what they may"
[[nodiscard]] std::string distance_words(double distance_upper_bound, double shift_upper_bound, double shift_limit);

// Of a state under this promise.  Level everyone: what one subject may move, in place of the share of the noise.
[[nodiscard]] std::string distance_words(const Promise& promise, double distance_upper_bound, double shift_upper_bound);
[[nodiscard]] Json exposure_json(const Exposure& exposure);

// Rows for a two-column table: what is promised, how far from retraining, how it was done.
void add_certificate_rows(Table& table, const Certificate& certificate);
void add_certificate_rows(Table& table, const LedgerRecord& record);

// What earlier counts of published models mean for the promise, if there are any.
void add_earlier_rows(Table& table, const Promise& promise);
// What a function that made rows outside costs, if it learned from private data.
void add_embedding_rows(Table& table, const Promise& promise);

[[nodiscard]] Json counts_json(const RequestCounts& counts);
// Sets the promise's fields of `document`.  Those that are there already, null for instance, keep their places.
void fill_in_promise(Json& document, const Promise& promise, const PromiseParts& parts);
[[nodiscard]] Json certificate_json(const Certificate& certificate);
// The entry as the ledger spells it, and its hash.
[[nodiscard]] Json entry_json(const LedgerRecord& record);
// The receipt's own document, in one line.
[[nodiscard]] std::string compact_receipt(const Receipt& receipt);

}  // namespace unscatter::cli
