// Graphs of a file one after the other.
#include "one_at_a_time.h"
#include "unscatter/graph/read.h"
#include "words.h"

namespace unscatter::python {
namespace {

// A stream that several Python threads may hold.  One reads at a time.
class LockedStream {
 public:
  static std::shared_ptr<LockedStream> open(const std::filesystem::path& path, bool symmetrise, std::size_t threads,
                                            const py::object& report) {
    auto made = std::make_shared<LockedStream>();
    PythonProgress progress(report);
    const RelayProgress::Turn turn(made->relay_, progress);
    const ReadOptions options{.limits = {}, .symmetrise = symmetrise, .threads = threads, .progress = &made->relay_};
    without_lock(progress, [&]() -> Status {
      UNSCATTER_TRY(stream, GraphStream::open(path, options));
      made->stream_.emplace(std::move(stream));
      return ok_status();
    });
    return made;
  }

  // (graph, label, id, number, place), or None at the end.
  py::object next() {
    turns_.refuse_its_own_functions();
    PythonProgress progress{py::none()};
    std::optional<StreamedGraph> found = without_lock(progress, [&] {
      const OneAtATime::Turn ours(turns_);
      const RelayProgress::Turn turn(relay_, progress);
      return stream_->next();
    });
    if (!found) return py::none();
    return py::make_tuple(std::make_shared<Graph>(std::move(found->graph)), std::move(found->label),
                          std::move(found->id), found->number, std::move(found->place));
  }

 private:
  OneAtATime turns_;
  RelayProgress relay_;
  std::optional<GraphStream> stream_;  // after the relay, which it points to
};

}  // namespace

void bind_streams(py::module_& module) {
  py::class_<LockedStream, std::shared_ptr<LockedStream>>(module, "CoreStream", "A file that is read graph by graph.")
      .def_static("open", &LockedStream::open)
      .def("next", &LockedStream::next);
}

}  // namespace unscatter::python
