// Bearer tokens, and the file that knows their hashes.
//
// A token is "unscatter_ID_SECRET": an id of 16 digits, which logs and histories may show, and 64 digits of secret. The
// file has one line per token, "ID SCOPES HASH", and empty lines and lines that begin with # besides.  HASH is a
// BLAKE2b digest of the secret.  The secret has 256 random bits, so a slow hash would add nothing: nobody can try them
// all.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "service/scopes.h"
#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"

namespace unscatter::service {

struct Token {
  std::string id;
  Scopes scopes;
};

// Immutable, so that any number of threads may ask while a new one is read.
class TokenTable {
 public:
  TokenTable() = default;
  // Errors: kMalformedInput, naming the line and never its content.
  [[nodiscard]] static Result<TokenTable> parse(std::string_view text);
  // Errors also: kNotFound; kIo; kInvalidArgument if others than its owner may write the file or if others than owner
  // and group may read it.
  [[nodiscard]] static Result<TokenTable> load(const std::filesystem::path& path);

  // The token that `text` is.  The time does not depend on how much of the secret is right, nor on whether there is
  // such an id.
  [[nodiscard]] std::optional<Token> find(std::string_view text) const;
  // The id that `text` claims, if there is such a token; else empty.  It says nothing about the secret.
  [[nodiscard]] std::string claimed_id(std::string_view text) const;
  // The token with this id, if it is still valid.
  [[nodiscard]] std::optional<Token> by_id(const std::string& id) const;
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

 private:
  struct Row {
    Scopes scopes;
    Digest hash;
  };
  std::map<std::string, Row, std::less<>> rows_;
};

struct NewToken {
  std::string text;  // shown once
  std::string id;
  std::string line;  // of the file
};
[[nodiscard]] NewToken make_token(const Scopes& scopes);
// Appends the line to the file, which is made with mode 0600 if it is not there, and makes it durable.  Errors: kIo;
// those of TokenTable::load() for a file that is there.
[[nodiscard]] Status append_token(const std::filesystem::path& path, const NewToken& token);

}  // namespace unscatter::service
