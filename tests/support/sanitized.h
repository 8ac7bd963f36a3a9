// Whether a sanitizer watches this build.  GCC says it by macros, clang by __has_feature.
#pragma once

#include <string_view>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UNSCATTER_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define UNSCATTER_SANITIZED 1
#endif
#endif
#ifndef UNSCATTER_SANITIZED
#define UNSCATTER_SANITIZED 0
#endif

namespace unscatter::testing {

inline constexpr bool kSanitized = UNSCATTER_SANITIZED == 1;

// Why a test that plays a game ten thousand times skips itself there.
inline constexpr std::string_view kStatistics =
    "statistics of many draws; other tests lead a sanitizer through the same code, and the release build draws";

}  // namespace unscatter::testing
