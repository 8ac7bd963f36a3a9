// Parts of images: graphs whose nodes have positions in [0, 1]^2 and attributes in [0, 1] (image_shape.h has the
// symbols). Maps f are pooled to v on a G x G grid of windows of width W / G, and
//
//   columns = sign(v) sqrt(|v| / (0.001 + sum |v|))
//
// which has a norm below 1.  Columns: channel, then map, then window.  Colour images have three channels (C =
// 3), others one.  The form of the data says which; a graph of another form has 0, and so has a graph without
// positions.
//
// pixels:G:W       f = x.  C G^2 columns, G = 8.
// slopes:S:G:W     f = min(relu(g . (cos t, sin t)), 1), t = 2 pi k / 8, k = 0 .. 7, at scale s = S.  8 C G^2 columns,
//                  S = 0.07, G = 5.
// bends:S:G:W      q = M_rr cos^2 t + 2 M_rc cos t sin t + M_cc sin^2 t, t = pi k / 4, k = 0 .. 3; f = min(relu(q), 1)
// and
//                  f = min(relu(-q), 1), 8 maps: q_0, -q_0, q_1, ...  8 C G^2 columns, S = 0.07, G = 5.
// wavelets:S:G:W   the maps of slopes and then those of bends, together.  16 C G^2 columns, S = 0.07, G = 6, W = 0.6.
// texture:S:T:G:W  the 16 maps of slopes and bends of the first channel at scale S; of each the four maps relu(g_r),
//                  relu(-g_r), relu(g_c), relu(-g_c) at scale T, at most 1.  64 G^2 columns, S = 0.05, T = 0.12, G = 3.
// palette:G:W      colours as shares of 5 x 4 x 4 bins (last index fastest): soft(0, 1, 5) of (R+G+B)/3, soft(-1/2,
// 1/2, 4)
//                  of R-B, soft(-1/4, 1/4, 4) of G-(R+B)/2; grey images: soft(0, 1, 5).  80 G^2 columns (5 G^2 if
//                  grey), G = 2.
//
// W = 0.5 where nothing else is said.  Cost: O(n^2) exponentials per scale, O(n^2 C) for the moments, O(n maps G^2) for
// pooling.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "embedding/blocks/histograms.h"
#include "embedding/blocks/part.h"

namespace unscatter {
namespace {

constexpr PartConstant kScaleConstant = {"scale", 0.07, 1e-3, 10, false};
constexpr PartConstant kWidthConstant = {"width of windows", 0.5, 0.01, 100, false};
constexpr PartConstant grid_constant(double usual) { return {"windows per side", usual, 1, 64}; }
constexpr std::array kPixelsConstants = {grid_constant(8), kWidthConstant};
constexpr std::array kSlopesConstants = {kScaleConstant, grid_constant(5), kWidthConstant};
constexpr std::array kWaveletsConstants = {kScaleConstant, grid_constant(6),
                                           PartConstant{"width of windows", 0.6, 0.01, 100, false}};
constexpr std::array kTextureConstants = {PartConstant{"scale", 0.05, 1e-3, 10, false},
                                          PartConstant{"second scale", 0.12, 1e-3, 10, false}, grid_constant(3),
                                          kWidthConstant};
constexpr std::array kPaletteConstants = {grid_constant(2), kWidthConstant};
constexpr PartNeeds kImageNeeds = {.attributes = true, .positions = true};

// Where an image is flat, slopes and bends are rounding errors, and must not be blown up to a norm of 1.
constexpr double kFlatImage = 1e-3;
constexpr std::size_t kAngles = 8;
constexpr std::size_t kHalfAngles = 4;
constexpr std::size_t kGreyBins = 5;
constexpr std::size_t kHueBins = 4;

std::size_t image_channels(const DataForm& form) { return form.attributes >= 3 ? 3 : 1; }

struct Direction {
  double r;
  double c;
};
// (cos, sin) of `full` k / count.
template <std::size_t kCount>
std::array<Direction, kCount> directions_of(double full) {
  std::array<Direction, kCount> all{};
  for (std::size_t k = 0; k < kCount; ++k) {
    const double t = full * static_cast<double>(k) / static_cast<double>(kCount);
    all[k] = {std::cos(t), std::sin(t)};
  }
  return all;
}

double cut_map(double value) { return std::clamp(value, 0.0, 1.0); }

// The eight maps of one channel at one node.
void slope_maps(const double* g, const std::array<Direction, kAngles>& angles, double* maps) {
  for (std::size_t k = 0; k < kAngles; ++k) maps[k] = cut_map(g[0] * angles[k].r + g[1] * angles[k].c);
}
void bend_maps(const double* m, const std::array<Direction, kHalfAngles>& angles, double* maps) {
  for (std::size_t k = 0; k < kHalfAngles; ++k) {
    const auto [r, c] = angles[k];
    const double q = m[0] * r * r + 2 * m[1] * r * c + m[2] * c * c;
    maps[2 * k] = cut_map(q);
    maps[2 * k + 1] = cut_map(-q);
  }
}

// What all parts of images share: maps per node, pooled on a grid.
class ImagePart : public Part {
 public:
  // The last two of `constants` are those of the grid.
  ImagePart(std::size_t channels, std::size_t maps, std::span<const double> constants)
      : channels_(channels), maps_(maps), side_(whole(constants[constants.size() - 2])), window_(constants.back()) {}
  [[nodiscard]] std::size_t width() const noexcept final { return channels_ * maps_ * side_ * side_; }
  void draw(GraphShape& shape, double share, std::span<double> columns) const final {
    ImageShape& image = shape.image();
    // The form of the data says how many channels there are; a graph of another form has no image here.
    if (image.nodes() == 0 || image.channels() != image_channels_) return;
    const std::span<double> maps = shape.numbers(0, image.nodes() * channels_ * maps_);
    fill(shape, image, maps);
    image.pool(maps, channels_ * maps_, side_, window_, columns);
    double sum = kFlatImage;
    for (const double value : columns) sum += std::abs(value);
    const double factor = share / sum;
    for (double& value : columns) value = std::copysign(std::sqrt(std::abs(value) * factor), value);
  }

 protected:
  // One row per node, channels_ * maps_ numbers each.
  virtual void fill(GraphShape& shape, ImageShape& image, std::span<double> maps) const = 0;

  std::size_t channels_;
  std::size_t maps_;
  std::size_t side_;
  double window_;
  std::size_t image_channels_ = channels_;
};

class PixelsPart final : public ImagePart {
 public:
  PixelsPart(std::span<const double> constants, const DataForm& form) : ImagePart(image_channels(form), 1, constants) {}

 private:
  void fill(GraphShape&, ImageShape& image, std::span<double> maps) const override {
    std::copy_n(image.values().data(), maps.size(), maps.begin());
  }
};

class SlopesPart final : public ImagePart {
 public:
  SlopesPart(std::span<const double> constants, const DataForm& form)
      : ImagePart(image_channels(form), kAngles, constants), scale_(constants[0]) {}

 private:
  void fill(GraphShape&, ImageShape& image, std::span<double> maps) const override {
    const ImageShape::Wavelets& wavelets = image.wavelets(scale_);
    for (std::size_t k = 0; k < image.nodes() * channels_; ++k) {
      slope_maps(wavelets.gradients.data() + 2 * k, angles_, maps.data() + kAngles * k);
    }
  }

  double scale_;
  std::array<Direction, kAngles> angles_ = directions_of<kAngles>(2 * std::numbers::pi);
};

class BendsPart final : public ImagePart {
 public:
  BendsPart(std::span<const double> constants, const DataForm& form)
      : ImagePart(image_channels(form), 2 * kHalfAngles, constants), scale_(constants[0]) {}

 private:
  void fill(GraphShape&, ImageShape& image, std::span<double> maps) const override {
    const ImageShape::Wavelets& wavelets = image.wavelets(scale_);
    for (std::size_t k = 0; k < image.nodes() * channels_; ++k) {
      bend_maps(wavelets.bends.data() + 3 * k, angles_, maps.data() + 2 * kHalfAngles * k);
    }
  }

  double scale_;
  std::array<Direction, kHalfAngles> angles_ = directions_of<kHalfAngles>(std::numbers::pi);
};

class WaveletsPart final : public ImagePart {
 public:
  WaveletsPart(std::span<const double> constants, const DataForm& form)
      : ImagePart(image_channels(form), kAngles + 2 * kHalfAngles, constants), scale_(constants[0]) {}

 private:
  void fill(GraphShape&, ImageShape& image, std::span<double> maps) const override {
    const ImageShape::Wavelets& wavelets = image.wavelets(scale_);
    for (std::size_t k = 0; k < image.nodes() * channels_; ++k) {
      slope_maps(wavelets.gradients.data() + 2 * k, angles_, maps.data() + maps_ * k);
      bend_maps(wavelets.bends.data() + 3 * k, half_angles_, maps.data() + maps_ * k + kAngles);
    }
  }

  double scale_;
  std::array<Direction, kAngles> angles_ = directions_of<kAngles>(2 * std::numbers::pi);
  std::array<Direction, kHalfAngles> half_angles_ = directions_of<kHalfAngles>(std::numbers::pi);
};

class TexturePart final : public ImagePart {
 public:
  TexturePart(std::span<const double> constants, const DataForm& form)
      : ImagePart(1, 4 * kFirst, constants), first_scale_(constants[0]), second_scale_(constants[1]) {
    image_channels_ = image_channels(form);
  }

 private:
  static constexpr std::size_t kFirst = kAngles + 2 * kHalfAngles;

  void fill(GraphShape& shape, ImageShape& image, std::span<double> maps) const override {
    const std::size_t n = image.nodes();
    const ImageShape::Wavelets& wavelets = image.wavelets(first_scale_);
    const std::span<double> first = shape.numbers(1, n * kFirst);
    for (std::size_t i = 0; i < n; ++i) {
      slope_maps(wavelets.gradients.data() + 2 * i * image_channels_, angles_, first.data() + i * kFirst);
      bend_maps(wavelets.bends.data() + 3 * i * image_channels_, half_angles_, first.data() + i * kFirst + kAngles);
    }
    const std::span<double> gradients = shape.numbers(2, n * kFirst * 2);
    image.gradients_of(first, kFirst, second_scale_, gradients);
    for (std::size_t k = 0; k < n * kFirst; ++k) {
      maps[4 * k] = cut_map(gradients[2 * k]);
      maps[4 * k + 1] = cut_map(-gradients[2 * k]);
      maps[4 * k + 2] = cut_map(gradients[2 * k + 1]);
      maps[4 * k + 3] = cut_map(-gradients[2 * k + 1]);
    }
  }

  double first_scale_;
  double second_scale_;
  std::array<Direction, kAngles> angles_ = directions_of<kAngles>(2 * std::numbers::pi);
  std::array<Direction, kHalfAngles> half_angles_ = directions_of<kHalfAngles>(std::numbers::pi);
};

class PalettePart final : public ImagePart {
 public:
  PalettePart(std::span<const double> constants, const DataForm& form)
      : ImagePart(1, image_channels(form) == 3 ? kGreyBins * kHueBins * kHueBins : kGreyBins, constants) {
    image_channels_ = image_channels(form);
  }

 private:
  void fill(GraphShape&, ImageShape& image, std::span<double> maps) const override {
    for (std::size_t i = 0; i < image.nodes(); ++i) {
      const double* const x = image.values().data() + i * image_channels_;
      const std::span<double> bins = maps.subspan(i * maps_, maps_);
      if (image_channels_ == 1) {
        const Between grey(x[0], 1, kGreyBins);
        bins[grey.left] += grey.share(0);
        bins[grey.left + 1] += grey.share(1);
        continue;
      }
      add_to_grid(bins, Between(x[0], 1, kGreyBins), Between(x[1] + 0.5, 1, kHueBins),
                  Between(x[2] + 0.25, 0.5, kHueBins), kHueBins, kHueBins);
    }
  }
};

template <typename Made>
std::unique_ptr<const Part> make_image_part(std::span<const double> constants, const DataForm& form) {
  return std::make_unique<const Made>(constants, form);
}

}  // namespace

const PartKind kPixelsPart = {"pixels", kPixelsConstants, kImageNeeds, make_image_part<PixelsPart>};
const PartKind kSlopesPart = {"slopes", kSlopesConstants, kImageNeeds, make_image_part<SlopesPart>};
const PartKind kBendsPart = {"bends", kSlopesConstants, kImageNeeds, make_image_part<BendsPart>};
const PartKind kWaveletsPart = {"wavelets", kWaveletsConstants, kImageNeeds, make_image_part<WaveletsPart>};
const PartKind kTexturePart = {"texture", kTextureConstants, kImageNeeds, make_image_part<TexturePart>};
const PartKind kPalettePart = {"palette", kPaletteConstants, kImageNeeds, make_image_part<PalettePart>};

}  // namespace unscatter
