// The version of the embedding.
#pragma once

#include <cstdint>

namespace unscatter {

// Goes up when the same graph and the same constants give other numbers than before, in any feature block or transform.
// A kept model belongs to the embeddings that it was trained on.  So a workspace states this number, and a program with
// another one refuses it, instead of comparing weights with rows that they were never trained on.  A new block or a new
// transform changes no row that was there, and leaves the number as it is.
inline constexpr std::uint32_t kEmbeddingVersion = 1;

}  // namespace unscatter
