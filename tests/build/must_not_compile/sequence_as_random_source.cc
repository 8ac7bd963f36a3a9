// Noise that protects people is never seeded: a Sequence is no RandomSource.
#include "unscatter/base/random.h"

void add_noise(unscatter::RandomSource& source);

void caller() {
#ifdef UNSCATTER_CONTROL
  unscatter::SecureRandom source;
#else
  unscatter::Sequence source(1);
#endif
  add_noise(source);
}
