// Outcome<T>: a value, or the reason why a client gets none.
//
// A Refusal is not an Error on purpose.  Sentences of an Error may name a graph, a node or a person.  Those of a Refusal
// go to clients and repeat nothing that was sent.  refusal_of() is the only way from one to the other.
// UNSCATTER_TRY works with both.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "unscatter/base/error.h"
#include "unscatter/base/invariant.h"

namespace unscatter::service {

struct Refusal {
  int status = 500;
  std::string detail = {};                  // one sentence
  std::optional<int> retry_after = {};      // seconds
  std::optional<std::size_t> request = {};  // of several: the place of the one that is wrong
  std::string allow = {};                   // with 405: the methods that there are
};

// What a client may hear about an error of the library: its kind, in words of our own.
[[nodiscard]] Refusal refusal_of(const Error& error);

template <typename T>
class [[nodiscard]] Outcome {
 public:
  // Implicit on purpose, as in Result.
  // NOLINTBEGIN(google-explicit-constructor)
  template <typename U = T, typename = std::enable_if_t<std::is_convertible_v<U&&, T> &&
                                                        !std::is_same_v<std::remove_cvref_t<U>, Refusal> &&
                                                        !std::is_same_v<std::remove_cvref_t<U>, Outcome>>>
  Outcome(U&& value) : state_(std::in_place_index<0>, std::forward<U>(value)) {}
  Outcome(Refusal refusal) : state_(std::in_place_index<1>, std::move(refusal)) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
  [[nodiscard]] T& value() & { return require(ok()), *std::get_if<0>(&state_); }
  [[nodiscard]] const T& value() const& { return require(ok()), *std::get_if<0>(&state_); }
  [[nodiscard]] T&& value() && { return require(ok()), std::move(*std::get_if<0>(&state_)); }
  [[nodiscard]] const Refusal& error() const& { return require(!ok()), *std::get_if<1>(&state_); }
  [[nodiscard]] Refusal&& error() && { return require(!ok()), std::move(*std::get_if<1>(&state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  static void require(bool holds) {
    if (!holds) throw InvariantViolation("the other side of an Outcome was read");
  }
  std::variant<T, Refusal> state_;
};

}  // namespace unscatter::service
