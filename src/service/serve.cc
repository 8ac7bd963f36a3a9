#include "service/serve.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <utility>

#include "service/network.h"

namespace unscatter::service {
namespace {

// Every connection is an open file.
void allow_many_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  static_cast<void>(setrlimit(RLIMIT_NOFILE, &limit));
}

sigset_t awaited_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int one : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, one);
  return signals;
}

// The next signal, or 0 after a second.
int next_signal(const sigset_t& signals) {
  const timespec second{1, 0};
  const int signal = sigtimedwait(&signals, nullptr, &second);
  return signal > 0 ? signal : 0;
}

std::string url_of(const ServerOptions& server, std::uint16_t port) {
  const bool six = server.address.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}", server.tls_certificate.empty() ? "http" : "https", six ? "[" : "",
                     server.address, six ? "]" : "", port);
}

void reload(Service& service) {
  const Status read = service.reload_tokens();
  service.log().note(read.ok() ? "info" : "error", read.ok()
                                                       ? "the token file was read again"
                                                       : "the token file cannot be read; the old tokens stay valid");
}

// Until somebody asks for the end, or nothing can be written any more.
void watch(Service& service, const sigset_t& signals) {
  while (!service.writer().broken()) {
    const int signal = next_signal(signals);
    if (signal == SIGTERM || signal == SIGINT) return;
    if (signal == SIGHUP) reload(service);
  }
}

}  // namespace

void notify_manager(const std::string& state) {
  const char* path = std::getenv("NOTIFY_SOCKET");
  sockaddr_un address{};
  if (path == nullptr || path[0] == '\0' || std::strlen(path) >= sizeof(address.sun_path)) return;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path, std::strlen(path));
  // The first byte of an abstract name is zero.
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';
  const int socket_file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket_file < 0) return;
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + std::strlen(path));
  static_cast<void>(sendto(socket_file, state.data(), state.size(), MSG_NOSIGNAL,
                           reinterpret_cast<const sockaddr*>(&address), length));
  close(socket_file);
}

Status check_exposure(const ServeOptions& options, std::size_t tokens) {
  const bool certificate = !options.server.tls_certificate.empty();
  if (certificate == options.server.tls_key.empty()) {
    return Error{ErrorCode::kInvalidArgument, "--tls-cert and --tls-key go together"};
  }
  UNSCATTER_TRY(loopback, network().is_loopback_address(options.server.address));
  if (loopback) return ok_status();
  if (!certificate) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} can be reached from other machines: this needs --tls-cert and --tls-key",
                             options.server.address)};
  }
  if (tokens == 0) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("{} can be reached from other machines: this needs tokens, and 'unscatter token' makes one",
                    options.server.address)};
  }
  return ok_status();
}

void block_service_signals() {
  const sigset_t signals = awaited_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

Status serve(const ServeOptions& options) {
  const sigset_t signals = awaited_signals();
  block_service_signals();
  std::signal(SIGPIPE, SIG_IGN);
  allow_many_files();
  UNSCATTER_CHECK_OK(load_network());
  UNSCATTER_CHECK_OK(check_exposure(options, 1));  // what can be said before the workspace is opened
  UNSCATTER_TRY(service, Service::open(options.service));
  UNSCATTER_CHECK_OK(check_exposure(options, service->tokens()));
  UNSCATTER_TRY(server, network().listen(*service, options.server));
  if (options.ready) options.ready(url_of(options.server, server->port()));
  notify_manager("READY=1");
  watch(*service, signals);
  const bool broken = service->writer().broken();
  notify_manager("STOPPING=1");
  service->log().note("info", "the service ends and completes what it has accepted");
  server->stop_accepting();
  service->drain(broken ? std::chrono::seconds(0) : options.drain);
  server->finish(std::chrono::seconds(5));
  if (broken) return Error{ErrorCode::kIo, "the workspace could not be written several times in a row"};
  return ok_status();
}

}  // namespace unscatter::service
