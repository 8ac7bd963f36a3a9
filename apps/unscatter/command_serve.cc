#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands.h"
#include "demo_service.h"
#include "key_options.h"
#include "service/serve.h"
#include "service/tokens.h"
#include "workspace_options.h"

namespace unscatter::cli {
namespace {

struct ServeArguments {
  WorkspaceArguments workspace;
  KeyArguments key;
  std::string listen = "127.0.0.1:8080";
  std::string tls_certificate;
  std::string tls_key;
  std::string token_file;
  std::vector<std::string> hosts;
  std::string openings;
  bool keep_salts = false;
  bool shred = false;
  std::uint64_t publish_minutes = 0;
  std::uint64_t drain_seconds = 30;
  std::size_t connections = service::ServerLimits().connections;
  std::size_t per_address = service::ServerLimits().per_address;
  double rate = service::ServiceOptions().per_token.per_second;
};

std::string usual_token_file(const std::string& workspace) { return workspace + ".tokens"; }

// "127.0.0.1:8080", "[::1]:8080"
Status set_place(const std::string& text, service::ServerOptions& server) {
  const std::size_t colon = text.rfind(':');
  const std::string port = colon == std::string::npos ? "" : text.substr(colon + 1);
  const bool digits = !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || std::stoul(port) > 65535) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("--listen '{}' is not ADDRESS:PORT", text)};
  }
  server.address = text.substr(0, colon);
  if (server.address.starts_with('[') && server.address.ends_with(']')) {
    server.address = server.address.substr(1, server.address.size() - 2);
  }
  server.port = static_cast<std::uint16_t>(std::stoul(port));
  return ok_status();
}

// A limit that is no limit, or one that nothing can pass, is a mistake of the hand.
Status check_numbers(const ServeArguments& arguments) {
  constexpr std::uint64_t kMostSeconds = 86400;
  constexpr std::uint64_t kMostMinutes = std::uint64_t{366} * 24 * 60;
  const auto wrong = [](const char* option, const char* range) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("{} is {}", option, range)};
  };
  if (arguments.rate < 0) return wrong("--rate", "a number from 0, which is no limit");
  if (arguments.connections == 0) return wrong("--max-connections", "at least 1");
  if (arguments.per_address == 0) return wrong("--max-per-address", "at least 1");
  if (arguments.drain_seconds > kMostSeconds) return wrong("--drain", "a day at most: 86400");
  if (arguments.publish_minutes > kMostMinutes) return wrong("--publish-every", "a year at most: 527040");
  return ok_status();
}

Result<service::ServeOptions> serve_options(const ServeArguments& arguments) {
  service::ServeOptions options;
  UNSCATTER_CHECK_OK(check_numbers(arguments));
  UNSCATTER_CHECK_OK(set_place(arguments.listen, options.server));
  UNSCATTER_TRY(key, arguments.key.load());
  options.server.tls_certificate = arguments.tls_certificate;
  options.server.tls_key = arguments.tls_key;
  options.server.threads = arguments.workspace.threads;
  options.server.limits.connections = arguments.connections;
  options.server.limits.per_address = arguments.per_address;
  service::ServiceOptions& of = options.service;
  of.workspace = arguments.workspace.path;
  of.token_file = arguments.token_file.empty() ? usual_token_file(arguments.workspace.path) : arguments.token_file;
  of.webhook_file = arguments.workspace.path + ".webhooks";
  of.key = std::move(key);
  of.record = arguments.key.record();
  of.wait = std::chrono::milliseconds(static_cast<std::int64_t>(arguments.workspace.wait_seconds * 1000));
  of.openings = arguments.openings;
  of.keep_salts = arguments.keep_salts;
  of.shred = arguments.shred;
  of.publish_every = std::chrono::minutes(arguments.publish_minutes);
  of.hosts = arguments.hosts;
  of.per_token = {arguments.rate, 2 * arguments.rate};
  options.drain = std::chrono::seconds(arguments.drain_seconds);
  return options;
}

Result<Report> run_service(const ServeArguments& arguments, Context& context) {
  UNSCATTER_TRY(options, serve_options(arguments));
  std::string place;
  options.ready = [&](const std::string& url) {
    place = url;
    context.note(fmt::format("serving {} at {}", arguments.workspace.path, url));
  };
  UNSCATTER_CHECK_OK(service::serve(options));
  Report report;
  report.json = {{"workspace", arguments.workspace.path}, {"url", place}, {"ended", "drained"}};
  report.text = "ended; what was accepted is done or on disk\n";
  return report;
}

struct TokenArguments {
  std::string workspace;
  std::string file;
  std::string scopes = "read";
};

Result<Report> new_token(const TokenArguments& arguments) {
  UNSCATTER_TRY(scopes, service::parse_scopes(arguments.scopes));
  const std::string file = arguments.file.empty() ? usual_token_file(arguments.workspace) : arguments.file;
  const service::NewToken token = service::make_token(scopes);
  UNSCATTER_CHECK_OK(service::append_token(file, token));
  Report report;
  report.json = {{"token", token.text}, {"id", token.id}, {"scopes", scopes.text()}, {"token_file", file}};
  report.text = fmt::format("{}\n", token.text);
  return report;
}

}  // namespace

void prepare_to_serve() { service::block_service_signals(); }

Status serve_demo(const std::filesystem::path& workspace, std::shared_ptr<const SigningKey> key, Context& context) {
  service::ServeOptions options;
  options.service.workspace = workspace;
  options.service.token_file = usual_token_file(workspace.string());
  options.service.webhook_file = workspace.string() + ".webhooks";
  options.service.key = std::move(key);
  const service::NewToken token = service::make_token(*service::parse_scopes("submit,operate,read,predict"));
  UNSCATTER_CHECK_OK(service::append_token(options.service.token_file, token));
  options.service.log = [](std::string_view) {};  // the terminal is for the person who looks at it
  options.ready = [&](const std::string& url) {
    context.note(
        fmt::format("the demo is at {}\n  token  {}\nCtrl-C ends it, and deletes its workspace", url, token.text));
  };
  return service::serve(options);
}

void add_serve_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("serve", "Put a workspace behind HTTP, with a page for operators");
  const auto arguments = std::make_shared<ServeArguments>();
  arguments->workspace.add_to(command);
  arguments->key.add_to(command);
  command.add_option("--listen", arguments->listen, "ADDRESS:PORT; port 0 is any that is free")->capture_default_str();
  command.add_option("--tls-cert", arguments->tls_certificate, "Certificate chain, PEM; TLS 1.3 only");
  command.add_option("--tls-key", arguments->tls_key, "Its key, PEM");
  command.add_option("--token-file", arguments->token_file, "Tokens and their scopes (default: WORKSPACE.tokens)");
  command.add_option("--host-name", arguments->hosts, "A name that clients may call the server by without TLS");
  command.add_option("--openings", arguments->openings,
                     "Append what opens commitments to this file (docs/receipts.md)");
  command.add_flag("--keep-salts", arguments->keep_salts, "Keep the salts in the workspace");
  command.add_flag("--shred", arguments->shred, "Neither keep nor hand out a salt");
  command
      .add_option("--publish-every", arguments->publish_minutes,
                  "Publish a model by itself when the last one is out of date, not more often than every so many "
                  "minutes; 0: never")
      ->capture_default_str();
  command.add_option("--drain", arguments->drain_seconds, "Seconds for queued requests after SIGTERM")
      ->capture_default_str();
  command.add_option("--max-connections", arguments->connections, "Connections in all")->capture_default_str();
  command.add_option("--max-per-address", arguments->per_address, "Connections from one address")
      ->capture_default_str();
  command.add_option("--rate", arguments->rate, "Requests per second of one token; 0: no limit")->capture_default_str();
  command.footer(R"(
Examples:
  unscatter token --workspace w.unscatter --scopes submit,read
  unscatter serve --workspace w.unscatter
  unscatter serve --workspace w.unscatter --listen 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem
  curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:8080/v1/status

A public address needs tokens and TLS.  SIGHUP reads the token file again.  SIGTERM completes what was accepted.
docs/service.md is the guide.)");
  context.add_action(command, [arguments, &context] { return run_service(*arguments, context); });
}

void add_token_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("token", "Make a token for the service; it is shown once");
  const auto arguments = std::make_shared<TokenArguments>();
  command.add_option("--workspace", arguments->workspace, "The workspace that is served");
  command.add_option("--token-file", arguments->file, "Where its hash goes (default: WORKSPACE.tokens)");
  command.add_option("--scopes", arguments->scopes, "submit, operate, read, predict, with commas between them")
      ->capture_default_str();
  command.footer(R"(
Examples:
  unscatter token --workspace w.unscatter --scopes submit
  unscatter token --workspace w.unscatter --scopes operate,read,predict
  unscatter token --token-file /etc/unscatter/tokens --scopes read --json

The file keeps a hash.  To take a token away, delete its line and send the service SIGHUP.)");
  context.add_action(
      command, [arguments] { return new_token(*arguments); },
      [arguments]() -> Status {
        if (!arguments->workspace.empty() || !arguments->file.empty()) return ok_status();
        return Error{ErrorCode::kInvalidArgument, "--workspace or --token-file is needed"};
      });
}

}  // namespace unscatter::cli
