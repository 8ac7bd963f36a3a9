#include <array>

#include "core.h"

namespace unscatter::python {
namespace {

struct NamedCode {
  ErrorCode code;
  const char* name;
  const char* about;
  PyObject* also;  // the built-in exception that callers may expect, as scikit-learn does
};

// One exception per code.  They live as long as the module.
std::vector<NamedCode> codes() {
  return {
      {ErrorCode::kInvalidArgument, "InvalidArgument", "An argument or an option makes no sense here.",
       PyExc_ValueError},
      {ErrorCode::kNotFound, "NotFound", "There is no such file, graph, node, person or entry.", PyExc_LookupError},
      {ErrorCode::kMalformedInput, "MalformedInput", "A file or a text is not what it should be.", PyExc_ValueError},
      {ErrorCode::kLimitExceeded, "LimitExceeded",
       "It would exceed a guarantee, a count of published models, or a size.", PyExc_RuntimeError},
      {ErrorCode::kIo, "IoError", "A file could not be read or written.", PyExc_OSError},
      {ErrorCode::kNotConverged, "NotConverged", "Training did not reach its goal.", PyExc_ArithmeticError},
      {ErrorCode::kFrameCondition, "FrameCondition", "A bank of wavelets does not let all signals through.",
       PyExc_ValueError},
      {ErrorCode::kUnsupported, "Unsupported", "It cannot be done in this way, or what was given cannot be kept.",
       PyExc_ValueError},
      {ErrorCode::kUnavailable, "Unavailable", "Another process uses the file, or the work was ended from outside.",
       PyExc_RuntimeError},
      {ErrorCode::kOutdated, "Outdated",
       "A workspace file is older than its record; Workspace.replay() brings it up to date.", PyExc_RuntimeError}};
}

std::array<PyObject*, 10>& exceptions() {
  static std::array<PyObject*, 10> made{};
  return made;
}
PyObject*& base_exception() {
  static PyObject* made = nullptr;
  return made;
}

constexpr auto kLookInterval = std::chrono::milliseconds(100);

}  // namespace

void bind_errors(py::module_& module) {
  base_exception() = PyErr_NewExceptionWithDoc(
      "unscatter.Error",
      "Everything that this package raises itself.  `code` is the name of its kind, and `request` the place of the\n"
      "request that it is about, from 0, where several were given.",
      nullptr, nullptr);
  py::object base = py::reinterpret_borrow<py::object>(base_exception());
  base.attr("code") = "";
  base.attr("request") = py::none();
  module.attr("Error") = base;
  for (const NamedCode& named : codes()) {
    const std::string full = std::string("unscatter.") + named.name;
    const py::tuple bases = py::make_tuple(base, py::reinterpret_borrow<py::object>(named.also));
    PyObject* made = PyErr_NewExceptionWithDoc(full.c_str(), named.about, bases.ptr(), nullptr);
    if (made == nullptr) throw py::error_already_set();
    exceptions().at(static_cast<std::size_t>(named.code)) = made;
    py::object exception = py::reinterpret_borrow<py::object>(made);
    exception.attr("code") = std::string(error_code_name(named.code));
    module.attr(named.name) = exception;
  }
  // A broken invariant is a fault of this package and never of its user.
  const py::tuple bases = py::make_tuple(base, py::reinterpret_borrow<py::object>(PyExc_RuntimeError));
  py::object violation = py::register_exception<InvariantViolation>(module, "InvariantViolation", bases);
  violation.attr("__doc__") = "A fault of this package, and never of its user.";
  violation.attr("code") = "invariant-violation";
}

py::object exception_of(const Error& error) {
  PyObject* type = exceptions().at(static_cast<std::size_t>(error.code));
  py::object exception = py::reinterpret_borrow<py::object>(type)(error.message);
  if (error.request) exception.attr("request") = *error.request;
  return exception;
}

void raise(const Error& error) {
  const py::object exception = exception_of(error);
  PyErr_SetObject(exceptions().at(static_cast<std::size_t>(error.code)), exception.ptr());
  throw py::error_already_set();
}

void PythonProgress::begin(std::string_view stage, std::size_t total) {
  // Stages follow one another on the calling thread.
  stage_ = stage;
  total_ = total;
  done_ = 0;
  advance(0);
}

void PythonProgress::advance(std::size_t units) {
  done_.fetch_add(units, std::memory_order_relaxed);
  if (stop_.load(std::memory_order_relaxed)) throw Interrupted();
  if (std::this_thread::get_id() != owner_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kLookInterval;
  look([this] {
    if (!report_.is_none()) report_(stage_, done_.load(), total_);
  });
}

void PythonProgress::look_for_signals() {
  look([] {});
}

template <typename Ask>
void PythonProgress::look(Ask ask) {
  const py::gil_scoped_acquire locked;
  try {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    ask();
  } catch (py::error_already_set& error) {
    raised_.emplace(std::move(error));
    stop_ = true;
    throw Interrupted();
  }
}

// Runs in destructors of the library, so nothing may be thrown.
void PythonProgress::end() { total_ = 0; }

void PythonProgress::rethrow() {
  if (raised_) {
    py::error_already_set error(std::move(*raised_));
    raised_.reset();
    throw error;
  }
}

}  // namespace unscatter::python
