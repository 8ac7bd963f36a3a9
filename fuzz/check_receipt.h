#pragma once

#include <string>
#include <string_view>

#include "fuzz/check.h"
#include "unscatter/store/receipt.h"

namespace unscatter::fuzz {

// Checks the one spelling of a receipt.  Also, the question whether the signer that it names has signed it must have an
// answer.
[[nodiscard]] inline std::string check_receipt(std::string_view text) {
  if (const std::string finding = check_one_spelling(text, parse_receipt, receipt_text); !finding.empty())
    return finding;
  const Result<Receipt> receipt = parse_receipt(text);
  if (!receipt.ok()) return "";
  const Status checked = check_signature(*receipt, receipt->signer);
  if (!checked.ok() && checked.error().message.empty()) return "a wrong signature without a reason";
  return "";
}

}  // namespace unscatter::fuzz
