#include "service/tokens.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/hex.h"
#include "unscatter/base/random.h"

namespace unscatter::service {
namespace {

constexpr std::string_view kPrefix = "unscatter_";
constexpr std::size_t kIdDigits = 16;
constexpr std::size_t kSecretDigits = 64;
constexpr std::size_t kTokenLength = kPrefix.size() + kIdDigits + 1 + kSecretDigits;

bool all_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char digit) { return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f'); });
}

// Empty: it does not look like a token.
std::string_view id_of(std::string_view text) {
  const bool whole =
      text.size() == kTokenLength && text.starts_with(kPrefix) && text[kPrefix.size() + kIdDigits] == '_';
  return whole ? text.substr(kPrefix.size(), kIdDigits) : std::string_view();
}

Digest secret_hash(std::string_view secret) {
  return Hasher().add(std::string_view("unscatter token 1")).add(secret).finish();
}

template <std::size_t kBytes>
std::string random_hex() {
  std::array<std::uint8_t, kBytes> bytes{};
  SecureRandom().fill(std::as_writable_bytes(std::span(bytes)));
  return to_hex(bytes);
}

Error system_error(const char* what) {
  return Error{ErrorCode::kIo,
               fmt::format("the token file cannot be {}: {}", what, std::generic_category().message(errno))};
}

Status check_mode(const std::filesystem::path& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) {
    if (errno == ENOENT) {
      return Error{ErrorCode::kNotFound,
                   fmt::format("there is no token file '{}'; 'unscatter token' makes one", path.string())};
    }
    return system_error("read");
  }
  if (!S_ISREG(about.st_mode) || (about.st_mode & (S_IWGRP | S_IRWXO)) != 0) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("the token file '{}' may be used by others; 'chmod 600' helps", path.string())};
  }
  return ok_status();
}

class File {
 public:
  File(const std::filesystem::path& path, int flags) : file_(open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  ~File() {
    if (file_ >= 0) close(file_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] int get() const { return file_; }

 private:
  int file_;
};

}  // namespace

Result<TokenTable> TokenTable::parse(std::string_view text) {
  TokenTable table;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    std::string id, scopes, hash, more;
    words >> id >> scopes >> hash;
    const auto parsed = parse_scopes(scopes);
    const auto digest = parse_digest(hash);
    const bool whole = id.size() == kIdDigits && all_hex(id) && parsed.ok() && digest.ok() && !(words >> more);
    if (!whole || !table.rows_.emplace(id, Row{whole ? *parsed : Scopes(), whole ? *digest : Digest()}).second) {
      return Error{ErrorCode::kMalformedInput,
                   fmt::format("line {} of the token file is not 'ID SCOPES HASH', or its id occurs twice", number)};
    }
  }
  return table;
}

Result<TokenTable> TokenTable::load(const std::filesystem::path& path) {
  UNSCATTER_CHECK_OK(check_mode(path));
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) return system_error("read");
  return parse(text);
}

std::optional<Token> TokenTable::find(std::string_view text) const {
  const std::string_view id = id_of(text);
  if (id.empty()) return std::nullopt;
  // An id that nobody has costs the same hash and the same comparison.
  static const Digest nobody = secret_hash("nobody");
  const auto row = rows_.find(id);
  const Digest& wanted = row == rows_.end() ? nobody : row->second.hash;
  const Digest given = secret_hash(text.substr(kTokenLength - kSecretDigits));
  const bool equal = sodium_memcmp(given.bytes.data(), wanted.bytes.data(), wanted.bytes.size()) == 0;
  if (!equal || row == rows_.end()) return std::nullopt;
  return Token{row->first, row->second.scopes};
}

std::string TokenTable::claimed_id(std::string_view text) const {
  const auto row = rows_.find(id_of(text));
  return row == rows_.end() ? std::string() : row->first;
}

std::optional<Token> TokenTable::by_id(const std::string& id) const {
  const auto row = rows_.find(id);
  if (row == rows_.end()) return std::nullopt;
  return Token{row->first, row->second.scopes};
}

NewToken make_token(const Scopes& scopes) {
  NewToken token;
  token.id = random_hex<kIdDigits / 2>();
  const std::string secret = random_hex<kSecretDigits / 2>();
  token.text = fmt::format("{}{}_{}", kPrefix, token.id, secret);
  token.line = fmt::format("{} {} {}\n", token.id, scopes.text(), secret_hash(secret).hex());
  return token;
}

Status append_token(const std::filesystem::path& path, const NewToken& token) {
  std::error_code unknown;
  const bool there = std::filesystem::exists(path, unknown);
  if (there) UNSCATTER_CHECK_OK(TokenTable::load(path));
  const File file(path, O_WRONLY | O_APPEND | (there ? 0 : O_CREAT | O_EXCL));
  if (file.get() < 0) return system_error("opened");
  const auto wrote = write(file.get(), token.line.data(), token.line.size());
  if (wrote != static_cast<ssize_t>(token.line.size()) || fsync(file.get()) != 0) return system_error("written");
  return ok_status();
}

}  // namespace unscatter::service
