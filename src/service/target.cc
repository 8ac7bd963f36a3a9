#include "service/target.h"

#include <optional>
#include <utility>

namespace unscatter::service {
namespace {

int digit_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

bool is_control(char byte) { return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f; }

// Nothing where it is not well formed.
std::optional<std::string> decoded(std::string_view text, bool plus_is_space) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char byte = text[i];
    if (byte == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = digit_value(text[i + 1]);
      const int low = digit_value(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      byte = static_cast<char>(high * 16 + low);
      i += 2;
    } else if (byte == '+' && plus_is_space) {
      byte = ' ';
    }
    if (is_control(byte)) return std::nullopt;
    plain.push_back(byte);
  }
  return plain;
}

Refusal bad(const char* detail) { return Refusal{.status = 400, .detail = detail}; }

// Calls `visit` with each piece between separators.
template <typename Visit>
bool all_pieces(std::string_view text, char separator, Visit visit) {
  while (true) {
    const std::size_t end = text.find(separator);
    if (!visit(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

bool read_path(std::string_view path, Target& target) {
  if (path == "/") return true;
  return all_pieces(path.substr(1), '/', [&target](std::string_view piece) {
    std::optional<std::string> segment = decoded(piece, false);
    if (!segment || segment->empty() || *segment == "." || *segment == "..") return false;
    target.path.push_back(*std::move(segment));
    return true;
  });
}

bool read_query(std::string_view query, Target& target) {
  return all_pieces(query, '&', [&target](std::string_view piece) {
    const std::size_t equals = piece.find('=');
    std::optional<std::string> name = decoded(piece.substr(0, equals), true);
    std::optional<std::string> value =
        decoded(equals == std::string_view::npos ? std::string_view() : piece.substr(equals + 1), true);
    return name && value && !name->empty() && target.query.emplace(*std::move(name), *std::move(value)).second;
  });
}

}  // namespace

Outcome<Target> parse_target(std::string_view text) {
  if (text.empty() || text.front() != '/') return bad("The target of a request begins with a slash.");
  Target target;
  const std::size_t question = text.find('?');
  if (!read_path(text.substr(0, question), target)) return bad("The path is not well formed.");
  if (question != std::string_view::npos && !read_query(text.substr(question + 1), target)) {
    return bad("The query is not well formed, or a name occurs twice in it.");
  }
  return target;
}

}  // namespace unscatter::service
