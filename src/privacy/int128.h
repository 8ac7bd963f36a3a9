// 128-bit integers.  Both compilers of this project have them; ISO C++ does not.
#pragma once

namespace unscatter {

__extension__ typedef __int128 Int128;            // NOLINT(modernize-use-using): __extension__ takes a declaration
__extension__ typedef unsigned __int128 Uint128;  // NOLINT(modernize-use-using)

}  // namespace unscatter
