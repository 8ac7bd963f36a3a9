// Rows that are embedded already: learn from them, forget one row and one person, publish.  docs/rows.md explains what
// the promise then rests on.  Build with `make build`, run build/release/examples/forget_a_row.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "unscatter/unscatter.h"

namespace {

using namespace unscatter;  // NOLINT(google-build-using-namespace): a program to read, not a library

constexpr std::size_t kColumns = 8;

// What a frozen network might give for 200 records of 50 people.
struct Embedded {
  std::vector<double> values;
  std::vector<std::string> labels;
  std::vector<std::string> ids;
  std::vector<std::string> people;
};

Embedded embedded_records() {
  Embedded records;
  Sequence random(1);
  for (std::size_t i = 0; i < 200; ++i) {
    const bool spam = i % 2 == 0;
    for (std::size_t k = 0; k < kColumns; ++k) {
      records.values.push_back(0.5 * (random.unit() - 0.5) + (spam && k < 2 ? 0.2 : 0.0));
    }
    records.labels.emplace_back(spam ? "spam" : "other");
    records.ids.push_back("record-" + std::to_string(i));
    records.people.push_back("person-" + std::to_string(i / 4));
  }
  return records;
}

Status forget_a_row() {
  const Embedded records = embedded_records();
  // Every row becomes a graph of one node, with the row as its attributes.
  UNSCATTER_TRY(data,
                dataset_from_rows("records", {records.values, kColumns, records.labels, records.ids, records.people}));
  TransformSpec rows;
  rows.family = "rows";
  UNSCATTER_TRY(embedder, make_embedder("attributes:" + std::to_string(kColumns), rows, data));
  UNSCATTER_TRY(session, Session::create(std::move(data), embedder, {}));

  UNSCATTER_CHECK_OK(session.forget(ForgetGraph{"record-17"}));
  UNSCATTER_TRY(certificate, session.forget(ForgetSubject{"person-3"}));
  std::printf("%zu rows are left; kept weights are within %.0e of a retrained model\n", session.graph_count(),
              certificate.distance_upper_bound);
  UNSCATTER_TRY(model, session.release());
  for (const ConstantOrigin& origin : model.promise.constants) {
    std::printf("  %s: %s\n", origin.name.c_str(), std::string(name(origin.kind)).c_str());
  }
  return ok_status();
}

}  // namespace

int main() {
  const Status status = forget_a_row();
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.error().message.c_str());
  return status.ok() ? 0 : 1;
}
