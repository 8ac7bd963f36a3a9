// Graph Fourier embedding: moments of the spectrum of each channel.
//
//   z[channel, q] = (1/g) sum_k (v_k . x)^q,  q = 1..Q,   v_k the eigenvectors of Lap = I - D^-1/2 A D^-1/2
//
// Eigenvalues ascend and signs are fixed (symmetric_eigen.h), so the embedding is deterministic.  Inside the space of a
// repeated eigenvalue the basis remains the solver's choice.  It is fixed for a fixed input, but not invariant when
// nodes are numbered in another way.  Scattering is invariant; this embedding is for comparison.
#pragma once

#include <cstddef>
#include <memory>

#include "unscatter/embedding/transform.h"

namespace unscatter {

// The negative of an eigenvector is an eigenvector too, and odd moments tell the two apart.
enum class EigenvectorSigns {
  kFixed,      // by symmetric_eigen.h
  kArbitrary,  // drawn anew for every size of graph: what a program gets that leaves them to its eigensolver.  For
               // comparison.
};

struct FourierOptions {
  std::size_t moments = 1;  // Q >= 1; with 1, the mean of V^T x
  EigenvectorSigns signs = EigenvectorSigns::kFixed;
};

// Columns: channel, then moment.  O(g^3) per graph.  Errors: kInvalidArgument for zero moments; embed(): kUnsupported
// for a directed graph, kNotConverged from the eigensolver.
[[nodiscard]] Result<std::unique_ptr<Transform>> make_fourier(const FourierOptions& options = {});

}  // namespace unscatter
