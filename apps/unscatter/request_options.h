// What to forget, as options.  Exactly one form:
//
//   --graph G --node N [--features-only]     --graph G --edge U,V     --graph G     --subject ID     --requests FILE
//
// G, N, U and V are numbers if they are digits, and external ids otherwise.  "id:17" is the external id "17".
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "unscatter/base/result.h"
#include "unscatter/unlearn/request.h"

namespace unscatter::cli {

struct RequestArguments {
  std::string graph = {};
  std::string node = {};
  std::string edge = {};
  std::string subject = {};
  std::string requests = {};  // a file
  bool features_only = false;

  void add_to(CLI::App& command);
  [[nodiscard]] bool is_list() const { return !requests.empty(); }
  // Is it one of the forms above, and readable?  Errors: kInvalidArgument, a sentence for the user.
  [[nodiscard]] Status check() const;
  // The request of every form but the last.  Errors as check().
  [[nodiscard]] Result<RemovalRequest> request() const;

 private:
  [[nodiscard]] Status check_form() const;
};

}  // namespace unscatter::cli
