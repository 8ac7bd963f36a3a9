#include "download.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <type_traits>

#include "unscatter/base/invariant.h"

namespace unscatter::cli {
namespace {

constexpr long kConnectSeconds = 20;
// A transfer that is slower than this for so long is given up.  No limit on the whole time: a large archive may take an
// hour.
constexpr long kLeastBytesPerSecond = 100;
constexpr long kPatienceSeconds = 30;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// The functions of libcurl.  It brings some thirty libraries along, and loading these takes longer than everything else
// that a short command does.  So the first download loads it, and no other command does.
struct LoadedCurl {
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_setopt) easy_setopt = nullptr;
  decltype(&curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&curl_easy_perform) easy_perform = nullptr;
  decltype(&curl_easy_strerror) easy_strerror = nullptr;
  decltype(&curl_easy_cleanup) easy_cleanup = nullptr;

  // Null if the library is not there.
  static const LoadedCurl* get() {
    // curl_global_init() is not thread-safe by itself.  The initialisation of a static variable is.
    static const std::optional<LoadedCurl> loaded = load();
    return loaded ? &*loaded : nullptr;
  }

 private:
  static std::optional<LoadedCurl> load() {
    // Never closed: its threads and tables live as long as the program.
    void* const library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return std::nullopt;
    LoadedCurl curl;
    const auto find = [library](const char* name, auto& function) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
    const bool whole = find("curl_global_init", curl.global_init) && find("curl_easy_init", curl.easy_init) &&
                       find("curl_easy_setopt", curl.easy_setopt) && find("curl_easy_getinfo", curl.easy_getinfo) &&
                       find("curl_easy_perform", curl.easy_perform) && find("curl_easy_strerror", curl.easy_strerror) &&
                       find("curl_easy_cleanup", curl.easy_cleanup);
    if (!whole || curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return std::nullopt;
    return curl;
  }
};

struct CleanUpCurl {
  void operator()(CURL* request) const { LoadedCurl::get()->easy_cleanup(request); }
};
using CurlRequest = std::unique_ptr<CURL, CleanUpCurl>;

// What curl's callbacks see.
struct Transfer {
  CURL* curl = nullptr;
  std::FILE* file = nullptr;
  std::uint64_t max_bytes = 0;
  Progress& progress;
  std::uint64_t received = 0;
  bool too_large = false;
};

std::size_t on_data(char* data, std::size_t /*one*/, std::size_t size, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  if (transfer.received == 0) {
    curl_off_t length = -1;  // stays negative if the server does not say it
    LoadedCurl::get()->easy_getinfo(transfer.curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    transfer.progress.begin("downloading", length > 0 ? static_cast<std::size_t>(length) : 0);
  }
  if (size > transfer.max_bytes - transfer.received) {
    transfer.too_large = true;
    return CURL_WRITEFUNC_ERROR;
  }
  if (std::fwrite(data, 1, size, transfer.file) != size) return CURL_WRITEFUNC_ERROR;
  transfer.received += size;
  transfer.progress.advance(size);
  return size;
}

CurlRequest make_request(const LoadedCurl& curl, const std::string& url) {
  CurlRequest request(curl.easy_init());
  invariant(request != nullptr, "libcurl gives no handle");
  const auto set = [&](CURLoption option, auto value) { curl.easy_setopt(request.get(), option, value); };
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_USERAGENT, "unscatter/" UNSCATTER_VERSION);
  set(CURLOPT_PROTOCOLS_STR, "https,http,file");
  // A redirect must not lead to local files.
  set(CURLOPT_REDIR_PROTOCOLS_STR, "https,http");
  set(CURLOPT_FOLLOWLOCATION, 1L);
  set(CURLOPT_MAXREDIRS, 5L);
  // An error page of a server must not be taken for data.
  set(CURLOPT_FAILONERROR, 1L);
  // Signals for timeouts would reach any thread of the program.
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  set(CURLOPT_LOW_SPEED_LIMIT, kLeastBytesPerSecond);
  set(CURLOPT_LOW_SPEED_TIME, kPatienceSeconds);
  return request;
}

ErrorCode kind_of(CURLcode code, long http_status) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_FILE_COULDNT_READ_FILE: return ErrorCode::kNotFound;
    case CURLE_HTTP_RETURNED_ERROR:
      return http_status == 404 || http_status == 410 ? ErrorCode::kNotFound : ErrorCode::kIo;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL: return ErrorCode::kInvalidArgument;
    default: return ErrorCode::kIo;
  }
}

}  // namespace

Status download(const std::string& url, const std::filesystem::path& path, std::uint64_t max_bytes,
                Progress& progress) {
  const LoadedCurl* const curl = LoadedCurl::get();
  if (curl == nullptr) {
    return Error{ErrorCode::kUnsupported,
                 "downloads need the library libcurl.so.4, which is not here or does not start; install it (Debian and "
                 "Ubuntu: libcurl4)"};
  }
  std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "wb"));
  if (file == nullptr) return Error{ErrorCode::kIo, fmt::format("cannot write '{}'", path.string())};

  const CurlRequest request = make_request(*curl, url);
  Transfer transfer{request.get(), file.get(), max_bytes, progress};
  std::array<char, CURL_ERROR_SIZE> detail{};
  curl->easy_setopt(request.get(), CURLOPT_WRITEFUNCTION, &on_data);
  curl->easy_setopt(request.get(), CURLOPT_WRITEDATA, &transfer);
  curl->easy_setopt(request.get(), CURLOPT_ERRORBUFFER, detail.data());
  const CURLcode code = curl->easy_perform(request.get());
  progress.end();

  if (transfer.too_large) {
    return Error{ErrorCode::kLimitExceeded, fmt::format("{} is larger than the limit of {} bytes", url, max_bytes)};
  }
  if (code != CURLE_OK) {
    long http_status = 0;
    curl->easy_getinfo(request.get(), CURLINFO_RESPONSE_CODE, &http_status);
    const char* reason = detail[0] != '\0' ? detail.data() : curl->easy_strerror(code);
    return Error{kind_of(code, http_status), fmt::format("cannot download {}: {}", url, reason)};
  }
  // Bytes in the buffer may still meet a full disk.
  if (std::fclose(file.release()) != 0) return Error{ErrorCode::kIo, fmt::format("cannot write '{}'", path.string())};
  return ok_status();
}

}  // namespace unscatter::cli
