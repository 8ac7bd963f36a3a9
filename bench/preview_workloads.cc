// preview-*: what a preview costs, and what it costs the removal after it.
//
// Three sessions of the same data take turns.  The first only removes.  The second previews every removal first: what
// it then removes was found already.  The third previews a removal that never comes: what is kept must still serve the
// one that comes.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "measure.h"
#include "paper_data.h"
#include "unscatter/base/random.h"
#include "unscatter/unlearn/session.h"

namespace unscatter::bench {
namespace {

constexpr std::size_t kPreviewRemovals = 100;

void run_preview(const PaperData& data, const BenchSettings& settings, const Reporter& report) {
  const TrainingPart part = training_part(data, settings);
  const Dataset& train = part.dataset;
  SessionOptions options;
  options.regularisation = data.regularisation;
  options.threads = settings.threads;
  const auto make_session = [&] { return or_fail(Session::create(train, part.embedder, options)); };
  Session plain = make_session();
  Session previewed = make_session();
  Session misled = make_session();

  Sequence random(1);
  Samples removal;
  Samples both;
  Samples after_another;
  const std::size_t count = std::min(train.size() - 1, settings.removals.value_or(kPreviewRemovals));
  for (std::size_t g = 0; g < count; ++g) {
    const RemovalRequest request = ForgetNode{g, random.below(train.graphs[g].node_count())};
    const RemovalRequest another = ForgetNode{g + 1, random.below(train.graphs[g + 1].node_count())};
    removal.measure([&] { (void)or_fail(plain.forget(request)); });
    both.measure([&] {
      (void)or_fail(previewed.preview({&request, 1}));
      (void)or_fail(previewed.forget(request));
    });
    (void)or_fail(misled.preview({&another, 1}));
    after_another.measure([&] { (void)or_fail(misled.forget(request)); });
  }
  for (const Session* session : {&plain, &previewed, &misled}) {
    if (!session->evaluate().satisfied) throw std::runtime_error("a session does not meet its guarantee at the end");
  }
  Json result = both.removals(std::string("preview-") + data.name);
  const double one = removal.quantile(0.5);
  result["removal_p50_seconds"] = one;
  result["ratio"] = both.quantile(0.5) / one;
  result["after_another_p50_seconds"] = after_another.quantile(0.5);
  result["after_another_ratio"] = after_another.quantile(0.5) / one;
  result["remark"] =
      fmt::format("preview and removal {:.2f} times a removal; a removal after another's preview {:.2f} times",
                  result["ratio"].get<double>(), result["after_another_ratio"].get<double>());
  report(result);
}

}  // namespace

std::vector<Workload> preview_workloads() {
  return workloads_on_paper_data(
      "preview",
      [](const PaperData&) {
        return fmt::format("a preview and its removal against a removal alone, {} times", kPreviewRemovals);
      },
      run_preview);
}

}  // namespace unscatter::bench
