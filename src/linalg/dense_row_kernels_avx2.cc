// Compiled for AVX2 and FMA, and called only where the processor has both.  Empty where the compiler targets something
// else.
#if defined(__AVX2__) && defined(__FMA__)

#define UNSCATTER_VARIANT avx2
#include "linalg/dense_row_kernels.inc"

#endif
