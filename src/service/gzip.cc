#include "service/gzip.h"

#include <algorithm>
#include <cctype>
#include <string>

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

}  // namespace unscatter::service
