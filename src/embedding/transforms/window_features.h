// Signals by place, as random Fourier features: for graphs whose nodes have positions, as those of an image.
//
//   v     one number per channel and window: the mean of the signal near the window, on a grid of windows over [0, 1]^2
//   z     (cos(w_j.v), sin(w_j.v)) / sqrt(D/2) for j = 1, ..., D/2, so |z| = 1 and z.z' is near exp(-|v - v'|^2 h^2/2)
//
// Windows overlap: a node counts for the four nearest centres, by bilinear weights.  The frequencies w_j ~ N(0, h^2 I)
// come from a fixed stream that looks at no data [Rahimi07].  Columns: all cosines, then all sines.
#pragma once

#include <cstddef>
#include <memory>

#include "unscatter/base/result.h"
#include "unscatter/embedding/transform.h"

namespace unscatter {

struct WindowOptions {
  std::size_t side = 10;       // windows per side, 1 to 64
  std::size_t features = 800;  // D, even, 2 to 65536
  double sharpness = 1.0;      // h > 0: how fast the similarity of two graphs falls with |v - v'|
};

// The transform asks every graph for positions (kUnsupported without).  Positions outside of [0, 1] count as on the
// edge.  Errors: kInvalidArgument outside the ranges above.
[[nodiscard]] Result<std::unique_ptr<Transform>> make_window_features(const WindowOptions& options);

}  // namespace unscatter
