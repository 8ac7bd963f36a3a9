#include <fmt/format.h>

#include <memory>
#include <string>

#include "commands.h"
#include "key_options.h"

namespace unscatter::cli {
namespace {

struct ShowKeyArguments {
  KeyArguments key;
  std::string public_out;
};

Result<Report> show_key(const ShowKeyArguments& arguments) {
  UNSCATTER_TRY(signing, arguments.key.load_or_create());
  const PublicKey half = signing.key->public_key();
  if (!arguments.public_out.empty()) UNSCATTER_CHECK_OK(save_public_key(half, arguments.public_out));
  Report report;
  report.json = {{"path", signing.path.string()}, {"public_key", half.hex()}, {"created", signing.created}};
  if (!arguments.public_out.empty()) report.json["public_path"] = arguments.public_out;
  Table table({{""}, {""}});
  table.add_row({"signing key", fmt::format("{}{}", signing.path.string(), signing.created ? " (made just now)" : "")});
  table.add_row({"public key", half.hex()});
  if (!arguments.public_out.empty()) table.add_row({"written", arguments.public_out});
  report.text = table.str();
  return report;
}

}  // namespace

void add_key_command(CLI::App& parent, Context& context) {
  CLI::App& command =
      *parent.add_subcommand("key", "Show the signing key's place and public half; make one if there is none");
  const auto arguments = std::make_shared<ShowKeyArguments>();
  arguments->key.add_to(command);
  command.add_option("--public", arguments->public_out,
                     "Write the public key to this file, for those who check receipts");
  command.footer(R"(
Examples:
  unscatter key
  unscatter key --public operator.pub
  unscatter key --key /etc/unscatter/signing.key

The key signs receipts.  It is kept outside of every workspace, readable by its owner alone; whoever copies a workspace
cannot sign in its name.)");
  context.add_action(command, [arguments] { return show_key(*arguments); });
}

}  // namespace unscatter::cli
