// The graphs that a removal touches, as they are, with what goes.
#pragma once

#include <cstddef>

#include "service/json_body.h"
#include "service/outcome.h"
#include "unscatter/store/workspace.h"

namespace unscatter::service {

// Bounds of what one answer shows.
inline constexpr std::size_t kMostPictures = 16;
inline constexpr std::size_t kMostPictureNodes = 400;   // of one graph
inline constexpr std::size_t kMostPictureEdges = 2000;

struct Pictures {
  Json list = Json::array();
  std::size_t left_out = 0;  // touched graphs that are not shown
};
[[nodiscard]] Outcome<Pictures> pictures_of(const Workspace& workspace, const Workspace::Removal& removal);

}  // namespace unscatter::service
