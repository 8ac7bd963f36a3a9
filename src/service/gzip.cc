#include "service/gzip.h"

#include <zlib.h>

#include <cctype>
#include <limits>
#include <memory>

namespace unscatter::service {
namespace {

std::string without_spaces(std::string_view text) {
  std::string plain;
  for (const char byte : text) {
    if (byte != ' ' && byte != '\t') plain.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(byte))));
  }
  return plain;
}

// ";q=0", ";q=0.0", ...
bool is_zero_weight(std::string_view parameters) {
  return parameters.starts_with(";q=0") && parameters.find_first_not_of("0.", 3) == std::string_view::npos;
}

}  // namespace

bool accepts_gzip(std::string_view accept_encoding) {
  const std::string plain = without_spaces(accept_encoding);
  std::string_view rest = plain;
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(','));
    const std::string_view name = one.substr(0, one.find(';'));
    if (name == "gzip") return !is_zero_weight(one.substr(name.size()));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
  }
  return false;
}

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
