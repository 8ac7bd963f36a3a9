#include <zlib.h>

#include <limits>
#include <memory>

#include "service/gzip.h"

namespace unscatter::service {

std::optional<std::string> gzipped(std::string_view text) {
  if (text.size() > std::numeric_limits<uInt>::max()) return std::nullopt;
  z_stream stream{};
  constexpr int kGzipWindow = 15 + 16;  // zlib's way to ask for a gzip header
  constexpr int kLevel = 4;             // most of the gain for a third of the time of the default
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK) return std::nullopt;
  const std::unique_ptr<z_stream, void (*)(z_stream*)> end(&stream, [](z_stream* one) { deflateEnd(one); });
  std::string packed(text.size(), '\0');
  // zlib does not write to its input, but says so only in a later version.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) return std::nullopt;
  packed.resize(stream.total_out);
  return packed;
}

}  // namespace unscatter::service
