// Two forms of a Newton system with n rows and d columns.
#pragma once

#include <cstddef>

namespace unscatter {

enum class HessianForm {
  kPrimal,  // a d x d matrix, Z^T D Z + ridge I
  kDual,    // an n x n matrix, ridge I + sqrt(D) Z Z^T sqrt(D)
};

// By operation count: forming and factorising the d x d matrix against factorising the n x n one, with Z Z^T at hand.
[[nodiscard]] HessianForm cheaper_form(std::size_t rows, std::size_t columns);

}  // namespace unscatter
