// What the program and the MPI plug-in say to each other.
//
// The plug-in is a library of its own, unscatter-mpi.so, because the program must run where no MPI is installed.  Only
// C types cross the border: the two may be built by different compilers, and nothing is thrown across.
#pragma once

#include <stddef.h>
#include <stdint.h>

extern "C" {

// Both sides name the edition that they were built for.  It goes up with every change of this file.
enum { kUnscatterMpiEdition = 1 };

struct UnscatterMpiStart {
  double timeout_seconds;  // a rank that is not heard of for so long is lost
  uint64_t piece_bytes;    // longer messages travel in pieces of this size; at most 2^31 - 1
};

struct UnscatterMpiWorld {
  uint64_t rank;
  uint64_t size;
  char library[128];  // the name of the MPI library, for messages; ends with a zero
};

// One thread at a time, apart from abort().  From start() to finish() a thread of the plug-in sends signs of life.
struct UnscatterMpi {
  uint32_t edition;
  // 0: `world` is filled in.  Otherwise `reason` has a sentence, which ends with a zero, and there is nothing to
  // finish.
  int (*start)(const UnscatterMpiStart* how, UnscatterMpiWorld* world, char* reason, size_t reason_room);
  // These return when it is done.  Where it cannot be done, they end the job as abort() does.
  void (*send)(uint64_t to, const void* bytes, uint64_t count);
  void (*receive)(uint64_t from, void* bytes, uint64_t count);
  // Writes "unscatter: rank R on HOST: REASON" to standard error and ends all ranks with status 1.
  void (*abort)(const char* reason);
  // All ranks call it when they have nothing more to say.
  void (*finish)();
};

// The one symbol of the plug-in.
const UnscatterMpi* unscatter_mpi(void);
using UnscatterMpiEntry = decltype(&unscatter_mpi);

}  // extern "C"
