// Arguments that are arrays.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core.h"

namespace unscatter::python {

// Others are converted, by a copy.
using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Integers = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

[[noreturn]] inline void refuse(std::string sentence) {
  raise(Error{ErrorCode::kInvalidArgument, std::move(sentence)});
}

}  // namespace unscatter::python
