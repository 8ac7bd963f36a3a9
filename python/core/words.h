// Transforms and options by words, as the command line names them.  A word that is not given leaves the library's own.
#pragma once

#include <string>

#include "core.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/unlearn/session_options.h"

namespace unscatter::python {

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
[[nodiscard]] SessionOptions make_options(const NamedTransform& transform, const py::dict& words);

// `features`, or those that go with the transform.  Rows have the width of the data.
[[nodiscard]] std::string features_or_usual(const py::object& features, const NamedTransform& transform,
                                            const Dataset& dataset);
[[nodiscard]] FitSource fit_source(const std::string& text);

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
