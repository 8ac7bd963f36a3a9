#include "store/models_before.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "store/tables.h"

namespace unscatter {

Result<std::vector<ModelsBefore>> models_before(const Database& database, const Contents& contents) {
  std::vector<ModelsBefore> before;
  if (contents.chain.last.published == 0) return before;
  UNSCATTER_TRY(first, read_entry(database, 0));
  UNSCATTER_TRY(creation, parse_ledger_text(first.body));
  // A removed graph keeps its slot.
  const std::size_t slots = contents.tree.leaves();
  if (slots == creation.graphs) return before;
  std::size_t added = 0;
  std::size_t counted = 0;
  // With the number of graphs that had been added by then in place of slots.
  const auto end_of_models = [&](std::size_t published) {
    if (published > counted) before.push_back({added, published - counted});
    counted = published;
  };
  // Those of earlier trainings.
  end_of_models(creation.published);
  UNSCATTER_CHECK_OK(visit_entries(database, [&](std::size_t, const LedgerRow& row) -> Status {
    // Entries of other kinds are the many.  Canonical JSON has one spelling, so they need not be parsed to be passed
    // over.
    if (row.body.find(R"("kind":"added")") == std::string::npos) return ok_status();
    UNSCATTER_TRY(record, parse_ledger_text(row.body));
    end_of_models(record.published);
    added += record.graphs_added;
    return ok_status();
  }));
  // A creation may have had more slots than graphs: level everyone drops graphs before it trains.
  for (ModelsBefore& group : before) group.slots += slots - std::min(slots, added);
  return before;
}

}  // namespace unscatter
