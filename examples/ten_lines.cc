// The shortest program that learns, forgets and publishes.  Build with `make build`, run
// build/release/examples/ten_lines.  examples/forget_a_user.cc explains the steps.
//
// README.md shows the lines between the two marks; tests/build/check_readme_test.sh compares them.
// NOLINTBEGIN(google-build-using-namespace,google-global-names-in-headers): a program to read, not a library
// [README
#include <unscatter/unscatter.h>

#include <cstdio>
using namespace unscatter;

Status forget_a_user() {
  UNSCATTER_TRY(groups, generate_interest_groups({}));  // or read_dataset("groups.jsonl")
  UNSCATTER_TRY(embedder, make_embedder("degree-onehot:32", {}, groups));
  UNSCATTER_TRY(session, Session::create(std::move(groups), embedder, {}));  // trains
  UNSCATTER_TRY(certificate, session.forget(ForgetSubject{"user-00042"}));   // in every group
  UNSCATTER_TRY(model, session.release());                                   // adds fresh noise
  std::printf("kept weights are within %.0e of a retrained model\n", certificate.distance_upper_bound);
  std::printf("published: model %zu of %zu\n", model.release_number, session.options().releases);
  return ok_status();
}
// README]
// NOLINTEND(google-build-using-namespace,google-global-names-in-headers)

int main() {
  const Status status = forget_a_user();
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.error().message.c_str());
  return status.ok() ? 0 : 1;
}
