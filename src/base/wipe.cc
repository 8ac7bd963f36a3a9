#include "base/wipe.h"

#include <sodium.h>

namespace unscatter {

void wipe(std::span<std::byte> bytes) noexcept { sodium_memzero(bytes.data(), bytes.size()); }

void wipe(std::string& text) noexcept {
  // Bytes beyond the end of the text may belong to an older and longer one.
  text.resize(text.capacity());
  wipe(std::as_writable_bytes(std::span(text)));
  text.clear();
}

void wipe(std::vector<std::string>& texts) noexcept {
  for (std::string& text : texts) wipe(text);
  texts.clear();
}

}  // namespace unscatter
