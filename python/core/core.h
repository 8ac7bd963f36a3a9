// What the files of the binding share: errors as exceptions, work without the interpreter's lock, views of arrays.
//
// The binding holds no method and no default of its own.  Every function converts its arguments, calls the public
// library and converts what comes back.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "unscatter/base/progress.h"
#include "unscatter/base/result.h"
#include "unscatter/graph/dataset.h"
#include "unscatter/graph/graph.h"
#include "unscatter/linalg/dense.h"

namespace unscatter::python {

namespace py = pybind11;

// Defined by the file of each part; module.cc calls them.
void bind_errors(py::module_& module);
void bind_graphs(py::module_& module);
void bind_datasets(py::module_& module);
void bind_embeddings(py::module_& module);
void bind_promises(py::module_& module);
void bind_models(py::module_& module);
void bind_sessions(py::module_& module);
void bind_audits(py::module_& module);
void bind_workspaces(py::module_& module);
void bind_streams(py::module_& module);
void bind_tuning(py::module_& module);

// The exception that belongs to the code of the error, not raised.  Needs the interpreter's lock.
[[nodiscard]] py::object exception_of(const Error& error);
// Raises the exception that belongs to the code of the error.  Needs the interpreter's lock.
[[noreturn]] void raise(const Error& error);

// The value, or the exception of its error.
template <typename T>
T value_or_raise(Result<T> result) {
  if (!result.ok()) raise(result.error());
  return std::move(result).value();
}

// A Python signal handler raised while the library was at work.
struct Interrupted : std::exception {
  [[nodiscard]] const char* what() const noexcept override { return "interrupted"; }
};

// Reports to a Python function f(stage, done, total), and looks for signals such as Ctrl-C.  Both are done by the
// thread that called the library, a few times per second: only Python's main thread runs signal handlers.  An
// exception of the handler or of the function leaves the library as Interrupted, by every thread that works.  The
// library promises that an operation which is left by an exception did not happen.
class PythonProgress final : public Progress {
 public:
  explicit PythonProgress(py::object report) : report_(std::move(report)) {}

  void begin(std::string_view stage, std::size_t total) override;
  void advance(std::size_t units) override;
  void end() override;
  // Looks at once, without a report: for the last moment at which nothing has happened yet.
  void look_for_signals();
  // Throws what was raised, if something was.  Needs the lock.
  void rethrow();

 private:
  // Calls `ask` with the interpreter's lock.  What it raises ends the work.
  template <typename Ask>
  void look(Ask ask);

  py::object report_;  // None: nobody wants to know
  std::optional<py::error_already_set> raised_;
  std::atomic<bool> stop_{false};
  std::atomic<std::size_t> done_{0};
  std::string stage_;
  std::size_t total_ = 0;
  std::thread::id owner_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
};

// Calls work() without the interpreter's lock.  Its Result becomes a value or an exception.
template <typename Work>
auto without_lock(PythonProgress& progress, Work work) {
  try {
    auto result = [&] {
      const py::gil_scoped_release unlocked;
      return work();
    }();
    // Readers tell every exception as an error of their file, also the one that asked them to stop.
    if (!result.ok()) progress.rethrow();
    // A signal that came at the very end is not lost: Python looks for it as soon as this returns.
    return value_or_raise(std::move(result));
  } catch (const Interrupted&) {
    progress.rethrow();
    throw;
  }
}
template <typename Work>
auto without_lock(Work work) {
  auto result = [&] {
    const py::gil_scoped_release unlocked;
    return work();
  }();
  return value_or_raise(std::move(result));
}

// A read-only array over memory that `owner` keeps alive.  Nothing is copied.
template <typename T>
py::array view(std::span<const T> values, std::vector<py::ssize_t> shape, const py::object& owner) {
  py::array_t<T> array(std::move(shape), values.data(), owner);
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

// An array that owns `values`.
template <typename T>
py::array_t<T> owned(std::vector<T> values) {
  auto* kept = new std::vector<T>(std::move(values));
  const py::capsule owner(kept, [](void* memory) { delete static_cast<std::vector<T>*>(memory); });
  return py::array_t<T>(static_cast<py::ssize_t>(kept->size()), kept->data(), owner);
}
// The same for a matrix, which is column major.
inline py::array_t<double> owned(Matrix values) {
  auto* kept = new Matrix(std::move(values));
  const py::capsule owner(kept, [](void* memory) { delete static_cast<Matrix*>(memory); });
  constexpr auto item = static_cast<py::ssize_t>(sizeof(double));
  return py::array_t<double>({kept->rows(), kept->cols()}, {item, item * kept->rows()}, kept->data(), owner);
}

// Graphs as Python has them.  A graph of a data set shares the memory of the data set.
using SharedGraph = std::shared_ptr<Graph>;
using SharedDataset = std::shared_ptr<Dataset>;

}  // namespace unscatter::python
