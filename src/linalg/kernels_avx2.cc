// Compiled for AVX2 and FMA, and called only where the processor has both.  Empty where the compiler targets something
// else.
#if defined(__AVX2__) && defined(__FMA__)

#define Eigen Eigen_avx2
#define UNSCATTER_VARIANT avx2

#include <cstddef>

#include "linalg/segment_view.h"

#include "linalg/kernels.inc"

#endif
