// Transforms and options by words, as the command line names them.  A word that is not given leaves the library's own.
#pragma once

#include <map>
#include <string>

#include "core.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/unlearn/session_options.h"

namespace unscatter::python {

// The words of an object, without those that are None.
[[nodiscard]] std::map<std::string, py::object> given_words(const py::dict& words);

// Raises: the value of an option or a constant is of a type that it does not take.
[[noreturn]] void refuse_value(const std::string& name, const py::handle& value);

// Takes words out of `given` one by one; what is left at the end is unknown.
class Words {
 public:
  explicit Words(const py::dict& words) : given_(given_words(words)) {}

  [[nodiscard]] bool has(const char* name) const { return given_.contains(name); }
  template <typename T>
  std::optional<T> take(const char* name) {
    const auto found = given_.find(name);
    if (found == given_.end()) return std::nullopt;
    try {
      T value = found->second.cast<T>();
      given_.erase(found);
      return value;
    } catch (const py::cast_error&) {
      refuse_value(name, found->second);
    }
  }
  template <typename T>
  void set(const char* name, T& member) {
    if (auto value = take<T>(name)) member = std::move(*value);
  }
  template <typename T>
  void set(const char* name, std::optional<T>& member) {
    if (auto value = take<T>(name)) member = std::move(*value);
  }
  template <typename T, typename Parse>
  void parse(const char* name, T& member, Parse parse_text) {
    if (const auto text = take<std::string>(name)) member = value_or_raise(parse_text(std::string_view(*text)));
  }
  // Raises unless nothing is left.
  void finish() const;

 private:
  std::map<std::string, py::object> given_;
};

// An embedding, and where its constants come from.
struct NamedTransform {
  TransformSpec spec;
  bool built_in = true;  // false: the user stated some of them
};

// `embedding`: None, or a text that parse_embedding() reads.  `fields`: constants of the transform by name.
[[nodiscard]] NamedTransform make_named_transform(const py::object& embedding, const py::dict& fields);
// All constants by name; make_named_transform(None, ...) gives the transform back.
[[nodiscard]] py::dict transform_fields(const TransformSpec& spec);

// What `unscatter train` would use with the same words.
[[nodiscard]] SessionOptions make_options(const NamedTransform& transform, const py::dict& given);
// What `unscatter retrain` would: words that are not given stay those of `before`.  No transform: it stays the same.
[[nodiscard]] SessionOptions make_options_again(const SessionOptions& before,
                                                const std::optional<NamedTransform>& transform, const py::dict& given);

// The options by name; make_options() with these words gives them back.  What the mechanism does not use is left out.
[[nodiscard]] py::dict option_words(const SessionOptions& options);

// The same features, or an error: a recipe has none of its user's but the form of the data.
[[nodiscard]] std::string stated_features(std::string features, const TransformSpec& spec);
// `features`, or those that go with the transform.  Rows have the width of the data.
[[nodiscard]] std::string features_or_usual(const py::object& features, const NamedTransform& transform,
                                            const Dataset& dataset);
// Raises if two graphs have one external id: a request that names it would leave one of them.  Readers of files say the
// same.  Without an id is the empty text.
void refuse_ids_that_occur_twice(const Dataset& dataset);
// Where missing constants come from: None (the library's own choice), "none", "private", "once", or the data set that
// is declared public, which must live as long as the source.
[[nodiscard]] FitSource fit_source(const py::object& fit);

// Forwards to the progress of the call that is running.  A session keeps a pointer to it for as long as it lives.
class RelayProgress final : public Progress {
 public:
  void begin(std::string_view stage, std::size_t total) override {
    if (now_ != nullptr) now_->begin(stage, total);
  }
  void advance(std::size_t units) override {
    if (now_ != nullptr) now_->advance(units);
  }
  void end() override {
    if (now_ != nullptr) now_->end();
  }
  // For the length of one call.
  class Turn {
   public:
    Turn(RelayProgress& relay, Progress& now) : relay_(relay) { relay_.now_ = &now; }
    ~Turn() { relay_.now_ = nullptr; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    RelayProgress& relay_;
  };

 private:
  Progress* now_ = nullptr;
};

}  // namespace unscatter::python
