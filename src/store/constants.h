// What never changes in a workspace: everything that was public or chosen when it was created.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "unscatter/base/result.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/embedding/transform_spec.h"
#include "unscatter/unlearn/session_options.h"

namespace unscatter {

struct Constants {
  std::string name;  // of the data set
  std::vector<std::string> class_names;
  std::string features;  // complete, as FeatureMap::parse() reads it
  TransformSpec transform;
  SessionOptions options;  // threads and progress apart, which belong to whoever runs it
};

// Canonical JSON.  Errors: kInvalidArgument for names that are not UTF-8, numbers that are not finite, and as
// check_options().
[[nodiscard]] Result<std::string> constants_text(const Constants& constants);
// Takes exactly what constants_text() gives.  Errors: kMalformedInput.
[[nodiscard]] Result<Constants> parse_constants(std::string_view text);

// Errors: those of the feature map and the transform.
[[nodiscard]] Result<std::shared_ptr<const Embedder>> make_embedder(const Constants& constants);

}  // namespace unscatter
