// What never changes in a workspace: everything that was public or chosen when it was created.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "embedding/embedding_version.h"
#include "unscatter/base/result.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/embedding/transform_spec.h"
#include "unscatter/unlearn/session_options.h"

namespace unscatter {

// Of the text.  Version 1 is what unscatter 0.1 wrote: it has no field `version`, and none of the keys that came later.
// What those keys would say is then what 0.1 did.  A workspace keeps its text for ever, because every ledger entry has
// its digest.
inline constexpr std::uint32_t kConstantsVersion = 2;

// What a removal may change is no constant of the workspace.  It stands with the model.  These are the fitted features
// and, unless they were stated, the classes.
struct Constants {
  std::string name;                      // of the data set
  std::vector<std::string> class_names;  // empty where they follow the data: options.classes is kPrivateFit
  std::string features;  // version 1: complete; later: as the user wrote them, for FeatureMap::restore()
  TransformSpec transform;
  SessionOptions options;  // threads and progress apart, which belong to whoever runs it
  std::uint32_t version = kConstantsVersion;
  std::uint32_t embedding_version = kEmbeddingVersion;
  ConstantKind fit = ConstantKind::kStated;  // what missing constants of features were computed from
};

// Canonical JSON.  Errors: kInvalidArgument for names that are not UTF-8, numbers that are not finite, and as
// check_options().
[[nodiscard]] Result<std::string> constants_text(const Constants& constants);
// Takes exactly what constants_text() gives.  Errors: kMalformedInput.
[[nodiscard]] Result<Constants> parse_constants(std::string_view text);

// The transform as it stands in constants and in published models.
[[nodiscard]] nlohmann::json transform_to_json(const TransformSpec& spec, std::uint32_t version);
// Throws nlohmann::json::exception where a value is missing or of another kind.  Errors: kMalformedInput.
[[nodiscard]] Status read_transform(const nlohmann::json& json, std::uint32_t version, TransformSpec& spec);

// All that can be said before the features are known.  Errors: those of the transform; kUnsupported for another version
// of the embedding.
[[nodiscard]] Status check_embedding(const Constants& constants);
// `features`: complete, as they stand with the model.  Errors: those of the feature map and the transform; kUnsupported
// for another version of the embedding.
[[nodiscard]] Result<std::shared_ptr<const Embedder>> make_embedder(const Constants& constants,
                                                                    std::string_view features);

}  // namespace unscatter
