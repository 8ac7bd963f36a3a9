#include "download.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <memory>

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
struct CleanUpCurl {
  void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
};

// curl_global_init() is not thread-safe by itself.  The initialisation of a static variable is.
void initialise_curl() {
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  invariant(code == CURLE_OK, "libcurl does not start");
}

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
    curl_easy_getinfo(transfer.curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
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

std::unique_ptr<CURL, CleanUpCurl> make_request(const std::string& url) {
  std::unique_ptr<CURL, CleanUpCurl> curl(curl_easy_init());
  invariant(curl != nullptr, "libcurl gives no handle");
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_USERAGENT, "unscatter/" UNSCATTER_VERSION);
  curl_easy_setopt(curl.get(), CURLOPT_PROTOCOLS_STR, "https,http,file");
  // A redirect must not lead to local files.
  curl_easy_setopt(curl.get(), CURLOPT_REDIR_PROTOCOLS_STR, "https,http");
  curl_easy_setopt(curl.get(), CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_MAXREDIRS, 5L);
  // An error page of a server must not be taken for data.
  curl_easy_setopt(curl.get(), CURLOPT_FAILONERROR, 1L);
  // Signals for timeouts would reach any thread of the program.
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_LIMIT, kLeastBytesPerSecond);
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_TIME, kPatienceSeconds);
  return curl;
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
  initialise_curl();
  std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "wb"));
  if (file == nullptr) return Error{ErrorCode::kIo, fmt::format("cannot write '{}'", path.string())};

  const auto curl = make_request(url);
  Transfer transfer{curl.get(), file.get(), max_bytes, progress};
  std::array<char, CURL_ERROR_SIZE> detail{};
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, on_data);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, detail.data());
  const CURLcode code = curl_easy_perform(curl.get());
  progress.end();

  if (transfer.too_large) {
    return Error{ErrorCode::kLimitExceeded, fmt::format("{} is larger than the limit of {} bytes", url, max_bytes)};
  }
  if (code != CURLE_OK) {
    long http_status = 0;
    curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &http_status);
    const char* reason = detail[0] != '\0' ? detail.data() : curl_easy_strerror(code);
    return Error{kind_of(code, http_status), fmt::format("cannot download {}: {}", url, reason)};
  }
  // Bytes in the buffer may still meet a full disk.
  if (std::fclose(file.release()) != 0) return Error{ErrorCode::kIo, fmt::format("cannot write '{}'", path.string())};
  return ok_status();
}

}  // namespace unscatter::cli
