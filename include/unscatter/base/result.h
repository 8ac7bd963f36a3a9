// Result<T>: a value or an Error.  Reading the wrong one is a broken invariant and not undefined behaviour.
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

#include "unscatter/base/error.h"
#include "unscatter/base/invariant.h"

namespace unscatter {

template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  // Implicit on purpose: `return value;` and `return Error{...};` are how functions end.
  // NOLINTBEGIN(google-explicit-constructor, bugprone-forwarding-reference-overload)
  // From anything that converts to T, so that a unique_ptr to a derived class can be returned as it is.
  template <typename U = T, typename = std::enable_if_t<std::is_convertible_v<U&&, T> &&
                                                        !std::is_same_v<std::remove_cvref_t<U>, Error> &&
                                                        !std::is_same_v<std::remove_cvref_t<U>, Result>>>
  Result(U&& value) : state_(std::in_place_index<0>, std::forward<U>(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  // NOLINTEND(google-explicit-constructor, bugprone-forwarding-reference-overload)

  [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  [[nodiscard]] T& value() & { return require_value(), *std::get_if<0>(&state_); }
  [[nodiscard]] const T& value() const& { return require_value(), *std::get_if<0>(&state_); }
  [[nodiscard]] T&& value() && { return require_value(), std::move(*std::get_if<0>(&state_)); }

  [[nodiscard]] const Error& error() const& {
    if (ok()) throw InvariantViolation("Result::error() on a value");
    return *std::get_if<1>(&state_);
  }
  [[nodiscard]] Error&& error() && {
    if (ok()) throw InvariantViolation("Result::error() on a value");
    return std::move(*std::get_if<1>(&state_));
  }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  void require_value() const {
    if (!ok()) throw InvariantViolation("Result::value() on an error: " + std::get_if<1>(&state_)->message);
  }

  std::variant<T, Error> state_;
};

// Success or failure without a value.
struct Unit {};
using Status = Result<Unit>;
[[nodiscard]] inline Status ok_status() { return Unit{}; }

// Both leave the enclosing function with the error of `expression` (a Result) if there is one.
//
//   UNSCATTER_TRY(graph, Graph::create(std::move(parts)));   // declares `auto graph`
//   UNSCATTER_CHECK_OK(write(graph));                        // a Result whose value is not needed
#define UNSCATTER_TRY(name, expression)                                 \
  auto name##_or_error = (expression);                                  \
  if (!name##_or_error.ok()) return std::move(name##_or_error).error(); \
  auto name = std::move(name##_or_error).value()

#define UNSCATTER_CHECK_OK(expression)                                                 \
  do {                                                                                 \
    if (auto status_ = (expression); !status_.ok()) return std::move(status_).error(); \
  } while (false)

}  // namespace unscatter
